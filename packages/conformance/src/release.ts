/** What the suite leaves out, each with its reason. `coverage.test.ts` refuses entries that have become superfluous. */

/** Statuses without a case, on whatever operation declares them. */
export const WITHOUT_CASE: Readonly<Partial<Record<number, string>>> = {
  500: 'a failure of the service itself cannot be asked for; `process.test.ts` takes the database away to see one',
};
