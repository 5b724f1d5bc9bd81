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

/** For the help and docs/cli.md. */
export const EXIT_CODE_MEANINGS: Readonly<Record<ExitCode | '129, 143', string>> = {
  [EXIT_CODES.ok]: 'success; also when the reader of the output closes the pipe (svc ... | head)',
  [EXIT_CODES.unexpected]: 'unexpected, for example an answer that is not from the service, or a full disk',
  [EXIT_CODES.usage]: 'wrong usage, or the service answered 400',
  [EXIT_CODES.notFound]: 'not found',
  [EXIT_CODES.notAuthenticated]: 'not authenticated: no key for this address, or an invalid key',
  [EXIT_CODES.forbidden]: 'forbidden: the key lacks the permission',
  [EXIT_CODES.conflict]: 'conflict',
  [EXIT_CODES.rateLimited]: 'rate limited, even after retries',
  [EXIT_CODES.unavailable]: 'network error, timeout or server error',
  [EXIT_CODES.negative]: 'the command worked and the answer is no',
  [EXIT_CODES.partlyDone]: 'partly done',
  [EXIT_CODES.waitTimedOut]: 'the wait timed out; the result may still come',
  [EXIT_CODES.interrupted]: 'Ctrl-C; also when a confirmation was not given',
  '129, 143': 'the terminal was closed, SIGTERM',
};
