/** What a fault makes of a call. */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import {
  ApiError,
  type ApiErrorStatus,
  invalidApiKey,
  isApiErrorStatus,
  REASON_PHRASES,
} from '@svc/domain/errors/errors';
import type { FaultEffect } from '../state/fault.ts';
import { toErrorReply } from './answers.ts';
import type { MockAnswer, Outcome, Reply } from './call.ts';

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

/** In the form and the words of the service's own errors (specification, "Errors"), unless the fault has a body. */
function toReply({ status, body, retryAfterSeconds }: Extract<FaultEffect, { kind: 'status' }>): Reply {
  const reply = isApiErrorStatus(status)
    ? toErrorReply(errorOf(status, retryAfterSeconds))
    : foreignReply(status, retryAfterSeconds);
  return body === undefined ? reply : { ...reply, json: body };
}

/** Seconds that a 429 asks to wait when the fault does not say. */
const RETRY_AFTER_SECONDS = 1;

function errorOf(status: ApiErrorStatus, retryAfterSeconds: number | undefined): ApiError {
  switch (status) {
    case 401:
      return invalidApiKey();
    case 429:
      return new ApiError(429, OWN_MESSAGES.tooManyRequests, {
        retryAfterSeconds: retryAfterSeconds ?? RETRY_AFTER_SECONDS,
      });
    default: {
      const message = status === 500 ? OWN_MESSAGES.internalServerError : REASON_PHRASES[status];
      return new ApiError(status, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
    }
  }
}

/** Of statuses that the service does not answer, but what stands in front of it may. */
const FOREIGN_REASON_PHRASES: Readonly<Record<number, string>> = {
  408: 'Request Timeout',
  502: 'Bad Gateway',
  504: 'Gateway Timeout',
};

function foreignReply(status: number, retryAfterSeconds: number | undefined): Reply {
  const error = FOREIGN_REASON_PHRASES[status] ?? 'Error';
  return {
    status,
    json: { statusCode: status, message: error, error },
    headers: retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) },
  };
}
