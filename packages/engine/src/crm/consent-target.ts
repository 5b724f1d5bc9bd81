/** Which connection a consent belongs to. */
import type { OauthTokens } from '@svc/crm';
import { lockAccount } from '../store/accounts.ts';
import type { Db } from '../store/database/db.ts';
import { insertRow } from '../store/database/rows.ts';
import { NEW_CONNECTION } from '../store/connections.ts';
import { type Consent, type ConsentTarget, findConsentTarget, listConsentTargets } from '../store/oauth-consents.ts';
import { isSameOrganization } from './same-organization.ts';

/** Why a callback connected nothing. */
export type ConsentRefusal =
  /** The state is missing, unknown, used or older than ten minutes. */
  | 'unknown'
  | 'other_browser'
  | 'cancelled'
  /** Salesforce: an administrator has to install the app first. */
  | 'not_installed'
  /** The CRM refused the app or the code. */
  | 'refused'
  | 'unavailable'
  /** The CRM named an API host that is not the vendor's. */
  | 'foreign_host'
  | 'scopes_missing'
  /** The connection belongs to another organization. */
  | 'other_account'
  /** Begun at the CRM, and no single connection belongs to the organization. */
  | 'no_connection'
  | 'still_connected'
  | 'account_gone'
  | 'key_missing';

export interface ChosenConnection {
  id: number;
  isNew: boolean;
  changes: Readonly<Record<string, unknown>>;
}

/** Returns the connection that gets the grant, inserting a new one if needed; or why none gets it. */
export async function chooseConnection(
  tx: Db,
  consent: Consent,
  { organizationId, tokens, now }: { organizationId: string; tokens: OauthTokens; now: Date },
): Promise<ChosenConnection | { reason: ConsentRefusal }> {
  const { crm, accountId, connectionId, settings } = consent;
  const isOurs = (target: ConsentTarget) => isSameOrganization(crm, target.organizationId, organizationId);
  if (accountId === null) {
    const found = (await listConsentTargets(tx, crm, null)).filter(isOurs);
    const [only] = found;
    if (only === undefined || found.length > 1) return { reason: 'no_connection' };
    return reconnect(consent, only);
  }
  // The lock lets only one of two concurrent consents insert the organization.
  if (!(await lockAccount(tx, accountId))) return { reason: 'account_gone' };
  if (connectionId !== null) {
    const target = await findConsentTarget(tx, connectionId);
    if (target === null) return { reason: 'account_gone' };
    return isOurs(target) ? reconnect(consent, target) : { reason: 'other_account' };
  }
  const existing = (await listConsentTargets(tx, crm, accountId)).find(isOurs);
  if (existing !== undefined) return reconnect(consent, existing);
  const { id } = await insertRow<{ id: number }>(tx, 'connections', {
    ...{ accountId, crm, organizationId, createdAt: now },
    organizationDomain: settings.organizationDomain ?? domainOf(crm, tokens),
    ...NEW_CONNECTION,
  });
  return { id, isNew: true, changes: changesOf(consent) };
}

function reconnect(consent: Consent, target: ConsentTarget): ChosenConnection | { reason: ConsentRefusal } {
  if (consent.isPublic && target.sealedToken !== null) return { reason: 'still_connected' };
  return { id: target.id, isNew: false, changes: changesOf(consent) };
}

function changesOf({ settings }: Consent): ChosenConnection['changes'] {
  return {
    organizationDomain: settings.organizationDomain,
    canUseApi: settings.canUseApi,
    capabilitySync: settings.sync,
    capabilityDestinations: settings.destinations,
    capabilityBlocklists: settings.blocklists,
  };
}

/** The host of the account's API names it at Salesforce and Pipedrive. */
function domainOf(crm: string, { apiUrl }: OauthTokens): string {
  if (apiUrl !== null) return new URL(apiUrl).hostname;
  return `app.${crm.toLowerCase()}.com`;
}
