import { parseRetryAfterMs } from '@svc/domain/network/retry-after';
import type { BlocklistFailed, BlocklistOutcome } from './types.ts';

export interface SequencerCallOptions {
  fetch: typeof globalThis.fetch;
  /** No slash at the end. */
  baseUrl: string;
  /** Timeout of one call, including its whole answer. */
  timeoutMs: number;
  /** Aborts running calls when the process stops. */
  signal?: AbortSignal;
  now: () => Date;
}

export interface SequencerCall {
  /** The platform's name, for messages. */
  platform: string;
  /** Path and query. May hold the token, so it must not appear in messages. */
  path: string;
  headers?: Record<string, string>;
  body: unknown;
  token: string;
}

const ANSWER_MAX_BYTES = 256 * 1024;
const REASON_MAX_LENGTH = 200;
/** Statuses that mean bad entries; any other 4xx concerns the account or the URL. */
const ENTRIES_REFUSED: ReadonlySet<number> = new Set([400, 409, 413, 422]);

/** Sends one request to a sequencer's API and interprets its answer. Never rejects. */
export async function callSequencer(options: SequencerCallOptions, call: SequencerCall): Promise<BlocklistOutcome> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
  try {
    const response = await options.fetch(options.baseUrl + call.path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...call.headers },
      body: JSON.stringify(call.body),
      // A followed redirect could send the token to another host.
      redirect: 'manual',
      signal,
    });
    return readOutcome(call, response, await readText(response), options.now());
  } catch (error) {
    // The error's own text may hold the URL with the token.
    const message = timeout.aborted
      ? `${call.platform} did not answer in time`
      : `${call.platform} could not be reached${codeOf(error)}`;
    return { status: 'error', message, retry: { afterMs: null } };
  }
}

function readOutcome(call: SequencerCall, { status, headers }: Response, text: string, now: Date): BlocklistOutcome {
  const { platform } = call;
  const answer = readAnswer(text);
  // Some refusals have status 200.
  if (status >= 200 && status < 300 && !answer.isRefusal) return { status: 'success' };
  const asked = { afterMs: parseRetryAfterMs(headers.get('retry-after'), now.getTime()) };
  if (status === 429) return failed(`${platform} asks to wait (429)`, asked);
  if (status === 408 || status >= 500) return failed(`${platform} is not available (${status})`, asked);
  if (status === 401 || status === 403) {
    return failed(
      `${platform} refused the list's API key (${status}): store a valid one (svc-server blocklists set-token), then resync the list`,
      'never',
    );
  }
  const reason = redact(call, answer.reason);
  const refusal = failed(`${platform} refused the entries (${status})${reason === '' ? '' : `: ${reason}`}`, 'never');
  return { ...refusal, isOfEntries: answer.isRefusal || ENTRIES_REFUSED.has(status) };
}

function failed(message: string, retry: BlocklistFailed['retry']): BlocklistFailed {
  return { status: 'error', message, retry };
}

function readAnswer(text: string): { isRefusal: boolean; reason: string } {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { isRefusal: false, reason: '' };
  }
  const { ok, success, message, error } =
    typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body)) : {};
  const reason = [message, error].find((part) => typeof part === 'string');
  return { isRefusal: ok === false || success === false, reason: typeof reason === 'string' ? reason : '' };
}

/** Removes the token, plain and URL-encoded, and email addresses from an answer's message. */
function redact({ token }: SequencerCall, reason: string): string {
  return [token, encodeURIComponent(token)]
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, '[…]'), reason)
    .replaceAll(/\S+@\S+/g, '[…]')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, REASON_MAX_LENGTH);
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : '';
}

/** Reads at most `ANSWER_MAX_BYTES`; answers are short JSON documents. */
async function readText(response: Response): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > ANSWER_MAX_BYTES) break;
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}
