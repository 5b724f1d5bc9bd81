/** Exit codes, the same with and without `--json`. */
export const EXIT_CODES = {
  ok: 0,
  unexpected: 1,
  /** Wrong usage, or the service answered 400. */
  usage: 2,
  notFound: 3,
  notAuthenticated: 4,
  forbidden: 5,
  conflict: 6,
  /** Still rate limited after the retries. */
  rateLimited: 7,
  /** Network, timeout or 5xx. */
  unavailable: 8,
  /** The command worked and the answer is no. */
  negative: 9,
  partlyDone: 10,
  waitTimedOut: 11,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
