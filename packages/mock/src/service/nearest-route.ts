/** What somebody may have meant who called a route that there is not. */
import { operations } from '@svc/contract/operations';

/** The operation whose method and path look most like these. */
export function nearestRoute(method: string, path: string): string {
  const segments = path.split('/', SEGMENTS_MAX).map((segment) => segment.slice(0, SEGMENT_LENGTH_MAX));
  const scored = operations.map((operation) => {
    const miss = editDistance(operation.path.split('/'), segments, missOf);
    return { operation, miss: miss + (operation.method === method ? 0 : OTHER_METHOD) };
  });
  const nearest = scored.reduce((best, each) => (each.miss < best.miss ? each : best));
  return `${nearest.operation.method} ${nearest.operation.path} (${nearest.operation.id})`;
}

/** Looked at of a path: more than any route has. */
const SEGMENTS_MAX = 20;
const SEGMENT_LENGTH_MAX = 50;

/** As much as a segment that has half of its letters wrong. */
const OTHER_METHOD = 0.5;

/** From 0 (the same) to 1 (nothing in common), for one segment. */
function missOf(wanted: string, sent: string): number {
  if (wanted === sent) return 0;
  if (wanted.startsWith('{')) return /^\d+$|_/.test(sent) ? 0.1 : 0.7;
  const distance = editDistance([...wanted], [...sent], (a, b) => (a === b ? 0 : 1));
  return Math.min(1, distance / Math.max(wanted.length, sent.length, 1));
}

/** What it costs to make one sequence the other: 1 for each item more or less, else what the swap costs. */
function editDistance(
  a: readonly string[],
  b: readonly string[],
  costOf: (wanted: string, sent: string) => number,
): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, wanted] of a.entries()) {
    const next = [i + 1];
    for (const [j, sent] of b.entries()) {
      const swap = (row[j] ?? 0) + costOf(wanted, sent);
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, swap));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
