import { createHash } from 'node:crypto';

/**
 * A cache per CRM account, shared by concurrent writes: the first one loads, the others wait for its result. Failures
 * are not cached. Beyond 10,000 entries the oldest is removed. In memory only.
 */
export class AccountCache<T> {
  readonly #entries = new Map<string, { value: Promise<T>; expiresAt: number }>();
  readonly #ttlMs: number;
  readonly #now: () => Date;

  constructor(options: { ttlMs: number; now: () => Date }) {
    this.#ttlMs = options.ttlMs;
    this.#now = options.now;
  }

  get(key: string, load: () => Promise<T>): Promise<T> {
    const now = this.#now().getTime();
    const known = this.#entries.get(key);
    if (known !== undefined && known.expiresAt > now) return known.value;
    const value = load();
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresAt: now + this.#ttlMs });
    if (this.#entries.size > ENTRIES_MAX) this.#dropOldest();
    value.catch(() => {
      if (this.#entries.get(key)?.value === value) this.#entries.delete(key);
    });
    return value;
  }

  set(key: string, value: T): void {
    this.#entries.set(key, { value: Promise.resolve(value), expiresAt: this.#now().getTime() + this.#ttlMs });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  #dropOldest(): void {
    for (const key of this.#entries.keys()) {
      this.#entries.delete(key);
      return;
    }
  }
}

const ENTRIES_MAX = 10_000;

/** Returns a key for an account that does not contain its token. */
export function toAccountKey(organizationId: string, accessToken: string): string {
  return createHash('sha256')
    .update(JSON.stringify([organizationId, accessToken]))
    .digest('hex');
}
