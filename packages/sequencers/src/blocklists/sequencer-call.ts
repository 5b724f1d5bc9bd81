import { forwardAbort } from '@svc/domain/network/forward-abort';
import { parseRetryAfterMs } from '@svc/domain/network/retry-after';
import type { BlocklistFailure, BlocklistOutcome } from './types.ts';

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
  /** Default: no body. */
  body?: unknown;
  token: string;
  /** The entries of this call. */
  values: readonly string[];
  /** Recognizes the refusal of an entry that the list already has. Default: no refusal means that. */
  isPresent?: (status: number, text: string) => boolean;
}

export type SequencerAnswer =
  /** `body` is the parsed answer; undefined when it is not JSON. */
  { status: 'success'; body: unknown } | { status: 'error'; failure: BlocklistFailure };

const ANSWER_MAX_BYTES = 256 * 1024;
const REASON_MAX_LENGTH = 200;
/** Statuses that mean bad entries; any other 4xx concerns the account or the URL. */
const ENTRIES_REFUSED: ReadonlySet<number> = new Set([400, 409, 413, 422]);

/** Adds all values by one call, which accepts all or none. */
export async function addTogether(options: SequencerCallOptions, call: SequencerCall): Promise<BlocklistOutcome> {
  const answer = await callSequencer(options, call);
  return answer.status === 'success' ? added(call.values) : { added: [], refused: [], failure: answer.failure };
}

/**
 * Adds values one after the other, for a platform whose calls take one. Stops at the first failure, and after `timeoutMs` in
 * all, so that one batch takes about as long as one slow call.
 */
export async function addOneByOne(
  options: SequencerCallOptions,
  values: readonly string[],
  callFor: (value: string) => Omit<SequencerCall, 'values'>,
): Promise<BlocklistOutcome> {
  const endMs = options.now().getTime() + options.timeoutMs;
  for (const [index, value] of values.entries()) {
    if (index > 0 && options.now().getTime() >= endMs) return added(values.slice(0, index));
    const answer = await callSequencer(options, { ...callFor(value), values: [value] });
    if (answer.status === 'error') return { ...added(values.slice(0, index)), failure: answer.failure };
  }
  return added(values);
}

function added(values: readonly string[]): BlocklistOutcome {
  return { added: values, refused: [], failure: null };
}

/** Sends one request to a sequencer's API and interprets its answer. Never rejects. */
export async function callSequencer(options: SequencerCallOptions, call: SequencerCall): Promise<SequencerAnswer> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const request = new AbortController();
  const endRequest = forwardAbort(request, [timeout, options.signal]);
  try {
    const response = await options.fetch(options.baseUrl + call.path, {
      method: 'POST',
      headers: {
        ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        Accept: 'application/json',
        ...call.headers,
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      // A followed redirect could send the token to another host.
      redirect: 'manual',
      signal: request.signal,
    });
    return readAnswer(call, response, await readText(response), options.now());
  } catch (error) {
    // The error's own text may hold the URL with the token.
    const message = timeout.aborted
      ? `${call.platform} did not answer in time`
      : `${call.platform} could not be reached${codeOf(error)}`;
    return failed(message, { afterMs: null });
  } finally {
    endRequest();
  }
}

function readAnswer(call: SequencerCall, { status, headers }: Response, text: string, now: Date): SequencerAnswer {
  const { platform } = call;
  const answer = parseAnswer(text);
  // Some refusals have status 200.
  const isSuccess = status >= 200 && status < 300 && !answer.isRefusal;
  if (isSuccess || call.isPresent?.(status, text) === true) return { status: 'success', body: answer.body };
  const asked = { afterMs: parseRetryAfterMs(headers.get('retry-after'), now.getTime()) };
  if (status === 429) return failed(`${platform} asks to wait (429)`, asked);
  if (status === 408 || status >= 500) return failed(`${platform} is not available (${status})`, asked);
  if (status === 401 || status === 403) {
    return failed(
      `${platform} refused the list's API key (${status}): store a valid one (svc-server blocklists set-token; sequencer-keys set-token for a key of several lists), then resync the list`,
      'never',
    );
  }
  const reason = redact(call, answer.reason);
  const message = `${platform} refused the entries (${status})${reason === '' ? '' : `: ${reason}`}`;
  const isOfEntries = answer.isRefusal || ENTRIES_REFUSED.has(status);
  return failed(message, 'never', isOfEntries ? call.values : undefined);
}

function failed(
  message: string,
  retry: BlocklistFailure['retry'],
  suspects?: readonly string[],
): Extract<SequencerAnswer, { status: 'error' }> {
  return { status: 'error', failure: { message, retry, ...(suspects === undefined ? {} : { suspects }) } };
}

function parseAnswer(text: string): { body: unknown; isRefusal: boolean; reason: string } {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { body: undefined, isRefusal: false, reason: '' };
  }
  const { ok, success, message, error } =
    typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body)) : {};
  const reason = [message, error].find((part) => typeof part === 'string');
  return { body, isRefusal: ok === false || success === false, reason: typeof reason === 'string' ? reason : '' };
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
