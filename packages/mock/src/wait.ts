/** Waits until a service answers, for `svc-mock wait`. */

export interface WaitDeps {
  readonly fetch: typeof globalThis.fetch;
  /** Milliseconds of a clock that is never set back. */
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Gets the reason of a failed attempt when it differs from the one before. */
  readonly onWaiting: (reason: string) => void;
}

/** Time between two attempts. */
const INTERVAL_MS = 200;
/** A service that accepts a connection and then hangs is asked again. */
const ATTEMPT_MS = 5_000;

const NO_ANSWER = 'it accepts connections, but does not answer';

/**
 * Asks a URL until it answers with a 2xx status.
 *
 * @returns null, or why the last attempt failed when the time is over
 */
export async function waitFor(url: string, timeoutMs: number, deps: WaitDeps): Promise<string | null> {
  const endMs = deps.nowMs() + timeoutMs;
  let reported: string | null = null;
  for (;;) {
    const attemptMs = Math.max(1, Math.ceil(Math.min(ATTEMPT_MS, endMs - deps.nowMs())));
    const reason = await ask(url, attemptMs, deps.fetch);
    if (reason === null) return null;
    const isOver = deps.nowMs() >= endMs;
    // The end of the time cut the last attempt short: what happened to it says less than what the attempt before it met.
    if (isOver && reported !== null && reason === NO_ANSWER && attemptMs < ATTEMPT_MS) return reported;
    if (reason !== reported) deps.onWaiting(reason);
    reported = reason;
    if (isOver) return reason;
    await deps.sleep(Math.min(INTERVAL_MS, endMs - deps.nowMs()));
  }
}

/** Returns null for a 2xx answer, else what happened instead. */
async function ask(url: string, attemptMs: number, fetch: WaitDeps['fetch']): Promise<string | null> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(attemptMs) });
    const body = await response.text();
    return response.ok ? null : `it answers ${response.status}${detailOf(body)}`;
  } catch (error) {
    return describeFailure(error);
  }
}

/** Names the failed checks of a service that is not ready, else repeats the message of an error. */
function detailOf(body: string): string {
  try {
    const { checks, message }: { checks?: Record<string, string>; message?: string } = JSON.parse(body);
    const failed = Object.entries(checks ?? {}).flatMap(([name, result]) => (result === 'ok' ? [] : [name]));
    if (failed.length > 0) return `, because these checks fail: ${failed.join(', ')}`;
    return message === undefined ? '' : `: ${message}`;
  } catch {
    return '';
  }
}

const FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was closed without an answer',
  UND_ERR_SOCKET: 'the connection was closed without an answer',
  ENOTFOUND: 'the name of the host is unknown',
  EAI_AGAIN: 'the name of the host is unknown',
};

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return NO_ANSWER;
  const { code = '', message = error.message }: { code?: string; message?: string } = Object(error.cause);
  return FAILURES[code] ?? message;
}
