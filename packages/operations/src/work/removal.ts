import * as z from 'zod';
import type { Removable } from '@svc/engine/jobs/kinds';
import { countRemoval, type RemovalCounts, remove } from '../store/removals.ts';
import { AdminError, noSuch } from './admin-error.ts';
import { describePlan } from './removal-text.ts';
import { id } from './fields.ts';
import { adminOperation } from './operation.ts';

const removal = z.strictObject({
  id,
  /** Without it nothing is removed, and the refusal counts what would be deleted. */
  isConfirmed: z.boolean().default(false),
});

export interface Removed extends RemovalCounts {
  id: number;
}

/** Creates the operation that removes one row of this kind and everything that belongs to it. */
export function removalOf(kind: Removable) {
  return adminOperation(removal, async (ctx, input): Promise<Removed> => {
    if (!input.isConfirmed) throw notConfirmed(kind, input.id, await countRemoval(ctx.db, kind, input.id));
    const counts = await remove(ctx.db, kind, input.id);
    if (!counts) throw noSuch(kind, input.id);
    return { id: input.id, ...counts };
  });
}

function notConfirmed(kind: Removable, rowId: number, counts: RemovalCounts | null): AdminError {
  if (!counts) return noSuch(kind, rowId);
  return new AdminError(
    'not_confirmed',
    `${describePlan(`${kind} ${rowId}`, counts)}. Nothing is removed yet: confirm with --yes.`,
  );
}
