import type { declareRemoval } from '../declared/removal.ts';
import { describePlan } from '../declared/removal.ts';
import type { Removable } from '@svc/engine/jobs/kinds';
import { countRemoval, type RemovalCounts, remove } from '../store/removals.ts';
import { AdminError, noSuch } from './admin-error.ts';
import { implement } from './operation.ts';

/** Binds the removal of one row of this kind, and of everything that belongs to it, to its declaration. */
export function implementRemoval<Kind extends Removable>(
  declaration: ReturnType<typeof declareRemoval<Kind>>,
  kind: Kind,
) {
  return implement(declaration, async (ctx, { id, isConfirmed }) => {
    if (!isConfirmed) throw notConfirmed(kind, id, await countRemoval(ctx.db, kind, id));
    const counts = await remove(ctx.db, kind, id);
    if (!counts) throw noSuch(kind, id);
    return { id, ...counts };
  });
}

function notConfirmed(kind: Removable, rowId: number, counts: RemovalCounts | null): AdminError {
  if (!counts) return noSuch(kind, rowId);
  return new AdminError(
    'not_confirmed',
    `${describePlan(`${kind} ${rowId}`, counts)}. Nothing is removed yet: confirm with --yes.`,
  );
}
