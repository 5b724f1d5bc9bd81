/** What runs in a client until it is closed. */
import { AbortError } from '../errors/errors.ts';

export interface Lifetime {
  isClosed: boolean;
  readonly calls: Set<Promise<unknown>>;
  /** End the requests and waits of these calls. */
  readonly stops: Set<(reason: unknown) => void>;
}

export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export const CLOSED = 'The client was closed';

export function createLifetime(): Lifetime {
  return { isClosed: false, calls: new Set(), stops: new Set() };
}

/** Counts a call among those that `close` waits for, until it has ended. */
export function track({ calls }: Lifetime, call: Promise<unknown>): void {
  const forget = () => calls.delete(call);
  calls.add(call);
  call.then(forget, forget);
}

/**
 * Calls `stop` when the signal fires or the client is closed.
 *
 * @returns a function that ends this
 */
export function onStop(
  { stops }: Lifetime,
  signal: AbortSignal | undefined,
  stop: (reason: unknown) => void,
): () => void {
  const onAbort = () => stop(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  stops.add(stop);
  return () => {
    signal?.removeEventListener('abort', onAbort);
    stops.delete(stop);
  };
}

/** Throws when the signal has fired or the client is closed. */
export function throwIfStopped({ isClosed }: Lifetime, signal: AbortSignal | undefined): void {
  signal?.throwIfAborted();
  if (isClosed) throw new AbortError(CLOSED);
}

/** Returns a `sleep` that also ends when the client is closed. */
export function createSleep(lifetime: Lifetime, sleep: Sleep): Sleep {
  return async (ms, signal) => {
    throwIfStopped(lifetime, signal);
    const controller = new AbortController();
    const end = onStop(lifetime, signal, (reason) => controller.abort(reason));
    try {
      await sleep(ms, controller.signal);
    } finally {
      end();
    }
  };
}

/** Returns `close` of a client. */
export function createClose(lifetime: Lifetime): () => Promise<void> {
  return async () => {
    lifetime.isClosed = true;
    for (const stop of lifetime.stops) stop(new AbortError(CLOSED));
    await Promise.allSettled(lifetime.calls);
  };
}
