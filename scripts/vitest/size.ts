/**
 * The size at which a long proof (`*.long.test.ts`) runs: in full under `npm run test:long`, at a tenth when it is run by itself.
 *
 * @param full number of rounds, rows, events... of the full proof
 * @returns at least 1
 */
export function sized(full: number): number {
  return process.env.SVC_TEST_LONG === '1' ? full : Math.max(1, Math.round(full / 10));
}
