import type { OauthDialect } from '../oauth/types.ts';
import { readRefusal } from '../oauth/refusals.ts';

/** The scopes of the connector. Optional ones do not stop the installation in an account whose plan lacks them. */
const NEEDED = [
  'oauth',
  'crm.objects.contacts.read',
  'crm.objects.contacts.write',
  'crm.schemas.contacts.read',
  'crm.schemas.contacts.write',
];
const OPTIONAL = [
  'crm.objects.companies.read',
  'crm.objects.companies.write',
  'crm.schemas.companies.read',
  'crm.schemas.companies.write',
  'crm.lists.read',
  'crm.objects.owners.read',
  'sales-email-read',
];

/** The endpoints of 2026-03; `/oauth/v1` ends on 16 February 2027. */
export const hubspotOauth: OauthDialect = {
  vendor: 'HubSpot',
  authorizePath: '/oauth/authorize',
  tokenUrl: ({ apiUrl }) => `${apiUrl}/oauth/2026-03/token`,
  revokeUrl: ({ apiUrl }) => `${apiUrl}/oauth/2026-03/token/revoke`,
  introspectUrl: ({ apiUrl }) => `${apiUrl}/oauth/2026-03/token/introspect`,
  accountPath: null,
  clientProof: 'body',
  // The token endpoint lists `code_verifier`, but whether ordinary apps may send a challenge is not documented.
  hasPkce: false,
  mayRotate: false,
  scopeParameters: { scope: NEEDED.join(' '), optional_scope: OPTIONAL.join(' ') },
  neededScopes: NEEDED,
  scopeSeparator: ' ',
  hosts: ['hubspot.com', 'hubapi.com'],
  apiUrlField: null,
  readOrganizationId: ({ hub_id: hubId }) =>
    typeof hubId === 'number' || (typeof hubId === 'string' && hubId !== '') ? String(hubId) : null,
  meaningOf(texts) {
    const isUnknownToken =
      texts.details.includes('bad_refresh_token') || texts.details.includes('missing or unknown refresh token');
    return isUnknownToken ? 'ended' : readRefusal(texts);
  },
};
