import { readRefusal } from '../oauth/refusals.ts';
import type { OauthDialect } from '../oauth/types.ts';

/** The user or the organization cannot sign in any more. */
const INACTIVE = new Set(['inactive_user', 'inactive_org']);

/** Salesforce, where an operator can also switch on that each refresh token works only once. */
export const salesforceOauth: OauthDialect = {
  vendor: 'Salesforce',
  authorizePath: '/services/oauth2/authorize',
  tokenUrl: ({ loginUrl }) => `${loginUrl}/services/oauth2/token`,
  revokeUrl: ({ loginUrl }) => `${loginUrl}/services/oauth2/revoke`,
  introspectUrl: () => null,
  accountPath: null,
  clientProof: 'body',
  hasPkce: true,
  mayRotate: true,
  // `id` lets the connector ask which user and organization a token is of.
  scopeParameters: { scope: 'api refresh_token id' },
  neededScopes: ['api', 'refresh_token'],
  scopeSeparator: ' ',
  hosts: ['salesforce.com', 'force.com', 'salesforce.mil'],
  apiUrlField: 'instance_url',
  // `id` is the URL https://login.salesforce.com/id/ORGANIZATION/USER.
  readOrganizationId: ({ id }) => (typeof id === 'string' ? (/\/id\/(\w{15,18})\//.exec(id)?.[1] ?? null) : null),
  meaningOf(texts, isRefresh) {
    if (INACTIVE.has(texts.error)) return 'ended';
    if (texts.details.includes('already being processed')) return 'busy';
    // Another text for the same case, seen in 2024; a refresh has no authorization code.
    if (isRefresh && texts.details.includes('expired authorization code')) return 'busy';
    return readRefusal(texts);
  },
};
