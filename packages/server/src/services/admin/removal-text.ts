/** How a removal is told; the command uses it too, without loading what removes. */
import type { RemovalCounts } from '../../store/admin/removals.ts';

/** `deletes 2 relay bindings, 40 received events and keeps 12 requests without it` */
export function describeRemoval({ deleted, kept }: RemovalCounts): string {
  const deletes = `deletes ${listCounts(deleted) || 'nothing else'}`;
  const keeps = listCounts(kept);
  return keeps === '' ? deletes : `${deletes}, and keeps ${keeps} without it`;
}

function listCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([what, count]) => `${count} ${count === 1 ? what.replace(/s$/, '').replace(/ie$/, 'y') : what}`)
    .join(', ');
}
