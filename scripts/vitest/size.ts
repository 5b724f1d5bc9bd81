/**
 * Returns the size of a long test: full under `npm run test:long`, a tenth when the file is run alone.
 *
 * @param full number of rounds, rows, events... of the full proof
 * @returns at least 1
 */
export function sized(full: number): number {
  return process.env.SVC_TEST_LONG === '1' ? full : Math.max(1, Math.round(full / 10));
}
