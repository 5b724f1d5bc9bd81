import { type Client, type ContactOutreachResponse, type OutreachOutcome, ServerError } from '@svc/sdk';

/** A contact to look up. At least one of the two is set. */
export interface LookUpKey {
  readonly email: string | null;
  /** At most five, without repeats. */
  readonly profileUrls: readonly string[];
}

export const CHECK_RESULTS = ['contactable', 'blocked', 'invalid', 'no_identity', 'error'] as const;
export type CheckResult = (typeof CHECK_RESULTS)[number];

/** The result of a look-up. */
export interface LookUp<Answer> {
  readonly result: CheckResult;
  /** Why there is no answer. */
  readonly error: string | null;
  readonly answer: Answer | null;
}

/** Number of cached results, the most recently used. They need about 13 MB. */
const KEPT_MAX = 20_000;
export interface LookUpOptions<Answer> {
  readonly client: Pick<Client, 'contacts'>;
  /** Returns the part of an answer that is cached. */
  readonly pick: (answer: ContactOutreachResponse) => Answer;
  /** Called after each answer of the service. */
  readonly onAnswer?: () => void;
  readonly keptMax?: number;
}

export interface LookUps<Answer> {
  /** Rejects all look-ups with the first fatal error. */
  lookUp(key: LookUpKey): Promise<LookUp<Answer>>;
  /** Ends running look-ups. */
  stop(): void;
}

/** A contact in progress and its promise. */
interface PendingLookUp<Answer> {
  readonly email: string | undefined;
  readonly profileUrls: readonly string[] | undefined;
  readonly resolve: (found: LookUp<Answer>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Looks up each contact once. A contact that the service refuses is `invalid`, one for which it fails is `error`; other
 * failures (key, rate limit after retries, network) end all look-ups.
 */
export function createLookUps<Answer>(options: LookUpOptions<Answer>): LookUps<Answer> {
  const { client, pick, onAnswer, keptMax = KEPT_MAX } = options;
  const stopping = new AbortController();
  const kept = new Map<string, Promise<LookUp<Answer>>>();
  const waiting = new Set<PendingLookUp<Answer>>();
  const queue = createQueue<PendingLookUp<Answer>>();
  let fatal: { readonly error: unknown } | null = null;

  async function processAll(): Promise<void> {
    try {
      for await (const outcome of client.contacts.outreachMany(queue, { signal: stopping.signal })) {
        onAnswer?.();
        outcome.contact.resolve(toLookUp(outcome, pick));
        // Only now, so that this one is rejected too if `pick` throws.
        waiting.delete(outcome.contact);
      }
    } catch (error) {
      fatal = { error };
      for (const { reject } of waiting) reject(error);
      onAnswer?.();
    }
  }
  function enqueue({ email, profileUrls }: LookUpKey): Promise<LookUp<Answer>> {
    return new Promise((resolve, reject) => {
      if (fatal !== null) return reject(fatal.error);
      const pending: PendingLookUp<Answer> = {
        email: email ?? undefined,
        profileUrls: profileUrls.length === 0 ? undefined : profileUrls,
        resolve,
        reject,
      };
      waiting.add(pending);
      queue.push(pending);
    });
  }
  /** Caches a result as the most recently used. */
  function keep(name: string, found: Promise<LookUp<Answer>>): void {
    kept.delete(name);
    kept.set(name, found);
    const oldest = kept.keys().next();
    if (kept.size > keptMax && oldest.done !== true) kept.delete(oldest.value);
  }
  void processAll();
  return {
    async lookUp(key) {
      const name = cacheKey(key);
      const found = kept.get(name) ?? enqueue(key);
      keep(name, found);
      const outcome = await found;
      // The next look-up of this contact may succeed.
      if (outcome.result === 'error' && kept.get(name) === found) kept.delete(name);
      return outcome;
    },
    stop() {
      queue.end();
      stopping.abort();
    },
  };
}

function toLookUp<Answer>(
  { answer, error }: OutreachOutcome<unknown>,
  pick: (answer: ContactOutreachResponse) => Answer,
): LookUp<Answer> {
  if (answer === null) {
    return { result: error instanceof ServerError ? 'error' : 'invalid', error: error.message, answer: null };
  }
  return { result: answer.doNotContact.value ? 'blocked' : 'contactable', error: null, answer: pick(answer) };
}

interface Queue<Item> extends AsyncIterable<Item> {
  push(item: Item): void;
  end(): void;
}

/** Creates an asynchronous queue. */
function createQueue<Item>(): Queue<Item> {
  const items: Item[] = [];
  let isEnded = false;
  let wake = () => {};
  return {
    push(item) {
      items.push(item);
      wake();
    },
    end() {
      isEnded = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const item = items.shift();
        if (item !== undefined) yield item;
        else if (isEnded) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

/** Returns the cache key, which ignores case and the order of URLs like the service. */
function cacheKey({ email, profileUrls }: LookUpKey): string {
  return [(email ?? '').toLowerCase(), ...profileUrls.map((url) => url.toLowerCase()).toSorted()].join('\n');
}
