import type { OauthDialect } from '../oauth/types.ts';
import { readRefusal } from '../oauth/refusals.ts';
import { HUBSPOT_PATHS } from './paths.ts';

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
  'crm.objects.deals.read',
  'crm.objects.deals.write',
  'crm.schemas.deals.read',
  'crm.schemas.deals.write',
  'crm.lists.read',
  'crm.lists.write',
  'crm.objects.owners.read',
  'sales-email-read',
];

export const hubspotOauth: OauthDialect = {
  vendor: 'HubSpot',
  authorizePath: '/oauth/authorize',
  tokenUrl: ({ apiUrl }) => `${apiUrl}${HUBSPOT_PATHS.token}`,
  revokeUrl: ({ apiUrl }) => `${apiUrl}${HUBSPOT_PATHS.revokeToken}`,
  introspectUrl: ({ apiUrl }) => `${apiUrl}${HUBSPOT_PATHS.introspectToken}`,
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
  meaningOf(texts, isRefresh) {
    const { error, details } = texts;
    if (details.includes('bad_refresh_token') || details.includes('missing or unknown refresh token')) return 'ended';
    // HubSpot publishes one form only: that of all its errors, without the field `error` of the standard.
    const isGeneric = error === '' && isRefresh;
    return isGeneric && ABOUT_GRANT.test(details) && !ABOUT_APP.test(details) ? 'ended' : readRefusal(texts);
  },
};

/** Texts of a refused refresh: only the refresh token can be invalid, unless the text names the app. */
const ABOUT_GRANT = /validation_error|refresh[ _]token/;
const ABOUT_APP = /client|secret|scope|grant[ _]type|redirect/;
