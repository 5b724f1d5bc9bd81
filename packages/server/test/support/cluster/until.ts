import { setTimeout } from 'node:timers/promises';

/** Asks every 50 ms until the answer is true; an error counts as no. Throws after `timeoutMs` with the last error. */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  { timeoutMs = 30_000 }: { timeoutMs?: number } = {},
): Promise<void> {
  const endMs = Date.now() + timeoutMs;
  for (;;) {
    let last: unknown;
    try {
      if (await isTrue()) return;
    } catch (error) {
      last = error;
    }
    if (Date.now() > endMs) throw new Error(`not within ${timeoutMs} ms: ${what}`, { cause: last });
    await setTimeout(50);
  }
}
