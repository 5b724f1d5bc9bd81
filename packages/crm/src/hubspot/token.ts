import { asObject } from '../http/answer-values.ts';
import { CrmFailure, NEVER } from '../http/http-failure.ts';
import type { CrmAccess, CrmAccessInfo, CrmUse } from '../port/types.ts';
import type { HubspotClient } from './client.ts';
import { HUBSPOT_PATHS } from './paths.ts';

/** What a token is, and what it may do. Both calls need no scope. */

/** The statuses of an endpoint that does not know the token, or that no longer exists. */
const REFUSALS = [400, 401, 403, 404, 405, 410];

/**
 * The scopes behind each use. Engagements and tasks need the scopes of contacts; our own properties need the schemas.
 */
const SCOPES: Readonly<Record<CrmUse, readonly string[]>> = {
  events: [
    'crm.objects.contacts.read',
    'crm.objects.contacts.write',
    'crm.schemas.contacts.read',
    'crm.schemas.contacts.write',
  ],
  companies: [
    'crm.objects.companies.read',
    'crm.objects.companies.write',
    'crm.schemas.companies.read',
    'crm.schemas.companies.write',
  ],
  owners: ['crm.objects.owners.read'],
  lists: ['crm.lists.read', 'crm.objects.contacts.read'],
  companyLists: ['crm.objects.companies.read'],
};

/**
 * Asks HubSpot which account and scopes a token has. An endpoint for private apps answers, which HubSpot does not publish:
 * it may not know other kinds of tokens, and it may end. So its refusal says nothing; then the account's details show whether
 * the token is accepted.
 *
 * @throws CrmFailure when HubSpot does not accept the token or does not answer
 */
export async function readToken(client: HubspotClient, { accessToken, tokenType }: CrmAccess): Promise<CrmAccessInfo> {
  if (tokenType === 'oauth') return readAccount(client);
  const { status, body } = await client.call({
    operation: 'access',
    method: 'POST',
    path: HUBSPOT_PATHS.privateToken,
    body: { tokenKey: accessToken },
    part: 'the check of the token',
    accept: REFUSALS,
  });
  const { hubId, scopes } = asObject(body);
  if (status >= 400 || !isId(hubId) || !Array.isArray(scopes)) return readAccount(client);
  const granted = new Set<unknown>(scopes);
  const missing = Object.entries(SCOPES).flatMap(([use, needed]) =>
    needed.filter((scope) => !granted.has(scope)).map((scope) => ({ use: use as CrmUse, scope })),
  );
  return { status: 'accepted', organizationId: String(hubId), missing };
}

async function readAccount(client: HubspotClient): Promise<CrmAccessInfo> {
  const { body } = await client.call({
    operation: 'access',
    method: 'GET',
    path: HUBSPOT_PATHS.account,
    part: 'the check of the token',
  });
  const { portalId } = asObject(body);
  if (!isId(portalId)) throw unexpectedAnswer();
  return { status: 'accepted', organizationId: String(portalId), missing: null };
}

function isId(value: unknown): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

function unexpectedAnswer(): CrmFailure {
  const message = "HubSpot's answer to the check of the token names no account";
  return new CrmFailure({ code: 'unexpected_answer', message, httpStatus: 200 }, NEVER);
}
