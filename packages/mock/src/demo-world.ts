/** The world that a mock begins with. */
import demo from '@svc/fixtures/demo-world.json' with { type: 'json' };
import type { World as WorldFile } from '@svc/domain/world';

/** The demo world of this release. Its tests validate it, so it is not validated again at every start, which takes a while. */
export function demoWorld(): WorldFile {
  return demo as unknown as WorldFile;
}
