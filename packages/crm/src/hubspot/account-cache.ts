import { createHash } from 'node:crypto';

/**
 * What was learned about CRM accounts, shared by concurrent writes: the first asks, the others wait for its answer.
 * A failed look-up is not remembered. Bounded: the oldest entry leaves first. In memory only, so that a restart asks anew.
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

  forget(key: string): void {
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

/** Names an account by its token without keeping the token. */
export function toAccountKey(organizationId: string, accessToken: string): string {
  return createHash('sha256')
    .update(JSON.stringify([organizationId, accessToken]))
    .digest('hex');
}
