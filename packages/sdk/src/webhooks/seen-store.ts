import { ConfigurationError } from '../errors/errors.ts';

/**
 * What became of a claim. `claimed`: it is yours, end it with `complete` or `release`. `done`: the event was handled before.
 * `busy`: somebody else is at it.
 */
export type SeenClaim = 'claimed' | 'done' | 'busy';

/**
 * Remembers which events were handled, by event id, so that a delivery that comes again is not handled again (specification,
 * "Events", delivery rules 2 and 5). A claim is not yet "handled": else an event whose handler dies would be lost. Promises are
 * waited for.
 *
 * A store that several processes share should let claims lapse after the longest time that handling can take, and keep what
 * is done for a few days. With Redis: `SET id busy NX EX 60`, and when that fails `GET id`; `SET id done EX 604800`; `DEL id`.
 */
export interface SeenStore {
  /** Must be atomic: of two calls at once for one id, one gets `claimed`. */
  claim(eventId: string): SeenClaim | Promise<SeenClaim>;
  /** The event was handled. */
  complete(eventId: string): unknown;
  /** Handling failed: the next claim gets it. */
  release(eventId: string): unknown;
}

/** How much a store in memory remembers. */
export interface MemorySeenStoreOptions {
  /** Ids kept at most; the one that was handled first goes first. Default 10,000. */
  readonly maxIds?: number | undefined;
  /** How long an id is kept, in milliseconds. Default 24 hours; the service itself retries for about two. */
  readonly ttlMs?: number | undefined;
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

const DAY_MS = 86_400_000;

/**
 * For a single process that may forget at a restart. What is being handled is neither forgotten nor counted.
 *
 * @throws ConfigurationError when a bound is not a positive number
 */
export function createMemorySeenStore(options: MemorySeenStoreOptions = {}): SeenStore {
  const { maxIds = 10_000, ttlMs = DAY_MS, now = Date.now } = options;
  if (!(maxIds >= 1)) throw new ConfigurationError('maxIds must be 1 or more');
  if (!(ttlMs > 0)) throw new ConfigurationError('ttlMs must be more than 0');
  const busy = new Set<string>();
  /** By the time they were done, earliest first. */
  const doneAtMs = new Map<string, number>();

  function forget(): void {
    const limitMs = now() - ttlMs;
    for (const [id, atMs] of doneAtMs) {
      if (doneAtMs.size <= maxIds && atMs > limitMs) return;
      doneAtMs.delete(id);
    }
  }

  return {
    claim(eventId) {
      forget();
      if (doneAtMs.has(eventId)) return 'done';
      if (busy.has(eventId)) return 'busy';
      busy.add(eventId);
      return 'claimed';
    },
    complete(eventId) {
      busy.delete(eventId);
      doneAtMs.set(eventId, now());
      forget();
    },
    release(eventId) {
      busy.delete(eventId);
    },
  };
}
