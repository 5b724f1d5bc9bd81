import {
  parseAnswer,
  redactReason,
  type SequencerCallOptions,
  type SequencerRequest,
  sendRequest,
} from '../calls/send-request.ts';
import type { WebhookAnswer } from './types.ts';

export interface WebhookCall extends SequencerRequest {
  token: string;
  /** Statuses that are a success for the caller too, such as 404 of a removal. */
  accepts?: readonly number[];
  /** What the refusal with this status means. Default: the platform's own words. */
  refusals?: Readonly<Record<number, string>>;
}

export interface CallBody {
  httpStatus: number;
  /** Undefined when the answer is not JSON. */
  body: unknown;
  isEmpty: boolean;
}

/** Sends one request about webhooks and interprets its answer. Never rejects. */
export async function callAboutWebhooks(
  options: SequencerCallOptions,
  call: WebhookCall,
): Promise<WebhookAnswer<CallBody>> {
  const { platform, token, accepts = [], refusals = {}, ...request } = call;
  const sent = await sendRequest(options, { platform, ...request });
  if (sent.status === 'failed') return failed(sent.message, true);
  const { httpStatus, text } = sent;
  const { body, isRefusal, reason } = parseAnswer(text);
  const isSuccess = (httpStatus >= 200 && httpStatus < 300 && !isRefusal) || accepts.includes(httpStatus);
  if (isSuccess) return { status: 'success', value: { httpStatus, body, isEmpty: text === '' } };
  if (httpStatus === 429) return failed(`${platform} asks to wait (429)`, true);
  if (httpStatus === 408 || httpStatus >= 500) return failed(`${platform} is not available (${httpStatus})`, true);
  if (httpStatus === 401 || httpStatus === 403) {
    return failed(
      `${platform} refused the API key (${httpStatus}): store a valid one that may manage webhooks (svc-server sequencer-keys set-token)`,
      false,
    );
  }
  const known = refusals[httpStatus];
  if (known !== undefined) return failed(known, false);
  const said = redactReason(token, reason);
  return failed(`${platform} refused the call (${httpStatus})${said === '' ? '' : `: ${said}`}`, false);
}

export function failed(message: string, isTemporary: boolean): Extract<WebhookAnswer<never>, { status: 'error' }> {
  return { status: 'error', failure: { message, isTemporary } };
}

export function success<Value>(value: Value): WebhookAnswer<Value> {
  return { status: 'success', value };
}

/** An answer that is no list must never count as an empty one, or a second webhook would be made. */
export function notUnderstood(platform: string): Extract<WebhookAnswer<never>, { status: 'error' }> {
  return failed(`${platform} gave an answer that this release does not understand`, false);
}

/** Returns the fields of an object; none for anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** Returns an id or name as text; null for anything else. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.flatMap((item) => textOf(item) ?? []) : [];
}

/** Returns the id of a new webhook, or the failure to find it in the answer. */
export function idFrom(platform: string, value: unknown): WebhookAnswer<string> {
  const id = textOf(value);
  return id === null ? notUnderstood(platform) : success(id);
}

/** Returns the answer without its value. */
export function done(answer: WebhookAnswer<unknown>): WebhookAnswer<null> {
  return answer.status === 'error' ? answer : success(null);
}
