/**
 * What the answer of a channel means.
 *
 * 1. A 2xx status is success. Teams is an exception: it may answer 200 with a text that names the real error.
 * 2. 429 is tried again after the time that the answer says, and not before the schedule of webhook deliveries.
 * 3. No answer, 408, 425 and 5xx are tried again by that schedule.
 * 4. Any other status of Slack, Teams or Discord is final: the webhook was deleted, or refuses the message, and would again.
 * 5. Signed JSON follows the rules of webhook deliveries: 404 and 413 are final, and 410 too.
 */
import { retryDelayMs } from '../webhooks/webhook-delivery.ts';
import type { ChannelKind } from './alert.ts';

export interface ChannelAnswer {
  /** Null when no answer came. */
  readonly status: number | null;
  /** Why no answer came. */
  readonly error?: string;
  /** The header `Retry-After`. */
  readonly retryAfter?: string | null;
  readonly body?: string;
}

export type AlertVerdict =
  | { readonly result: 'sent' }
  | { readonly result: 'failed'; readonly error: string }
  | { readonly result: 'retry'; readonly error: string; readonly waitMs: number };

const TEAMS_ERROR = /endpoint returned HTTP error (\d{3})/;
const FINAL_OF_WEBHOOK: readonly number[] = [404, 410, 413];
const RETRIED: readonly number[] = [408, 425, 429];
/** Longer waits would hide an alert for too long. */
const WAIT_MAX_MS = 60 * 60_000;

export function judgeAnswer(kind: ChannelKind, answer: ChannelAnswer): AlertVerdict {
  const { body = '' } = answer;
  if (answer.status === null) return { result: 'retry', error: answer.error ?? 'No answer came', waitMs: 0 };
  const named = kind === 'teams' ? TEAMS_ERROR.exec(body)?.[1] : undefined;
  const status = named === undefined ? answer.status : Number(named);
  if (status >= 200 && status <= 299) return { result: 'sent' };
  const reason = kind === 'webhook' ? null : readReason(body);
  const error = `HTTP ${status}${reason === null ? '' : `: ${reason}`}`;
  const isRetried =
    status >= 500 || RETRIED.includes(status) || (kind === 'webhook' && !FINAL_OF_WEBHOOK.includes(status));
  return isRetried ? { result: 'retry', error, waitMs: waitOf(answer) } : { result: 'failed', error };
}

/**
 * Returns when an alert is sent again; null when its attempts are used up.
 *
 * @param attemptCount attempts made, the failed one included
 * @param verdict.waitMs how long the channel asks to wait
 */
export function nextAlertAttempt(
  { waitMs }: { readonly waitMs: number },
  { attemptCount, jitterMs, at }: { attemptCount: number; jitterMs: number; at: Date },
): Date | null {
  const delayMs = retryDelayMs(attemptCount, jitterMs);
  return delayMs === null ? null : new Date(at.getTime() + Math.max(delayMs, waitMs));
}

/** The documented codes of Slack are one word; Discord answers JSON. Other texts are not repeated: they may have the URL. */
function readReason(body: string): string | null {
  if (/^[a-z_]{1,60}$/.test(body)) return body;
  const { code } = readJson(body);
  return typeof code === 'number' ? `code ${code}` : null;
}

/** Slack and Teams send seconds in the header, Discord also in the body. */
function waitOf({ retryAfter, body = '' }: ChannelAnswer): number {
  const header = /^\d+(?:\.\d+)?$/.test(retryAfter ?? '') ? Number(retryAfter) : 0;
  const { retry_after: inBody } = readJson(body);
  const seconds = Math.max(header, typeof inBody === 'number' && inBody > 0 ? inBody : 0);
  return Math.min(Math.ceil(seconds * 1_000), WAIT_MAX_MS);
}

function readJson(body: string): Partial<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
