/** Applies the effect of a fault to a call. */
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

export interface CallActions {
  /** Makes the call, which may change the world, and returns its answer. */
  readonly serve: () => MockAnswer;
  /** Returns an answer without making the call. */
  readonly reply: (reply: Reply) => MockAnswer;
}

/**
 * Makes the call, unless the fault prevents it, and returns how it ends.
 * @param delayMs latency of the world, to which the fault's is added
 */
export function callWithFault(effect: FaultEffect | null, delayMs: number, { serve, reply }: CallActions): Outcome {
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
      // At least the last byte is left out.
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

/** Returns the service's own error (`ErrorBody` in the contract), unless the fault has a body. */
function toReply({ status, body, retryAfterSeconds }: Extract<FaultEffect, { kind: 'status' }>): Reply {
  const reply = isApiErrorStatus(status)
    ? toErrorReply(errorOf(status, retryAfterSeconds))
    : foreignReply(status, retryAfterSeconds);
  return body === undefined ? reply : { ...reply, json: body };
}

/** `Retry-After` of a 429 whose fault has none. */
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

/** Reason phrases of statuses that only a proxy in front of the service answers. */
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
