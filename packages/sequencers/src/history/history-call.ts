import { parseRetryAfterMs } from '@svc/domain/network/retry-after';
import {
  parseAnswer,
  redactReason,
  type SequencerCallOptions,
  type SequencerRequest,
  sendRequest,
} from '../calls/send-request.ts';
import type { HistoryAnswer, HistoryFailure } from './types.ts';

/** A page has whole mails. */
const PAGE_BYTES_MAX = 16 * 1024 * 1024;

export type ListedAnswer =
  /** `body` is undefined when the answer is not JSON. */
  { status: 'success'; body: unknown; isEmpty: boolean } | Extract<HistoryAnswer, { status: 'error' }>;

/** Reads one page of a list. Never rejects. */
export async function callList(
  options: SequencerCallOptions,
  call: Omit<SequencerRequest, 'method' | 'body'> & { token: string },
): Promise<ListedAnswer> {
  const { platform, token, ...request } = call;
  const sent = await sendRequest(options, { platform, method: 'GET', bytesMax: PAGE_BYTES_MAX, ...request });
  if (sent.status === 'failed') return failed(sent.message, { afterMs: null });
  const { httpStatus, headers, text } = sent;
  const { body, isRefusal, reason } = parseAnswer(text);
  if (httpStatus >= 200 && httpStatus < 300 && !isRefusal) return { status: 'success', body, isEmpty: text === '' };
  const asked = { afterMs: parseRetryAfterMs(headers.get('retry-after'), options.now().getTime()) };
  if (httpStatus === 429) return failed(`${platform} asks to wait (429)`, asked);
  if (httpStatus === 408 || httpStatus >= 500) return failed(`${platform} is not available (${httpStatus})`, asked);
  if (httpStatus === 401 || httpStatus === 403) {
    return failed(
      `${platform} refused the API key (${httpStatus}): store a valid one that may read activity (svc-server sequencer-keys set-token), then begin the backfill again`,
      'never',
    );
  }
  const said = redactReason(token, reason);
  return failed(`${platform} refused the call (${httpStatus})${said === '' ? '' : `: ${said}`}`, 'never');
}

function failed(message: string, retry: HistoryFailure['retry']): Extract<HistoryAnswer, { status: 'error' }> {
  return { status: 'error', failure: { message, retry } };
}

/** An answer that is no list must never count as an empty one, or a run would end without the rest. */
export function notUnderstood(platform: string, what: string): Extract<HistoryAnswer, { status: 'error' }> {
  return failed(`${platform} gave an answer that this release does not understand: ${what}`, 'never');
}
