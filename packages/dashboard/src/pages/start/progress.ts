import type { StepState } from './step.tsx';

/** Returns the row that the address names; undefined when it names none, or one that is gone. */
export function choose<Row extends { id: number }>(rows: readonly Row[], id: string): Row | undefined {
  return id === '' ? undefined : rows.find((row) => row.id === Number(id));
}

/**
 * Returns whether a step is done, is the user's next, or waits for an earlier one.
 *
 * @param options.mayBeginAfter how many steps must be done before it. Default: all earlier ones
 */
export function stateOf(
  isDone: readonly boolean[],
  index: number,
  { mayBeginAfter = index }: { mayBeginAfter?: number } = {},
): StepState {
  if (!isDone.slice(0, mayBeginAfter).every(Boolean)) return 'later';
  return isDone[index] === true ? 'done' : 'now';
}
