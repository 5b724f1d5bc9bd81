import { WebhookRequestError, WebhookVerificationError } from './errors.ts';

/** The answer to the service. */
export interface WebhookAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** One line of text, without secrets. */
  readonly body: string;
}

const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8' };

export const ANSWERS = {
  ok: answer(200, 'ok'),
  duplicate: answer(200, 'duplicate'),
  handlerFailed: answer(500, 'handler_failed'),
  storeFailed: answer(500, 'store_failed'),
  inProgress: answer(503, 'in_progress'),
};

/** Returns the answer to a delivery that was refused for this error. */
export function toRefusal(error: unknown): WebhookAnswer {
  if (error instanceof WebhookVerificationError) return answer(400, error.reason);
  if (!(error instanceof WebhookRequestError)) return answer(500, 'internal_error');
  if (error.reason === 'method_not_allowed') return answer(405, error.reason, { Allow: 'POST' });
  // The advice is for the developer who reads the service's log of deliveries.
  return answer(
    error.status,
    error.reason === 'body_already_parsed' ? `${error.reason}: ${error.message}` : error.reason,
  );
}

function answer(status: number, body: string, headers: Readonly<Record<string, string>> = {}): WebhookAnswer {
  return { status, headers: { ...PLAIN, ...headers }, body };
}
