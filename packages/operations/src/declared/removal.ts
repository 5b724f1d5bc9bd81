/** Removals: each names one row, needs a confirmation, and says what goes with the row and what stays. */
import * as z from 'zod';
import type { Removable } from '@svc/engine/jobs/kinds';
import type { RemovalCounts } from '../store/removals.ts';
import { declare, one, type Part, flagged } from './declare.ts';
import { oneOf } from './fields.ts';

/** By kind of row. */
const counts: Part<Readonly<Record<string, number>>> = { form: ': {}' };

/** Declares the operation that removes one row of this kind and everything that belongs to it. */
export function declareRemoval<Kind extends Removable>(kind: Kind, description: string) {
  const declaration = declare({
    name: `${kind}s/remove` as const,
    description: `${description}; without --yes only says what would be deleted`,
    details: 'Exits with 1 without `--yes`.',
    example: '3 --yes',
    permission: 'write',
    needsRecentSignIn: true,
    input: z.strictObject({ id: oneOf(kind), isConfirmed: confirmed('confirm the removal') }),
    result: { id: one<number>(), deleted: counts, kept: counts },
    print: (removed) => describeResult(`${kind} ${removed.id}`, removed),
  });
  return { ...declaration, removes: kind };
}

/** Without it nothing is done, and the refusal says what would be. */
export function confirmed(description: string) {
  return z.boolean().default(false).meta(flagged('--yes', description));
}

/** Returns a text such as `Removing source 3 deletes 2 relay bindings, and keeps 12 requests without it`. */
export function describePlan(what: string, { deleted, kept }: RemovalCounts): string {
  const keeps = listCounts(kept);
  return `Removing ${what} deletes ${listCounts(deleted) || 'nothing else'}${keeps && `, and keeps ${keeps} without it`}`;
}

/** Returns a text such as `Removed source 3 with 2 relay bindings. Kept without it: 12 requests.` */
export function describeResult(what: string, { deleted, kept }: RemovalCounts): string {
  const deletes = listCounts(deleted);
  const keeps = listCounts(kept);
  return `Removed ${what}${deletes && ` with ${deletes}`}.${keeps && ` Kept without it: ${keeps}.`}`;
}

function listCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([what, count]) => countOf(count, what))
    .join(', ');
}

/** Returns `1 binding`, `2 bindings` or `1 entry`. @param what in the plural */
export function countOf(count: number, what: string): string {
  return `${count} ${count === 1 ? what.replace(/s$/, '').replace(/ie$/, 'y') : what}`;
}
