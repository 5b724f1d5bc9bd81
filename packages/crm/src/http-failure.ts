import type { CrmError, CrmFailed } from './types.ts';

/** A call that did not do what it should, with what follows from it. Thrown inside a connector, never out of it. */
export class CrmFailure extends Error {
  override readonly name = 'CrmFailure';
  readonly error: CrmError;
  readonly consequence: Consequence;

  constructor(error: CrmError, consequence: Consequence) {
    super(error.message);
    this.error = error;
    this.consequence = consequence;
  }

  /** The CRM understood and said no: asking again gives the same answer. */
  get isRefusal(): boolean {
    return this.consequence.retry === 'never' && !this.consequence.disconnected;
  }

  toOutcome(): CrmFailed {
    return { status: 'error', error: this.error, ...this.consequence };
  }
}

export type Consequence = Omit<CrmFailed, 'status' | 'error'>;

export const NEVER: Consequence = { retry: 'never', disconnected: false };
export const RETRY: Consequence = { retry: { afterMs: null }, disconnected: false };

/** Longest wait of one job alone; anything longer is a cooldown of the whole connection (see the server's `crm-cooldown.ts`). */
export const RETRY_AFTER_INLINE_MAX_MS = 60_000;
/** A `Retry-After` of a year is a mistake: no connection rests longer than a day on one answer's word. */
export const COOLDOWN_MAX_MS = 24 * 60 * 60 * 1000;

/** Retry after a wait that is known; a long one is a cooldown of the connection. */
export function retryAfter(waitMs: number, nowMs: number): Consequence {
  const afterMs = Math.min(Math.max(0, Math.ceil(waitMs)), COOLDOWN_MAX_MS);
  const retry = { retry: { afterMs }, disconnected: false };
  return afterMs > RETRY_AFTER_INLINE_MAX_MS ? { ...retry, cooldownUntilMs: nowMs + afterMs } : retry;
}
