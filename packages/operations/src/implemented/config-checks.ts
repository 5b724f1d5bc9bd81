/** What a plan asks others before its transaction: CRMs about new tokens, and resolvers about hosts. So no lock waits for the network. */
import type { CrmUse } from '@svc/crm';
import { assertReachable } from '@svc/engine/webhooks/webhooks';
import { findUses } from '../store/connections.ts';
import { AdminError, toAdminError } from './admin-error.ts';
import type { ConfigPlan, PlannedItem } from './config-plan.ts';
import { refuseTokenOf } from './connections.ts';
import type { AdminContext } from './operation.ts';

/** Calls at the same time. */
const CONCURRENT_CALLS = 8;

/**
 * @returns the context for the steps, which asks resolvers only about other hosts
 * @throws AdminError with each token that is not usable and each URL that must not be called, in the order of the plan
 */
export async function askOthers(
  ctx: AdminContext,
  { items }: ConfigPlan,
  { checksTokens }: { checksTokens: boolean },
): Promise<AdminContext> {
  const allowed = new Set<string>();
  const refusals: AdminError[] = [];
  const findRefusal = async ({ wanted, step, stored }: PlannedItem): Promise<AdminError | null> => {
    const { kind, fields, secret, path } = wanted;
    const changed = new Set(step.changes.map(({ field }) => field));
    try {
      for (const field of ['url', 'instanceUrl']) {
        const url = fields[field];
        if (typeof url !== 'string' || !changed.has(field)) continue;
        await assertReachable(ctx, url);
        allowed.add(new URL(url).origin);
      }
      if (checksTokens && kind === 'connection' && secret !== null && changed.has('secret value')) {
        const canSync = fields['capabilities.sync'] === true;
        const first: CrmUse[] = canSync ? ['events'] : [];
        const uses = stored === null ? first : await findUses(ctx.db, Number(stored.row.id), { canSync });
        const organization = { crm: String(fields['crm']), organizationId: String(fields['organizationId']) };
        await refuseTokenOf(ctx, { ...organization, crmToken: secret }, uses);
      }
      return null;
    } catch (error) {
      const refusal = toAdminError(error);
      if (!(refusal instanceof AdminError)) throw error;
      return new AdminError(refusal.code, `${path}: ${refusal.message}`);
    }
  };
  for (let from = 0; from < items.length; from += CONCURRENT_CALLS) {
    const found = await Promise.all(items.slice(from, from + CONCURRENT_CALLS).map(findRefusal));
    refusals.push(...found.filter((refusal) => refusal !== null));
  }
  const [first] = refusals;
  if (first !== undefined) throw new AdminError(first.code, refusals.map(({ message }) => message).join('\n'));
  const isAllowed = async (url: string) => allowed.has(new URL(url).origin) || ctx.outbound.isAllowed(url);
  return { ...ctx, outbound: { ...ctx.outbound, isAllowed } };
}
