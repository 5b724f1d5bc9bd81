import { mockBehindMsw, mockFetch, mockProcess } from './mock.ts';
import { serverOnPglite, serverOnPostgres } from './server.ts';
import type { Target } from './target.ts';

const TARGETS: ReadonlyMap<string, Target> = new Map([
  ['server-pglite', serverOnPglite],
  ['server-postgres', serverOnPostgres],
  ['mock-msw', mockBehindMsw],
  ['mock-fetch', mockFetch],
  ['svc-mock', mockProcess],
]);

/** The targets of the suite. `SVC_CONFORMANCE_TARGETS` selects some of them, separated by commas. Default: all. */
export const targets: readonly Target[] = chooseTargets(process.env['SVC_CONFORMANCE_TARGETS']);

function chooseTargets(names: string | undefined): readonly Target[] {
  if (names === undefined || names === '') return [...TARGETS.values()];
  return names.split(',').map((name) => {
    const target = TARGETS.get(name);
    if (target === undefined) {
      throw new Error(`SVC_CONFORMANCE_TARGETS: there is no target ${name}, only ${[...TARGETS.keys()].join(', ')}`);
    }
    return target;
  });
}
