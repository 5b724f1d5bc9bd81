import type { CrmError, CrmFailed } from '../port/types.ts';

/** A failed call and its consequence. Thrown only inside a connector. */
export class CrmFailure extends Error {
  override readonly name = 'CrmFailure';
  readonly error: CrmError;
  readonly consequence: Consequence;

  constructor(error: CrmError, consequence: Consequence) {
    super(error.message);
    this.error = error;
    this.consequence = consequence;
  }

  /** The CRM refused the content: a retry would give the same answer. */
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
/** The CRM as a whole does not work. */
export const UNAVAILABLE: Consequence = { ...RETRY, isUnavailable: true };

/**
 * Longest wait inside one job; a longer one is a cooldown of the whole connection (see the server's `crm-cooldown.ts`).
 */
export const RETRY_AFTER_INLINE_MAX_MS = 60_000;
/** Longest cooldown from one answer; a `Retry-After` of a year is a mistake. */
export const COOLDOWN_MAX_MS = 24 * 60 * 60 * 1000;

/** Returns a retry after a known wait; a long one is a cooldown of the connection. */
export function retryAfter(waitMs: number, nowMs: number): Consequence {
  const afterMs = Math.min(Math.max(0, Math.ceil(waitMs)), COOLDOWN_MAX_MS);
  const retry = { retry: { afterMs }, disconnected: false };
  return afterMs > RETRY_AFTER_INLINE_MAX_MS ? { ...retry, cooldownUntilMs: nowMs + afterMs } : retry;
}

/** Returns the failure that a connector has caught. @param doing completes "Unexpected failure ..." */
export function asFailure(error: unknown, doing: string): CrmFailure {
  if (error instanceof CrmFailure) return error;
  // An internal failure. Its text may contain anything, so only its kind is reported.
  const kind = error instanceof Error ? error.name : typeof error;
  return new CrmFailure(
    { code: 'internal', message: `Unexpected failure ${doing} (${kind})`, httpStatus: null },
    NEVER,
  );
}

/** Returns the outcome of whatever a connector has caught. @param doing completes "Unexpected failure ..." */
export function toFailed(error: unknown, doing: string): CrmFailed {
  return asFailure(error, doing).toOutcome();
}
