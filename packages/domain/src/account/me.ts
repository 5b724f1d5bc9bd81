/**
 * The body of `getMe`.
 *
 * The rule: the body holds the account, the key that was used, the connections the key sees by ascending id, and eleven
 * absolute links. Every API link answers 200 when it is fetched unchanged with the same key, so a resource with required
 * parameters gets an example query: the last 7 days before `now` for a range, the account's own email for a contact's
 * outreach. The link's description names the required parameters and says that the query is an example.
 */
import type { ApiLink, MeResponse } from '@svc/contract/types';
import { API_PREFIX, type ApiKeyScope, type ConnectionScope } from '@svc/contract/vocabulary';
import { withoutTrailingSlash } from './dashboard-links.ts';
import { sortById, sortedUnique } from '../values/order.ts';

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
    /** Base URL of the API, without `/api/v1`. */
    readonly apiUrl: string;
    /** The reference documentation. */
    readonly docsUrl: string;
  };
  readonly now: Date;
}

/** Length of the example ranges. */
const EXAMPLE_RANGE_MS = 7 * 24 * 60 * 60 * 1_000;

export function meResponse({ account, key, connections, urls, now }: MeInput): MeResponse {
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
    links: linksOf(urls, exampleQueries(account.email, now)),
  };
}

interface ExampleQueries {
  readonly range: string;
  readonly contact: string;
}

function exampleQueries(email: string, now: Date): ExampleQueries {
  const from = new Date(now.getTime() - EXAMPLE_RANGE_MS);
  return {
    range: `from=${from.toISOString()}&to=${now.toISOString()}`,
    contact: `email=${encodeURIComponent(email)}`,
  };
}

function linksOf({ apiUrl, docsUrl }: MeInput['urls'], example: ExampleQueries): MeResponse['links'] {
  const at = (path: string, description: string): ApiLink => ({
    href: `${withoutTrailingSlash(apiUrl)}${API_PREFIX}${path}`,
    description,
  });
  const inRange = (path: string, description: string): ApiLink =>
    at(`${path}?${example.range}`, `${description}; needs from and to, here the last 7 days as an example`);
  return {
    accountStatus: at('/account/status', 'Whether events can be received and synced now, with blockers and warnings'),
    accountMetrics: inRange('/account/metrics', 'Counts of requests, syncs and deliveries'),
    connections: at('/connections', 'CRM connections this key sees'),
    destinations: at('/destinations', 'Customer URLs that received events are forwarded to'),
    requests: inRange('/requests', 'Inbound receipts, newest first'),
    destinationsReplyRelays: at('/destinations/reply-relays', 'Relays that copy a sales rep on replies'),
    sources: at('/sources', 'Inbound URLs that sequencers post events to'),
    contactsOutreach: at(
      `/contacts/outreach?${example.contact}`,
      'Earlier outreach to one contact; needs email or profileUrl, here the account owner as an example',
    ),
    syncs: inRange('/syncs', 'CRM sync attempts, newest first'),
    documentation: { href: docsUrl, description: 'Reference documentation' },
    openapi: at('/openapi.json', 'OpenAPI 3.1 contract of this API'),
  };
}
