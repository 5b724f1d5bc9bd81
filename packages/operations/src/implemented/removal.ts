import type { Declaration } from '../declared/declare.ts';
import { type declareRemoval, describePlan } from '../declared/removal.ts';
import { countRemoval, remove } from '../store/removals.ts';
import { AdminError, noSuch } from './admin-error.ts';
import { implement, type Operation } from './operation.ts';

type Removal = ReturnType<typeof declareRemoval>;

/** The work of all removals follows from their declarations. */
export function implementRemovals(declared: readonly Declaration[]): Operation[] {
  return declared.filter(isRemoval).map((declaration) => {
    const kind = declaration.removes;
    return implement(declaration, async (ctx, { id, isConfirmed }) => {
      const counts = await (isConfirmed ? remove : countRemoval)(ctx.db, kind, id);
      if (counts === null) throw noSuch(kind, id);
      if (isConfirmed) return { id, ...counts };
      const plan = describePlan(`${kind} ${id}`, counts);
      throw new AdminError('not_confirmed', `${plan}. Nothing is removed yet: confirm with --yes.`);
    });
  });
}

function isRemoval(declaration: Declaration): declaration is Removal {
  return 'removes' in declaration;
}
