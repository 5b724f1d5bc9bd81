import { ConfigurationError } from '../errors/errors.ts';

/**
 * Result of a claim. `claimed`: the event is yours until you call `complete` or `release`. `done`: the event was handled before.
 * `busy`: another delivery is handling it.
 */
export type SeenClaim = 'claimed' | 'done' | 'busy';

/**
 * Remembers the ids of handled events, so that repeated deliveries are ignored (README.md#repeats). A
 * claimed event is not handled yet; otherwise the event of a crashed process would be lost. Promises are awaited.
 *
 * A store that several processes share should let claims expire after the longest time that handling takes, and keep handled ids
 * for a few days. With Redis: `SET id busy NX EX 60`, and when that fails `GET id`; `SET id done EX 604800`; `DEL id`.
 */
export interface SeenStore {
  /** Claims an event. Must be atomic: only one of two concurrent calls gets `claimed`. */
  claim(eventId: string): SeenClaim | Promise<SeenClaim>;
  /** Marks the event as handled. */
  complete(eventId: string): unknown;
  /** Gives the claim up after a failure, so that the event can be claimed again. */
  release(eventId: string): unknown;
}

/** Options of `createMemorySeenStore`. */
export interface MemorySeenStoreOptions {
  /** Largest number of ids to keep; the id handled first is forgotten first. Default 10,000. */
  readonly maxIds?: number | undefined;
  /** How long an id is kept, in milliseconds. Default 86,400,000 (24 hours); the service retries for about two hours. */
  readonly ttlMs?: number | undefined;
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

const DAY_MS = 86_400_000;

/**
 * Creates a store in memory, for a single process. It forgets everything at a restart. Claimed events do not count towards `maxIds`.
 *
 * @throws ConfigurationError when an option is not a positive number
 */
export function createMemorySeenStore(options: MemorySeenStoreOptions = {}): SeenStore {
  const { maxIds = 10_000, ttlMs = DAY_MS, now = Date.now } = options;
  if (!(maxIds >= 1)) throw new ConfigurationError('maxIds must be 1 or more');
  if (!(ttlMs > 0)) throw new ConfigurationError('ttlMs must be more than 0');
  const busy = new Set<string>();
  /** Time of completion by id, earliest first. */
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
