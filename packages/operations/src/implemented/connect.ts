/** `connections connect`: a user of the CRM allows access on the CRM's consent page. */
import { beginConsent, callbackUrl } from '@svc/engine/crm/consents';
import { findConsentTarget, findLoginUrl, getConsentResult } from '@svc/engine/store/oauth-consents';
import * as declared from '../declared/connections.ts';
import { conflict, existing, invalidInput, noSuch } from './admin-error.ts';
import { type AdminContext, implement } from './operation.ts';
import { assertAccount } from './references.ts';
import { chooseLoginUrl } from './salesforce-app.ts';

/** Returns the address of the consent page, valid for ten minutes. */
export const connectConnection = implement(declared.connectConnection, async (ctx, input) => {
  const { accountId, crm, connectionId = null, sandbox, myDomain, organizationDomain } = input;
  await assertAccount(ctx.db, accountId);
  const oauth = ctx.crmOauth(crm);
  if (oauth === undefined || oauth.client === null) {
    throw conflict(
      `No app for ${crm} is configured: set SVC_${crm}_CLIENT_ID and SVC_${crm}_CLIENT_SECRET for the server and for this command. With a token made by hand: svc-server connections add.`,
    );
  }
  if (connectionId !== null) await assertOwn(ctx, { connectionId, accountId, crm });
  const chosen = chooseLoginUrl(oauth, crm, { sandbox, myDomain });
  const loginUrl = chosen ?? (connectionId === null ? null : await findLoginUrl(ctx.db, connectionId));
  const { canUseApi, sync, destinations, blocklists } = input;
  const settings = { organizationDomain, canUseApi, sync, destinations, blocklists };
  const request = { crm, accountId, connectionId, isPublic: false, session: null, loginUrl, settings };
  const consent = await beginConsent(ctx, oauth, request);
  const redirectUrl = callbackUrl(ctx, crm);
  return {
    consent: { id: consent.id, url: consent.url, redirectUrl, expiresAt: consent.expiresAt },
    notices: addressNotices(ctx, redirectUrl),
  };
});

export const readConnectResult = implement(declared.readConnectResult, async (ctx, input) => {
  const { connectionId, error, expiresAt } = existing(await getConsentResult(ctx.db, input.id), 'consent', input.id);
  if (connectionId !== null) return { state: 'connected' as const, connectionId, error: null };
  const waiting = expiresAt <= ctx.clock.now() ? ('expired' as const) : ('pending' as const);
  return { state: error === null ? waiting : ('failed' as const), connectionId, error };
});

async function assertOwn(
  ctx: AdminContext,
  { connectionId, accountId, crm }: { connectionId: number; accountId: number; crm: string },
): Promise<void> {
  const target = await findConsentTarget(ctx.db, connectionId);
  if (target === null || target.accountId !== accountId) throw noSuch('connection', connectionId);
  if (target.crm !== crm) throw invalidInput(`Connection ${connectionId} is one to ${target.crm}, not ${crm}.`);
}

/** Without a configured address, the CRM would redirect to a place where no server may be. */
function addressNotices(ctx: AdminContext, redirectUrl: string): string[] {
  if (ctx.areUrlsAssumed !== true) return [];
  return [
    `The CRM will redirect to ${redirectUrl}. If the server has another address, set SVC_PUBLIC_URL for it and for this command.`,
  ];
}
