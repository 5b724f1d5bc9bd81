/** What the suite leaves out, each with its reason. `coverage.long.test.ts` refuses entries that have become superfluous. */

/** Statuses without a case, on whatever operation declares them. */
export const UNCOVERED_STATUSES: Readonly<Partial<Record<number, string>>> = {
  431: 'refused before the operation is known, and not where requests are no bytes; `http.test.ts` has one case for all',
  500: 'a failure of the service itself cannot be asked for; `process.long.test.ts` takes the database away to see one',
};
