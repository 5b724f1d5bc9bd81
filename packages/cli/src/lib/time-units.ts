/** Units of time as they are typed behind a number (`7d`), in milliseconds. */
export const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export const DAY_MS = UNIT_MS.d;
