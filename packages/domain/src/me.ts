/**
 * Specification, "Identity": the body of `GET /me`.
 *
 * The rule: the account, the key that was used, the connections it sees by ascending id, and eleven links to where
 * a client goes from here. Links are absolute and without a query; their descriptions say which parameters a
 * resource asks for.
 */
import type { ApiLink, MeResponse } from '@svc/contract/types';
import { API_PREFIX, type ApiKeyScope, type ConnectionScope } from '@svc/contract/vocabulary';
import { withoutTrailingSlash } from './dashboard-links.ts';
import { sortById, sortedUnique } from './order.ts';

export interface MeInput {
  readonly account: { readonly id: number; readonly email: string };
  readonly key: {
    readonly name: string;
    readonly scopes: readonly ApiKeyScope[];
    readonly connectionScope: ConnectionScope;
    readonly connectionId: number | null;
  };
  /** The connections the key sees, in any order. */
  readonly connections: readonly {
    readonly id: number;
    readonly crm: string;
    readonly organizationId: string;
    readonly organizationDomain: string;
  }[];
  readonly urls: {
    /** The base address of the specification, without `/api/v1`. */
    readonly apiUrl: string;
    /** The reference documentation. */
    readonly docsUrl: string;
  };
}

/** The body of `GET /me`. */
export function meResponse({ account, key, connections, urls }: MeInput): MeResponse {
  return {
    account: { id: account.id, email: account.email },
    apiKey: {
      name: key.name,
      scopes: sortedUnique<ApiKeyScope>(['read', ...key.scopes]),
      connectionScope: key.connectionScope,
      connectionId: key.connectionScope === 'connection' ? key.connectionId : null,
    },
    connections: sortById(connections).map(({ id, crm, organizationId, organizationDomain }) => ({
      id,
      crm,
      organizationId,
      organizationDomain,
    })),
    links: linksOf(urls),
  };
}

function linksOf({ apiUrl, docsUrl }: MeInput['urls']): MeResponse['links'] {
  const at = (path: string, description: string): ApiLink => ({
    href: `${withoutTrailingSlash(apiUrl)}${API_PREFIX}${path}`,
    description,
  });
  return {
    accountStatus: at('/account/status', 'Whether events can be received and synced now, with blockers and warnings'),
    accountMetrics: at('/account/metrics', 'Counts of requests, syncs and deliveries; needs from and to'),
    connections: at('/connections', 'CRM connections this key sees'),
    destinations: at('/destinations', 'Customer URLs that received events are forwarded to'),
    requests: at('/requests', 'Inbound receipts, newest first; needs from and to'),
    destinationsReplyRelays: at('/destinations/reply-relays', 'Relays that copy a sales rep on replies'),
    sources: at('/sources', 'Inbound URLs that sequencers post events to'),
    contactsOutreach: at('/contacts/outreach', 'Earlier outreach to one contact; needs email or profileUrl'),
    syncs: at('/syncs', 'CRM sync attempts, newest first; needs from and to'),
    documentation: { href: docsUrl, description: 'Reference documentation' },
    openapi: at('/openapi.json', 'OpenAPI 3.1 contract of this API'),
  };
}
