import { readRefusal } from '../oauth/refusals.ts';
import type { OauthDialect } from '../oauth/types.ts';

/** Pipedrive: the scopes are fixed in the app, and the consent page takes none. */
export const pipedriveOauth: OauthDialect = {
  vendor: 'Pipedrive',
  authorizePath: '/oauth/authorize',
  tokenUrl: ({ loginUrl }) => `${loginUrl}/oauth/token`,
  revokeUrl: ({ loginUrl }) => `${loginUrl}/oauth/revoke`,
  introspectUrl: () => null,
  accountPath: '/api/v1/users/me',
  clientProof: 'basic',
  hasPkce: false,
  // No description mentions a rotation, but Pipedrive's errors say "already exchanged".
  mayRotate: true,
  scopeParameters: {},
  neededScopes: ['contacts:full', 'activities:full'],
  scopeSeparator: ',',
  hosts: ['pipedrive.com'],
  apiUrlField: 'api_domain',
  readOrganizationId: ({ data }) => {
    const id = typeof data === 'object' && data !== null && 'company_id' in data ? data.company_id : null;
    return typeof id === 'number' || typeof id === 'string' ? String(id) : null;
  },
  meaningOf(texts) {
    // The field `error` may be missing, so the texts decide.
    if (texts.details.includes('client is invalid')) return 'refused';
    return texts.details.includes('invalid grant') ? 'ended' : readRefusal(texts);
  },
};
