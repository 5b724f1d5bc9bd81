/** Registers webhooks of sources at their sequencers. */
import { inboundUrl } from '@svc/domain/resources';
import { isLoopbackUrl } from '@svc/engine/config/public-urls';
import { enqueue } from '@svc/engine/queue/queue';
import { type StoredSourceSecret, validSecrets } from '@svc/engine/secrets/source-secrets';
import {
  findListWithToken,
  findSealedSequencerKey,
  listSequencerKeys,
  type SequencerKeyRow,
} from '@svc/engine/store/sequencer-keys';
import { deleteWiring, listSourceWirings, listWiringWork, storeWiring } from '@svc/engine/store/source-wirings';
import { listSourceSecrets } from '@svc/engine/store/source-secrets';
import { checkWiringJob } from '@svc/engine/wiring/check-wiring';
import type { WebhookClient } from '@svc/sequencers/webhooks';
import * as declared from '../declared/source-webhooks.ts';
import { findSourceFacts, type SourceFacts } from '../store/sources.ts';
import { AdminError, conflict, existing, invalidInput } from './admin-error.ts';
import { type AdminContext, implement } from './operation.ts';
import { assertKeyFits } from './sequencer-keys.ts';
import { openStored } from './source-secrets.ts';

export const connectSource = implement(declared.connectSource, async (ctx, input) => {
  if (ctx.areUrlsAssumed === true) {
    throw conflict('The URL of the source is not known here: set SVC_PUBLIC_URL or SVC_SYNC_URL as the server has it.');
  }
  const source = existing(await findSourceFacts(ctx.db, input.id), 'source', input.id);
  const client = await requireClient(ctx, source.platform);
  const before = (await listSourceWirings(ctx.db, [source.id])).get(source.id);
  const key = await chooseKey(ctx, source, input.sequencerKeyId ?? before?.sequencerKeyId);
  const campaignId = input.campaignId === undefined ? (before?.campaignId ?? null) : input.campaignId;
  assertCampaignFits(source, client, { campaignId, isConfirmed: input.isConfirmed, isKnown: before !== undefined });

  const target = { token: await openKey(ctx, key.id), instanceUrl: key.instanceUrl, campaignId };
  const url = inboundUrl(ctx.urls.sync, source.path);
  const secret = await currentSecret(ctx, source.id);
  const sent = toSent(client, secret);
  // Ids of another key or campaign name other webhooks.
  const isSame = before?.sequencerKeyId === key.id && before.campaignId === campaignId;
  const { connectWebhooks } = await import('@svc/sequencers/webhooks');
  const wanted = { url, name: `source ${source.id}`, secret: sent };
  const { ids, changes, failure } = await connectWebhooks(client, target, wanted, isSame ? before.webhookIds : []);

  const at = ctx.clock.now();
  const wiring = { sourceId: source.id, sequencerKeyId: key.id, campaignId, url, webhookIds: [...ids], checkedAt: at };
  // A webhook that was made before a failure is remembered, so that it is looked at and mended.
  if (failure === null || ids.length > 0) {
    await ctx.db.transaction(async (tx) => {
      await storeWiring(tx, { ...wiring, error: failure?.message ?? null });
      await enqueue(tx, checkWiringJob({ sourceId: source.id, connectionId: source.connectionId }, at));
    });
  }
  if (failure !== null) {
    const done = changes.length === 0 ? 'Nothing was changed' : `Done before: ${changes.join('; ')}`;
    throw conflict(`${failure.message}. ${done}. The same command continues.`);
  }
  const stored = existing((await listSourceWirings(ctx.db, [source.id])).get(source.id), 'source', source.id);
  const notices = [
    ...(isLoopbackUrl(url) ? [`${url} can only be reached from this machine: set SVC_PUBLIC_URL for real posts.`] : []),
    ...secretNotices(source, { hasSecret: secret !== null, isSent: sent !== null, isNew: changes.length > 0 }),
  ];
  return { wiring: stored, changes, notices };
});

