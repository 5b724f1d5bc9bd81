import type { SignatureProblem } from '@svc/domain/webhooks/webhook-signature';
import { SvcError } from '../errors/errors.ts';

/**
 * Why a delivery was refused.
 *
 * - `missing_header`, `malformed_header`: there is no signature that could be judged.
 * - `payload_not_raw`: a parsed body was passed instead of the bytes.
 * - `no_match`: signed by somebody else, or changed on the way.
 * - `timestamp_too_old`, `timestamp_in_future`: genuine, but outside the tolerance.
 * - `byte_order_mark`, `invalid_utf8`, `invalid_json`, `not_an_event`: genuine and recent, but not what the service sends.
 */
export type WebhookProblem = SignatureProblem | 'byte_order_mark' | 'invalid_utf8' | 'invalid_json' | 'not_an_event';

export interface WebhookVerificationErrorDetails {
  reason: WebhookProblem;
  hint?: string | null;
  cause?: unknown;
}

/** A delivery that must not be acted upon. Nothing of it holds a secret; `message` and `hint` are for your log, not for the sender. */
export class WebhookVerificationError extends SvcError {
  override readonly name = 'WebhookVerificationError';
  readonly reason: WebhookProblem;
  /** What to look at in the receiver's own code or settings, where something is known; part of the message too. */
  readonly hint: string | null;

  constructor(message: string, { reason, hint = null, ...rest }: WebhookVerificationErrorDetails) {
    super(hint === null ? message : `${message} ${hint}`, rest);
    this.reason = reason;
    this.hint = hint;
  }
}

/**
 * Why a request was refused before its signature was looked at.
 *
 * - `method_not_allowed`: not a POST.
 * - `body_too_large`: more than `maxBodyBytes`.
 * - `body_incomplete`: the connection broke off.
 * - `body_already_parsed`: a body parser of the application left nothing of the bytes.
 */
export type WebhookRequestProblem = 'method_not_allowed' | 'body_too_large' | 'body_incomplete' | 'body_already_parsed';

/** A request that a receiver could not take; handed to `onError`. */
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
  // Ours to mend, and the service shall try again once it is.
  body_already_parsed: 500,
};
