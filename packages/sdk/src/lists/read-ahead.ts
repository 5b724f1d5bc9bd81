/**
 * Returns a signal that fires with the caller's own, and when the list is no longer read.
 *
 * @param signal the caller's signal, the same at each call
 */
export type Stop = (signal: AbortSignal | undefined) => AbortSignal;

/** Yields pages and fetches the next one meanwhile. Its request is aborted when the loop ends. */
export async function* readAhead<Page>(
  open: (stop: Stop) => AsyncGenerator<Page, void, undefined>,
): AsyncGenerator<Page, void, undefined> {
  const controller = new AbortController();
  let followed: AbortSignal | undefined;
  const onAbort = () => controller.abort(followed?.reason);
  const pages = open((signal) => {
    followed = signal;
    if (signal?.aborted) onAbort();
    // Adding the same listener again has no effect.
    signal?.addEventListener('abort', onAbort);
    return controller.signal;
  });
  let next = pages.next();
  try {
    for (;;) {
      const step = await next;
      if (step.done) return;
      next = pages.next();
      // Prevents an unhandled rejection; the error is rethrown when this page is awaited.
      next.catch(() => {});
      yield step.value;
    }
  } finally {
    followed?.removeEventListener('abort', onAbort);
    // A request left running would keep the process alive.
    controller.abort();
    pages.return().catch(() => {});
  }
}