export const disconnectSource = implement(declared.disconnectSource, async (ctx, { id }) => {
  existing(await findSourceFacts(ctx.db, id), 'source', id);
  const [wiring] = await listWiringWork(ctx.db, { sourceId: id });
  if (wiring === undefined) throw conflict(`Source ${id} was not connected with svc-server sources connect.`);
  const client = await requireClient(ctx, wiring.platform);
  const { instanceUrl, campaignId, url, webhookIds } = wiring;
  const target = { token: await openKey(ctx, wiring.sequencerKeyId), instanceUrl, campaignId };
  const { disconnectWebhooks } = await import('@svc/sequencers/webhooks');
  const { removed, failure } = await disconnectWebhooks(client, target, { url, knownIds: webhookIds });
  if (failure !== null) throw conflict(`${failure.message}. The same command continues.`);
  // The job of the daily check ends without it.
  await deleteWiring(ctx.db, id);
  return { id, removed };
});

/** @throws AdminError when no call is documented */
async function requireClient(ctx: AdminContext, platform: string): Promise<WebhookClient> {
  const client = await ctx.sequencerWebhooks(platform);
  if (client !== undefined) return client;
  const { explainMissingClient } = await import('@svc/sequencers/webhooks');
  throw invalidInput(explainMissingClient(platform));
}

/** @throws AdminError when there is none, or when several might be meant */
export async function chooseKey(
  ctx: AdminContext,
  source: SourceFacts,
  wanted: number | undefined,
): Promise<SequencerKeyRow> {
  const { accountId, platform } = source;
  if (wanted !== undefined) return assertKeyFits(ctx.db, wanted, source);
  const keys = (await listSequencerKeys(ctx.db, { accountId })).filter((key) => key.platform === platform);
  const [only, other] = keys;
  if (only === undefined) {
    const add = `svc-server sequencer-keys add --account ${accountId} --platform ${platform} --name main`;
    const list = await findListWithToken(ctx.db, source);
    throw conflict(
      list === null
        ? `Account ${accountId} has no API key of ${platform}: ${add}`
        : `Account ${accountId} has no stored API key of ${platform}, but block list ${list.id} "${list.name}" has one of its own. This makes it a stored key, which both use then: ${add} --from-blocklist ${list.id}`,
    );
  }
  if (other === undefined) return only;
  const names = keys.map(({ id, name }) => `${id} (${name})`).join(', ');
  throw invalidInput(`Account ${accountId} has several keys of ${platform}, so name one with --key: ${names}`);
}

function assertCampaignFits(
  { platform }: SourceFacts,
  client: WebhookClient,
  { campaignId, isConfirmed, isKnown }: { campaignId: string | null; isConfirmed: boolean; isKnown: boolean },
): void {
  if (campaignId !== null && !client.hasCampaigns) {
    throw invalidInput(`--campaign: a webhook of ${platform} is always for the whole account`);
  }
  if (!client.overrulesCampaigns || campaignId !== null || isConfirmed || isKnown) return;
  throw new AdminError(
    'not_confirmed',
    `${platform} documents that a webhook of the whole account takes precedence over those of its clients and campaigns, so others may get no posts any more. Nothing is made yet: name a campaign with --campaign, or confirm with --yes.`,
  );
}

async function openKey(ctx: AdminContext, id: number): Promise<string> {
  const sealed = await findSealedSequencerKey(ctx.db, id);
  if (sealed === null) {
    throw conflict(`Sequencer key ${id} is lost: svc-server sequencer-keys set-token ${id} stores it again.`);
  }
  return ctx.secrets.decrypt(sealed, { kind: 'sequencer key', id });
}

/** Returns what posts to the source must carry; null when they need nothing. */
async function currentSecret(ctx: AdminContext, sourceId: number): Promise<StoredSourceSecret | null> {
  const row = (await listSourceSecrets(ctx.db, [sourceId])).get(sourceId);
  if (row === undefined || !row.requiresSecret) return null;
  return validSecrets(openStored(ctx, row) ?? [], ctx.clock.now())[0] ?? null;
}

/** Returns what the platform can be told to send; null when it takes no such secret. */
function toSent({ secretIn }: WebhookClient, stored: StoredSourceSecret | null) {
  if (stored === null || secretIn === null || stored.check !== secretIn) return null;
  return { check: secretIn, name: stored.name, value: stored.secret };
}

function secretNotices(
  { id, platform }: SourceFacts,
  { hasSecret, isSent, isNew }: { hasSecret: boolean; isSent: boolean; isNew: boolean },
): string[] {
  if (!hasSecret) return [];
  if (!isSent) {
    return [
      `Posts must carry the secret of source ${id}, and the API of ${platform} takes no such secret: enter it at the sequencer.`,
    ];
  }
  if (isNew) return [];
  return ['Whether the webhook sends the secret of the source cannot be read: disconnect and connect make it again.'];
}
