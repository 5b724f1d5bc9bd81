import { readRefusal } from '../oauth/refusals.ts';
import type { OauthDialect } from '../oauth/types.ts';

/** Pipedrive: the scopes are fixed in the app, and the consent page takes none. */
export const pipedriveOauth: OauthDialect = {
  vendor: 'Pipedrive',
  authorizePath: '/oauth/authorize',
  tokenUrl: ({ loginUrl }) => `${loginUrl}/oauth/token`,
  introspectUrl: () => null,
  clientProof: 'basic',
  hasPkce: false,
  // Not seen, but its errors say "already exchanged".
  mayRotate: true,
  scopeParameters: {},
  neededScopes: ['contacts:full', 'activities:full'],
  scopeSeparator: ',',
  hosts: ['pipedrive.com'],
  apiUrlField: 'api_domain',
  readOrganizationId: () => null,
  meaningOf(texts) {
    // Errors are told by their text: `error` may be missing.
    if (texts.details.includes('client is invalid')) return 'refused';
    return texts.details.includes('invalid grant') ? 'ended' : readRefusal(texts);
  },
};
