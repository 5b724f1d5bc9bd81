/** Pipedrive tells by a call that a company has removed the app: its grants have ended. */
import { timingSafeEqual, createHash } from 'node:crypto';
import type { CrmOauth } from '@svc/crm';
import { listConsentTargets } from '../store/oauth-consents.ts';
import { lockSealedCrmToken, setSealedCrmToken } from '../store/crm-token-renewals.ts';
import { openGrant, type RenewalContext } from './renew-grant.ts';

/** Returns whether an `Authorization` header proves that its sender knows the client's id and secret. */
export function isClientProof({ client }: CrmOauth, authorization: string | undefined): boolean {
  const sent = /^basic +([a-z\d+/=]+) *$/i.exec(authorization ?? '')?.[1];
  if (client === null || sent === undefined) return false;
  // Digests have equal lengths, so the comparison does not reveal the secret's length.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(Buffer.from(sent, 'base64').toString('utf8')), digest(`${client.id}:${client.secret}`));
}

/**
 * Disconnects the connections of an organization that have a user's consent; private tokens are not the app's.
 *
 * @returns their ids
 */
export async function disconnectRemovedApp(
  ctx: RenewalContext,
  { crm, organizationId }: { crm: string; organizationId: string },
): Promise<number[]> {
  const targets = await listConsentTargets(ctx.db, crm, null);
  const disconnected: number[] = [];
  for (const { id } of targets.filter((target) => target.organizationId === organizationId)) {
    const isOurs = await ctx.db.transaction(async (tx) => {
      const sealed = await lockSealedCrmToken(tx, id);
      if (sealed === null) return false;
      const stored = openGrant(ctx, { id, crm, sealed });
      if ('status' in stored || stored.grant.type !== 'refresh_token') return false;
      await setSealedCrmToken(tx, id, null);
      return true;
    });
    if (isOurs) disconnected.push(id);
  }
  return disconnected;
}
