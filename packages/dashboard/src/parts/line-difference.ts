/** What differs between two texts, line by line. */

export interface DifferenceLine {
  /** `kept`: in both. */
  readonly kind: 'kept' | 'removed' | 'added';
  readonly text: string;
}

/** Returns all lines of both texts, with as many kept ones as possible. */
export function compareLines(before: string, after: string): DifferenceLine[] {
  const old = before.split('\n');
  const next = after.split('\n');
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < next.length - start && old.at(-1 - end) === next.at(-1 - end)) end += 1;
  const kept = (text: string): DifferenceLine => ({ kind: 'kept', text });
  return [
    ...old.slice(0, start).map(kept),
    ...compareMiddle(old.slice(start, old.length - end), next.slice(start, next.length - end)),
    ...old.slice(old.length - end).map(kept),
  ];
}

/** By the longest common subsequence. */
function compareMiddle(old: readonly string[], next: readonly string[]): DifferenceLine[] {
  // The length of the longest common subsequence of the rests from (i, j) on.
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(next.length + 1));
  const lengthAt = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    const row = lengths[i];
    if (row === undefined) continue;
    for (let j = next.length - 1; j >= 0; j -= 1) {
      row[j] = old[i] === next[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const lines: DifferenceLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < next.length) {
    if (i < old.length && j < next.length && old[i] === next[j]) {
      lines.push({ kind: 'kept', text: old[i] ?? '' });
      i += 1;
      j += 1;
    } else if (j >= next.length || (i < old.length && lengthAt(i + 1, j) >= lengthAt(i, j + 1))) {
      lines.push({ kind: 'removed', text: old[i] ?? '' });
      i += 1;
    } else {
      lines.push({ kind: 'added', text: next[j] ?? '' });
      j += 1;
    }
  }
  return lines;
}
