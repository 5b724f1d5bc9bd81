/** What a fault makes of a call. */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import type { MockAnswer, Outcome, Reply } from './call.ts';
import type { FaultEffect } from './faults.ts';

export interface Answering {
  /** Serves the call: it has its effects on the world, and an answer. */
  readonly serve: () => MockAnswer;
  /** Answers without serving it. */
  readonly reply: (reply: Reply) => MockAnswer;
}

/**
 * How the call ends.
 * @param delayMs what every answer of the world takes, beside the fault
 */
export function endCall(effect: FaultEffect | null, delayMs: number, { serve, reply }: Answering): Outcome {
  switch (effect?.kind) {
    case undefined:
      return { kind: 'answer', answer: serve(), delayMs };
    case 'latency':
      return { kind: 'answer', answer: serve(), delayMs: delayMs + effect.latencyMs };
    case 'status':
      return { kind: 'answer', answer: reply(toReply(effect)), delayMs };
    case 'truncate': {
      const answer = serve();
      const length = new TextEncoder().encode(answer.body).length;
      // At least the last byte is missing, or nothing would be broken off.
      const bytes = Math.max(0, Math.min(effect.bytes ?? Math.floor(length / 2), length - 1));
      return { kind: 'truncated', answer, bytes, delayMs };
    }
    case 'reset':
      if (effect.when === 'after') serve();
      return { kind: 'reset', delayMs };
    case 'hang':
      return { kind: 'hang' };
  }
}

/** In the form of the service's own errors (specification, "Errors"), unless the fault has a body. */
function toReply({ status, body, retryAfterSeconds }: Extract<FaultEffect, { kind: 'status' }>): Reply {
  const error = REASON_PHRASES[status] ?? 'Error';
  return {
    status,
    json: body === undefined ? { statusCode: status, message: MESSAGES[status] ?? error, error } : body,
    ...(retryAfterSeconds === undefined ? {} : { headers: { 'Retry-After': String(retryAfterSeconds) } }),
  };
}

const MESSAGES: Readonly<Record<number, string>> = {
  429: OWN_MESSAGES.tooManyRequests,
  500: OWN_MESSAGES.internalServerError,
};

/** Also of statuses that the service does not answer, but what stands in front of it may. */
const REASON_PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};
