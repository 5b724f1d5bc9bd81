/**
 * The logs are partitioned by the month of `created_at`, so a statement that knows about when its rows were stored looks
 * into their months only. What it does not find there is looked for in all of them.
 */
export interface RowTimes {
  /** Both included. */
  readonly from: Date | '-infinity';
  readonly until: Date | 'infinity';
}

export const ANY_TIME: RowTimes = { from: '-infinity', until: 'infinity' };

/** Returns the times from the first to the last of these; any time when one is unknown. */
export function timesOf(times: readonly (Date | null)[]): RowTimes {
  const known = times.flatMap((time) => time?.getTime() ?? []);
  if (known.length === 0 || known.length < times.length) return ANY_TIME;
  return {
    from: new Date(known.reduce((a, b) => Math.min(a, b))),
    until: new Date(known.reduce((a, b) => Math.max(a, b))),
  };
}
