import { parseRetryAfterMs } from '@svc/domain/network/retry-after';
import {
  parseAnswer,
  redactReason,
  type SentRequest,
  type SequencerCallOptions,
  type SequencerRequest,
  sendRequest,
} from '../calls/send-request.ts';
import type { BlocklistFailure, BlocklistOutcome } from './types.ts';

export type { SequencerCallOptions };

export interface SequencerCall extends SequencerRequest {
  token: string;
  /** The entries of this call. */
  values: readonly string[];
  /** Recognizes the refusal of an entry that the list already has. Default: no refusal means that. */
  isPresent?: (status: number, text: string) => boolean;
}

export type SequencerAnswer =
  /** `body` is the parsed answer; undefined when it is not JSON. */
  { status: 'success'; body: unknown } | { status: 'error'; failure: BlocklistFailure };

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
  const { platform, method = 'POST', path, headers = {}, body } = call;
  const sent = await sendRequest(options, { platform, method, path, headers, body });
  return sent.status === 'failed' ? failed(sent.message, { afterMs: null }) : readAnswer(call, sent, options.now());
}

function readAnswer(
  call: SequencerCall,
  { httpStatus: status, headers, text }: Extract<SentRequest, { status: 'answered' }>,
  now: Date,
): SequencerAnswer {
  const { platform } = call;
  const answer = parseAnswer(text);
  const isSuccess = status >= 200 && status < 300 && !answer.isRefusal;
  if (isSuccess || call.isPresent?.(status, text) === true) return { status: 'success', body: answer.body };
  const asked = { afterMs: parseRetryAfterMs(headers.get('retry-after'), now.getTime()) };
  if (status === 429) return failed(`${platform} asks to wait (429)`, asked);
  if (status === 408 || status >= 500) return failed(`${platform} is not available (${status})`, asked);
  if (status === 401 || status === 403) {
    return failed(
      `${platform} refused the list's API key (${status}): store a valid one (svc-server blocklists set-token; sequencer-keys set-token for a key of several lists)`,
      'never',
    );
  }
  const reason = redactReason(call.token, answer.reason);
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
