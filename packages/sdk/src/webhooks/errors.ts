import type { SignatureProblem } from '@svc/domain/webhooks/webhook-signature';
import { SvcError } from '../errors/errors.ts';

/** What to do when a body parser ran before, in any framework. */
export const RAW_BODY_ADVICE =
  'Pass the raw body (bytes or string as received); how in Express, Fastify, Hono and Next.js: README of @svc/sdk, "Recipes".';

/**
 * Why a delivery was refused.
 *
 * - `missing_header`, `malformed_header`: there is no readable signature.
 * - `payload_not_raw`: a parsed body was passed instead of the bytes.
 * - `no_match`: the body was signed with another secret, or changed on the way.
 * - `timestamp_too_old`, `timestamp_in_future`: the signature is valid, but its time is outside the tolerance.
 * - `byte_order_mark`, `invalid_utf8`, `invalid_json`, `not_an_event`: the signature is valid, but the body is no event.
 */
export type WebhookProblem = SignatureProblem | 'byte_order_mark' | 'invalid_utf8' | 'invalid_json' | 'not_an_event';

export interface WebhookVerificationErrorDetails {
  reason: WebhookProblem;
  hint?: string | null;
  cause?: unknown;
}

/** A delivery must be ignored. The error holds no secret; `message` and `hint` are for your log, not for the sender. */
export class WebhookVerificationError extends SvcError {
  override readonly name = 'WebhookVerificationError';
  readonly reason: WebhookProblem;
  /** What to check in the receiver's code or settings, or null. Also part of the message. */
  readonly hint: string | null;

  constructor(message: string, { reason, hint = null, ...rest }: WebhookVerificationErrorDetails) {
    super(hint === null ? message : `${message} ${hint}`, rest);
    this.reason = reason;
    this.hint = hint;
  }
}

/**
 * Why a request was refused before its signature was checked.
 *
 * - `method_not_allowed`: not a POST.
 * - `body_too_large`: more than `maxBodyBytes`.
 * - `body_incomplete`: the connection broke off.
 * - `body_already_parsed`: a body parser of the application did not keep the bytes.
 */
export type WebhookRequestProblem = 'method_not_allowed' | 'body_too_large' | 'body_incomplete' | 'body_already_parsed';

/** A request that a receiver could not read; passed to `onError`. */
export class WebhookRequestError extends SvcError {
  override readonly name = 'WebhookRequestError';
  readonly reason: WebhookRequestProblem;
  /** HTTP status of the answer. */
  readonly status: number;

  constructor(message: string, { reason, ...rest }: { reason: WebhookRequestProblem; cause?: unknown }) {
    super(message, rest);
    this.reason = reason;
    this.status = STATUS_OF[reason];
  }
}

const STATUS_OF: Readonly<Record<WebhookRequestProblem, number>> = {
  method_not_allowed: 405,
  body_too_large: 413,
  body_incomplete: 400,
  // A fault of the receiver: after a 500 the service tries again.
  body_already_parsed: 500,
};
