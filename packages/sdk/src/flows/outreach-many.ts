/** Looks up many contacts concurrently, within the rate limit. */
import type { ContactOutreachResponse } from '@svc/contract/types';
import type { CallContext } from '../calls/call.ts';
import type * as errors from '../errors/errors.ts';
import type { CallOptions } from '../http/send-with-retries.ts';
import { createConcurrencyLimit } from './concurrency-limit.ts';

/** Identities of a contact. At least one is needed. */
export interface OutreachParams {
  email?: string | undefined;
  /** Social profile URLs of the same contact, at most five. */
  profileUrls?: readonly string[] | undefined;
}

/** The outcome of one look-up: an answer or an error. */
export type OutreachOutcome<Contact> =
  | { readonly contact: Contact; readonly answer: ContactOutreachResponse; readonly error: null }
  | { readonly contact: Contact; readonly answer: null; readonly error: errors.ApiError };

export interface OutreachManyTools {
  readonly contacts: { outreach(params: OutreachParams, options: CallOptions): Promise<ContactOutreachResponse> };
  readonly now: CallContext['now'];
  readonly errors: Pick<typeof errors, 'AbortError' | 'ApiError'>;
}

/** Largest number of contacts read ahead of the oldest pending one, so that a slow look-up does not block the next ones. */
const READ_AHEAD_MAX = 64;
/** Consecutive look-ups with a 5xx that show that the service, not the contact, is the cause. */
const SERVER_ERRORS_MAX = 5;
/** Statuses that concern this contact only: the service does not accept its identities, perhaps for their length. */
const REFUSED_STATUSES = [400, 413, 414, 431];

/** @param tools passed in, so that this file imports nothing of the core and can be loaded on demand */
export async function* outreachMany<Contact extends OutreachParams>(
  { contacts, now, errors }: OutreachManyTools,
  source: Iterable<Contact> | AsyncIterable<Contact>,
  options: CallOptions = {},
): AsyncGenerator<OutreachOutcome<Contact>, void, undefined> {
  const limit = createConcurrencyLimit(now);
  const stopping = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stopping.signal]) : stopping.signal;
  let fatal: { readonly error: unknown } | null = null;
  let serverErrors = 0;

  async function lookUp(contact: Contact): Promise<OutreachOutcome<Contact>> {
    try {
      const answer = await contacts.outreach(contact, { ...options, signal });
      serverErrors = 0;
      return { contact, answer, error: null };
    } catch (error) {
      // Requests in flight fail with the first fatal error.
      if (fatal !== null) throw fatal.error;
      const isApiError = error instanceof errors.ApiError;
      const isServerError = isApiError && error.status >= 500;
      serverErrors = isServerError ? serverErrors + 1 : 0;
      const concernsContact = isServerError ? serverErrors < SERVER_ERRORS_MAX : isApiError && isRefused(error.status);
      if (isApiError && concernsContact) return { contact, answer: null, error };
      fatal = { error };
      stopping.abort();
      throw error;
    }
  }

  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  const ahead: Promise<OutreachOutcome<Contact>>[] = [];
  let endWait = () => {};
  const onAbort = () => endWait();
  options.signal?.addEventListener('abort', onAbort);
  let reading: Promise<void> | null = null;
  let isRead = false;
  async function readNext(): Promise<void> {
    const step = await iterator.next();
    reading = null;
    if (step.done === true) isRead = true;
    else ahead.push(withHandledRejection(limit.run(() => lookUp(step.value))));
  }
  try {
    for (;;) {
      if (!isRead && reading === null && ahead.length < READ_AHEAD_MAX) reading = withHandledRejection(readNext());
      const [oldest] = ahead;
      if (oldest === undefined && reading === null) return;
      const next = [oldest, reading].filter((each) => each !== null && each !== undefined);
      // Each wait has its own promise: racing against a shared one would keep every outcome in memory.
      const outcome = await new Promise<OutreachOutcome<Contact> | void>((resolve, reject) => {
        endWait = () => reject(new errors.AbortError('The look-ups were aborted', { cause: options.signal?.reason }));
        if (options.signal?.aborted) endWait();
        Promise.race(next).then(resolve, reject);
      });
      if (outcome === undefined) continue;
      void ahead.shift();
      yield outcome;
    }
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
    stopping.abort();
    // Not awaited: a source that is being read returns only after that read.
    if (!isRead) void withHandledRejection(Promise.resolve(iterator.return?.()));
  }
}

function isRefused(status: number): boolean {
  return REFUSED_STATUSES.includes(status);
}

/** Prevents an unhandled rejection; the error is rethrown where the promise is awaited. */
function withHandledRejection<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {});
  return promise;
}
