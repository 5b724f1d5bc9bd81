/** Compares the webhooks at a sequencer with what a source needs. */
import type { Context } from '../context.ts';
import { openSecret } from '../secrets/open-secret.ts';
import type { WiringWork } from '../store/source-wirings.ts';

export type WiringVerdict =
  /** `error` says what differs; null: nothing. */
  | { status: 'checked'; error: string | null }
  /** It could not be found out now. */
  | { status: 'unknown'; reason: string };

type CheckContext = Pick<Context, 'secrets' | 'log' | 'sequencerWebhooks'>;

/** Asks the sequencer. Changes nothing. */
export async function checkWiring(ctx: CheckContext, wiring: WiringWork): Promise<WiringVerdict> {
  const { platform, sequencerKeyId: keyId, instanceUrl, campaignId, webhookIds, url } = wiring;
  const client = await ctx.sequencerWebhooks(platform);
  if (client === undefined) return { status: 'checked', error: `this release cannot check webhooks of ${platform}` };
  const token =
    wiring.sealedToken === null ? null : openSecret(ctx, wiring.sealedToken, { kind: 'sequencer key', id: keyId });
  if (token === null) {
    return {
      status: 'checked',
      error: `sequencer key ${keyId} cannot be decrypted: svc-server sequencer-keys set-token ${keyId} stores it again`,
    };
  }
  const found = await client.list({ token, instanceUrl, campaignId }, webhookIds);
  if (found.status === 'error') {
    const { message, isTemporary } = found.failure;
    return isTemporary ? { status: 'unknown', reason: message } : { status: 'checked', error: message };
  }
  // Loaded by the few that use it.
  const { compareWebhooks } = await import('@svc/sequencers/webhooks');
  const { drifts } = compareWebhooks(found.value, client, { url, knownIds: webhookIds });
  return { status: 'checked', error: drifts.length === 0 ? null : drifts.join('; ') };
}
