/**
 * Aborts a call when one of these signals aborts, until the returned function is called at the end of the call.
 * `AbortSignal.any` would do without an end, but Node keeps such signals of ended calls in memory (up to version 24).
 */
export function forwardAbort(call: AbortController, signals: readonly (AbortSignal | undefined)[]): () => void {
  const sources = signals.filter((signal) => signal !== undefined);
  const abort = () => call.abort(sources.find(({ aborted }) => aborted)?.reason);
  if (sources.some(({ aborted }) => aborted)) abort();
  for (const source of sources) source.addEventListener('abort', abort);
  return () => {
    for (const source of sources) source.removeEventListener('abort', abort);
  };
}
