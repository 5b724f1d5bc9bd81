/** Look-ups of many contacts (specification, "Contact outreach"), as many at the same time as the limit lets through. */
import type { ContactOutreachResponse } from '@svc/contract/types';
import type { CallContext } from '../calls/call.ts';
import type * as errors from '../errors/errors.ts';
import type { CallOptions } from '../http/fetch.ts';
import { createConcurrencyLimit } from './concurrency-limit.ts';

/** At least one of the two. */
export interface OutreachParams {
  email?: string | undefined;
  /** Social profile URLs of the same contact, at most five. */
  profileUrls?: readonly string[] | undefined;
}

/** What a look-up came to: the answer, or why there is none for this contact. */
export type OutreachOutcome<Contact> =
  | { readonly contact: Contact; readonly answer: ContactOutreachResponse; readonly error: null }
  | { readonly contact: Contact; readonly answer: null; readonly error: errors.ApiError };

export interface OutreachManyTools {
  readonly contacts: { outreach(params: OutreachParams, options: CallOptions): Promise<ContactOutreachResponse> };
  readonly now: CallContext['now'];
  readonly errors: Pick<typeof errors, 'AbortError' | 'ApiError'>;
}

/** Contacts that were taken and not handed out yet, at most: one that takes long does not hold up those behind it at once. */
const AHEAD_MAX = 64;
/** Look-ups in a row that the service fails at: then it is not the contact. */
const SERVER_ERRORS_MAX = 5;
/** The service refuses what it cannot take for an identity, also by its length; no other contact is concerned. */
const REFUSED_STATUSES = [400, 413, 414, 431];

/** @param tools handed over, so that this file shares nothing with the core and can be loaded by itself */
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
      // Those that were on their way end with what was wrong first.
      if (fatal !== null) throw fatal.error;
      const isApiError = error instanceof errors.ApiError;
      const isServerError = isApiError && error.status >= 500;
      serverErrors = isServerError ? serverErrors + 1 : 0;
      const isOfContact = isServerError ? serverErrors < SERVER_ERRORS_MAX : isApiError && isRefused(error.status);
      if (isApiError && isOfContact) return { contact, answer: null, error };
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
    else ahead.push(handled(limit.run(() => lookUp(step.value))));
  }
  try {
    for (;;) {
      if (!isRead && reading === null && ahead.length < AHEAD_MAX) reading = handled(readNext());
      const [oldest] = ahead;
      if (oldest === undefined && reading === null) return;
      const next = [oldest, reading].filter((each) => each !== null && each !== undefined);
      // A promise of its own for each wait: one for all of them would keep every outcome in memory.
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
    // Not waited for: a source that is being read answers only when that is done.
    if (!isRead) void handled(Promise.resolve(iterator.return?.()));
  }
}

function isRefused(status: number): boolean {
  return REFUSED_STATUSES.includes(status);
}

/** Its failure is thrown where it is waited for, and is no unhandled rejection before. */
function handled<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {});
  return promise;
}
