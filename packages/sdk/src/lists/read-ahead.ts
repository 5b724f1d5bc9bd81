/**
 * A signal for the requests of a list that fires with the caller's own, and when nobody waits for the list any more.
 *
 * @param signal the caller's, the same each time
 */
export type Stop = (signal: AbortSignal | undefined) => AbortSignal;

/** The page after the one that was handed out is on its way already; one that is not wanted any more is ended. */
export async function* readAhead<Page>(
  open: (stop: Stop) => AsyncGenerator<Page, void, undefined>,
): AsyncGenerator<Page, void, undefined> {
  const controller = new AbortController();
  let followed: AbortSignal | undefined;
  const onAbort = () => controller.abort(followed?.reason);
  const pages = open((signal) => {
    followed = signal;
    if (signal?.aborted) onAbort();
    // Once, however often: it is the same listener.
    signal?.addEventListener('abort', onAbort);
    return controller.signal;
  });
  let next = pages.next();
  try {
    for (;;) {
      const step = await next;
      if (step.done) return;
      next = pages.next();
      // A failure is told when the page is asked for.
      next.catch(() => {});
      yield step.value;
    }
  } finally {
    followed?.removeEventListener('abort', onAbort);
    // Not left to run: it would spend a request, and keep the process there for as long as it waits.
    controller.abort();
    pages.return().catch(() => {});
  }
}
