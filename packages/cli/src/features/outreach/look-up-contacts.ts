import { type Client, type ContactOutreachResponse, type OutreachOutcome, ServerError } from '@svc/sdk';

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
export interface LookUpOptions<Answer> {
  readonly client: Pick<Client, 'contacts'>;
  /** What is kept of an answer. */
  readonly pick: (answer: ContactOutreachResponse) => Answer;
  /** After each answer of the service. */
  readonly onAnswer?: () => void;
  readonly keptMax?: number;
}

export interface LookUps<Answer> {
  /** Rejects when it makes no sense to go on: with what was wrong first, also for those that were still on their way. */
  lookUp(key: LookUpKey): Promise<LookUp<Answer>>;
  /** Ends what is on its way. */
  stop(): void;
}

/** A contact on its way through the SDK, with the caller that waits for it. */
interface Asked<Answer> {
  readonly email: string | undefined;
  readonly profileUrls: readonly string[] | undefined;
  readonly resolve: (found: LookUp<Answer>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Asks for each contact once. A contact that the service cannot take for one is `invalid`, one that it fails at is `error`, and
 * the others go on; anything else (the key, the limit after its retries, the network) ends all of it.
 */
export function createLookUps<Answer>(options: LookUpOptions<Answer>): LookUps<Answer> {
  const { client, pick, onAnswer, keptMax = KEPT_MAX } = options;
  const stopping = new AbortController();
  const kept = new Map<string, Promise<LookUp<Answer>>>();
  const waiting = new Set<Asked<Answer>>();
  const queue = createQueue<Asked<Answer>>();
  let fatal: { readonly error: unknown } | null = null;

  async function answerAll(): Promise<void> {
    try {
      for await (const outcome of client.contacts.outreachMany(queue, { signal: stopping.signal })) {
        onAnswer?.();
        outcome.contact.resolve(toLookUp(outcome, pick));
        // Not before: when `pick` throws, this one has to be rejected too.
        waiting.delete(outcome.contact);
      }
    } catch (error) {
      fatal = { error };
      for (const { reject } of waiting) reject(error);
      onAnswer?.();
    }
  }
  function ask({ email, profileUrls }: LookUpKey): Promise<LookUp<Answer>> {
    return new Promise((resolve, reject) => {
      if (fatal !== null) return reject(fatal.error);
      const asked: Asked<Answer> = {
        email: email ?? undefined,
        profileUrls: profileUrls.length === 0 ? undefined : profileUrls,
        resolve,
        reject,
      };
      waiting.add(asked);
      queue.push(asked);
    });
  }
  /** A contact that comes again is the newest of those that are kept. */
  function keep(name: string, found: Promise<LookUp<Answer>>): void {
    kept.delete(name);
    kept.set(name, found);
    const oldest = kept.keys().next();
    if (kept.size > keptMax && oldest.done !== true) kept.delete(oldest.value);
  }
  void answerAll();
  return {
    async lookUp(key) {
      const name = nameOf(key);
      const found = kept.get(name) ?? ask(key);
      keep(name, found);
      const outcome = await found;
      // The next one may have more luck.
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

/** What is pushed comes out in the same order; whoever reads waits for it. */
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

/** The same for two spellings of a contact, as far as the service compares them without regard to case and order. */
function nameOf({ email, profileUrls }: LookUpKey): string {
  return [(email ?? '').toLowerCase(), ...profileUrls.map((url) => url.toLowerCase()).toSorted()].join('\n');
}
