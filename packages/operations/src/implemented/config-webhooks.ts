/** Webhooks of the API in configuration files. Other commands do not change them, so each step writes its own entry of the audit log. */
import { ID_RANDOM_BYTES, newWebhookId } from '@svc/domain/values/resource-ids';
import { applyPatch, assertBelowWebhookLimit, parseWebhookPatch } from '@svc/domain/webhooks/webhook-endpoint';
import { lockAccount } from '@svc/engine/store/accounts';
import type { Db } from '@svc/engine/store/database/db';
import { countWebhooks, insertWebhook, markWebhookDeleted, setWebhookSecret } from '@svc/engine/store/webhooks';
import { lockWebhook, setWebhookState } from '@svc/engine/webhooks/webhook-deliveries.sql';
import { assertReachable } from '@svc/engine/webhooks/webhooks';
import { setConfigName } from '../store/config-rows.ts';
import type { StoredItem } from './config-items.ts';
import type { PlannedItem } from './config-plan.ts';
import { type AdminContext, CONFIG_ACTOR, withAuditEntry } from './operation.ts';
import { seal } from './sealing.ts';

/** Creates or changes a webhook. @throws ApiError when its URL must not be called, or the account has too many */
export async function applyWebhook(
  ctx: AdminContext,
  tx: Db,
  { wanted, stored, step }: PlannedItem,
  accountId: number,
): Promise<void> {
  const { fields, secret, name, path } = wanted;
  const changed = step.changes.map(({ field }) => field);
  const entry = { operation: stored === null ? 'webhooks/add' : 'webhooks/update', input: { path, changed } };
  await withAuditEntry(ctx, { actor: CONFIG_ACTOR, ...entry }, async () => {
    const now = ctx.clock.now();
    const valueOf = (field: string) => (stored === null || changed.includes(field) ? fields[field] : undefined);
    const patch = parseWebhookPatch(
      {
        ...{ url: valueOf('url'), description: valueOf('description') },
        ...{ enabledEvents: valueOf('events'), isActive: valueOf('active') },
      },
      ctx.outbound,
    );
    if (patch.url !== undefined) await assertReachable(ctx, patch.url);
    const id = stored === null ? newWebhookId(now, ctx.randomBytes(ID_RANDOM_BYTES)) : String(stored.row.id);
    const sealedSecret = secret === null ? null : await seal(ctx, tx, secret, { kind: 'webhook signing secret', id });
    if (stored === null) {
      await lockAccount(tx, accountId);
      assertBelowWebhookLimit(await countWebhooks(tx, { accountId }));
      const none = { url: '', description: '', enabledEvents: [] };
      await insertWebhook(tx, { ...none, ...patch, id, accountId, sealedSecret: sealedSecret ?? '', at: now });
    } else if (sealedSecret !== null && changed.includes('secret value')) {
      await setWebhookSecret(tx, id, sealedSecret, now);
    }
    const before = await lockWebhook(tx, id);
    if (before !== null) await setWebhookState(tx, id, applyPatch(before, patch, now));
    if (stored?.name !== name) await setConfigName(tx, 'webhook', id, name);
  });
}

/** Deliveries that wait are given up by their next attempt. */
export async function removeWebhook(ctx: AdminContext, tx: Db, { path, row }: StoredItem): Promise<void> {
  const entry = { actor: CONFIG_ACTOR, operation: 'webhooks/remove', input: { path } };
  await withAuditEntry(ctx, entry, () => markWebhookDeleted(tx, String(row.id), ctx.clock.now()));
}
