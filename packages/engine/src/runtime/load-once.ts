/**
 * Returns a function that loads at its first call and then always resolves with that value. A failure is not remembered, because a
 * process may lack memory or file descriptors for a moment: the next call loads again.
 */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined;
  return () =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    }));
}
