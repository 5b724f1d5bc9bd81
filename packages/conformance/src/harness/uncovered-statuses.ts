/** Statuses without a case, on any operation, with the reason. `coverage.long.test.ts` refuses superfluous entries. */
export const UNCOVERED_STATUSES: Readonly<Partial<Record<number, string>>> = {
  431: 'answered before the operation is known, and only on targets with raw requests; `http.test.ts` has one case',
  500: 'a client cannot provoke it; `process.long.test.ts` detaches the database to see one',
};
