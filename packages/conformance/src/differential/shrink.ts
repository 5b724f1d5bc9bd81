/** Fewer steps that part the sides in the same place. */
import type { WorldInput } from '@svc/domain/world';
import { play, type PlayOptions } from './play.ts';
import type { Step } from './steps.ts';

/**
 * @param steps the last one is that which shows the difference
 * @param options.budgetMs after which what was found so far is good enough
 */
export async function shrink(
  world: WorldInput,
  steps: readonly Step[],
  { budgetMs, ...options }: PlayOptions & { readonly budgetMs: number },
): Promise<readonly Step[]> {
  const endMs = performance.now() + budgetMs;
  const last = steps.at(-1);
  if (last === undefined) return steps;
  let before = steps.slice(0, -1);
  for (let size = before.length; size >= 1; size = Math.floor(size / 2)) {
    for (let start = 0; start < before.length; ) {
      if (performance.now() > endMs) return [...before, last];
      const fewer = before.toSpliced(start, size);
      const { differences } = await play(world, [...fewer, last], options);
      if (differences[0]?.step === last) before = fewer;
      else start += size;
    }
  }
  return [...before, last];
}
