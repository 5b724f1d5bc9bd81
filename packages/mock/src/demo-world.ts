import demo from '@svc/fixtures/demo-world.json' with { type: 'json' };
import type { World as WorldFile } from '@svc/domain/world';

/** Returns the demo world. It is not validated at start, which takes a while; its tests do that. */
export function demoWorld(): WorldFile {
  return demo as unknown as WorldFile;
}
