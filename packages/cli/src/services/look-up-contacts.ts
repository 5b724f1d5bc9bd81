import { type Client, ApiError, type ContactOutreachResponse, ServerError } from '@svc/sdk';
import { createHands } from './look-up-hands.ts';

/** Who is asked for. At least one of the two is there. */
export interface LookUpKey {
  readonly email: string | null;
  /** At most five, each once. */
  readonly profileUrls: readonly string[];
}

export const CHECK_RESULTS = ['contactable', 'blocked', 'invalid', 'no_identity', 'error'] as const;
export type CheckResult = (typeof CHECK_RESULTS)[number];

/** What a look-up came to. */
export interface LookUp<Answer> {
  readonly result: CheckResult;
  /** Why there is no answer. */
  readonly error: string | null;
  readonly answer: Answer | null;
}

/** Answers that are kept for contacts that come again: those asked for last. They take about 13 MB. */
const KEPT_MAX = 20_000;
/** Look-ups in a row that the service fails at: then it is not the contact. */
const SERVER_ERRORS_MAX = 5;
/** The service refuses what it cannot take for an identity, also by its length; no other contact is concerned. */
const REFUSED_STATUSES = [400, 413, 414, 431];

export interface LookUpOptions<Answer> {
  readonly client: Pick<Client, 'contacts'>;
  /** What is kept of an answer. */
  readonly pick: (answer: ContactOutreachResponse) => Answer;
  /** After each answer of the service. */
  readonly onAnswer?: () => void;
  readonly now?: (() => number) | undefined;
  readonly keptMax?: number;
}

export interface LookUps<Answer> {
  /** Rejects when it makes no sense to go on: with what was wrong first, also for those that were still on their way. */
  lookUp(key: LookUpKey): Promise<LookUp<Answer>>;
  /** Ends what is on its way. */
  stop(): void;
}

/**
 * Asks for each contact once. A contact that the service cannot take for one is `invalid`, one that it fails at is `error`, and
 * the others go on; anything else (the key, the limit after its retries, the network) ends all of it.
 */
export function createLookUps<Answer>(options: LookUpOptions<Answer>): LookUps<Answer> {
  const { client, pick, onAnswer, now = Date.now, keptMax = KEPT_MAX } = options;
  const hands = createHands(now);
  const stopping = new AbortController();
  const kept = new Map<string, Promise<LookUp<Answer>>>();
  let fatal: { readonly error: unknown } | null = null;
  let serverErrors = 0;

  async function ask({ email, profileUrls }: LookUpKey): Promise<LookUp<Answer>> {
    const params = { email: email ?? undefined, profileUrls: profileUrls.length === 0 ? undefined : profileUrls };
    try {
      const answer = await client.contacts.outreach(params, { signal: stopping.signal });
      serverErrors = 0;
      return { result: answer.doNotContact.value ? 'blocked' : 'contactable', error: null, answer: pick(answer) };
    } catch (error) {
      if (fatal !== null) throw fatal.error;
      const result = resultOf(error);
      serverErrors = result === 'error' ? serverErrors + 1 : 0;
      if (result !== null && error instanceof ApiError && serverErrors < SERVER_ERRORS_MAX) {
        return { result, error: error.message, answer: null };
      }
      fatal = { error };
      stopping.abort();
      throw error;
    } finally {
      onAnswer?.();
    }
  }
  /** A contact that comes again is the newest of those that are kept. */
  function keep(name: string, found: Promise<LookUp<Answer>>): void {
    kept.delete(name);
    kept.set(name, found);
    const oldest = kept.keys().next();
    if (kept.size > keptMax && oldest.done !== true) kept.delete(oldest.value);
  }
  return {
    async lookUp(key) {
      const name = nameOf(key);
      const found = kept.get(name) ?? hands.run(() => ask(key));
      keep(name, found);
      const outcome = await found;
      // The next one may have more luck.
      if (outcome.result === 'error' && kept.get(name) === found) kept.delete(name);
      return outcome;
    },
    stop: () => stopping.abort(),
  };
}

/** Null when no other contact would fare better. */
function resultOf(error: unknown): 'invalid' | 'error' | null {
  if (error instanceof ServerError) return 'error';
  return error instanceof ApiError && REFUSED_STATUSES.includes(error.status) ? 'invalid' : null;
}

/** The same for two spellings of a contact, as far as the service compares them without regard to case and order. */
function nameOf({ email, profileUrls }: LookUpKey): string {
  return [(email ?? '').toLowerCase(), ...profileUrls.map((url) => url.toLowerCase()).toSorted()].join('\n');
}
