import type { Answer } from '../http/answer.ts';
import type { Refusal } from './answer.ts';
import type { Json } from './requests.ts';

/** The answer to a batch: 200, or 207 with one error per refused input. */

/** @param context names the refused input */
export function toBatchError(refusal: Refusal, context: Readonly<Record<string, readonly string[]>>): Json {
  const { category = 'VALIDATION_ERROR', context: details, errors = [], ...rest } = refusal.extras;
  return {
    status: 'error',
    category,
    message: refusal.message,
    context: { ...details, ...context },
    errors,
    links: {},
    ...rest,
  };
}

export function toBatchAnswer(
  results: readonly Json[],
  errors: readonly Json[],
  startedAt: string,
  now: () => Date,
  status = 200,
): Answer {
  const body = { status: 'COMPLETE', results, startedAt, completedAt: now().toISOString() };
  return errors.length === 0 ? { status, body } : { status: 207, body: { ...body, numErrors: errors.length, errors } };
}
