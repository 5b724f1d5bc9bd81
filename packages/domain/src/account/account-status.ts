/**
 * Specification, "Account status" and "ComponentStatus"; also the `status` of `GET /connections`.
 *
 * The rule, per connection:
 * - crmConnection: `disconnected` when the CRM token is missing (the only blocker); else `disabled` when the connection
 *   may not sync; else `error` when an error is recorded; else `ready`.
 * - sources: `not_configured` without a source, else `ready`.
 * - destinations: `disabled` without the capability; else `not_configured` (a warning) when the count is 0; else `ready`.
 *   The count is the number of distinct forwarding URLs, bound or not, plus the number of bound relays. It is reported
 *   even when the capability is off.
 * - blocklists: `disabled` without the capability, with 0, null and null; else `not_configured` (a warning) without a
 *   list; else `error` when a list has an error; else `ready`, even when every list is paused. `lastFetchedAt` is the
 *   latest of all lists. `lastError` comes from the list with an error that was fetched last (a list that was never
 *   fetched counts as the oldest); ties are broken by the text.
 *
 * `ready` is true when there is no blocker. Warnings do not affect it.
 */
import type { AccountStatusResponse, Blocker, ConnectionStatus, Warning } from '@svc/contract/types';
import type { BlockerCode, BlocklistStatus, ComponentStatus, WarningCode } from '@svc/contract/vocabulary';
import { connectionDashboardUrl, statusCodeDocUrl } from './dashboard-links.ts';
import { compareValues, sortById, sortedUnique } from '../values/order.ts';
import { STATUS_CODES } from '../errors/status-codes.ts';

/** The facts that decide the status of a connection. */
export interface ConnectionFacts {
  readonly id: number;
  readonly crm: string;
  readonly organizationId: string;
  readonly organizationDomain: string;
  readonly capabilities: { readonly sync: boolean; readonly destinations: boolean; readonly blocklists: boolean };
  readonly hasCrmToken: boolean;
  /** An error recorded on the connection itself, null when there is none. */
  readonly recordedError: string | null;
  readonly sources: readonly { readonly platform: string }[];
  /** Every forwarding destination of the connection, bound or not, with the union of its bindings' event types. */
  readonly destinations: readonly { readonly url: string; readonly eventTypes: readonly string[] }[];
  readonly replyRelays: readonly { readonly isBound: boolean }[];
  readonly blocklists: readonly BlocklistFacts[];
}

export interface BlocklistFacts {
  readonly isEnabled: boolean;
  readonly status: BlocklistStatus;
  readonly lastError: string | null;
  readonly lastFetchedAt: Date | null;
}

export interface AccountStatusInput {
  /** The connections the key sees, in any order. */
  readonly connections: readonly ConnectionFacts[];
  readonly now: Date;
  readonly dashboardUrl: string;
  readonly docsUrl: string;
}

/** Builds the body of `GET /account/status`. Connections and issues are ordered by connection id. */
export function accountStatus(input: AccountStatusInput): AccountStatusResponse {
  const connections = sortById(input.connections);
  const statuses = connections.map(statusOfConnection);
  const blockers = connections.flatMap((facts) => blockersOf(facts, input));
  const warnings = connections.flatMap((facts) => warningsOf(facts, input));
  return {
    ready: blockers.length === 0,
    checkedAt: input.now.toISOString(),
    connections: statuses,
    blockers,
    warnings,
  };
}

/** Returns the `status` of a connection, as shown here and in `GET /connections`. */
export function connectionStatus(
  facts: Pick<ConnectionFacts, 'hasCrmToken' | 'recordedError' | 'capabilities'>,
): ComponentStatus {
  if (!facts.hasCrmToken) return 'disconnected';
  if (!facts.capabilities.sync) return 'disabled';
  return facts.recordedError === null ? 'ready' : 'error';
}

function statusOfConnection(facts: ConnectionFacts): ConnectionStatus {
  const forwardingCount = countForwardingUrls(facts);
  const replyRelayCount = countBoundRelays(facts);
  return {
    connectionId: facts.id,
    crm: facts.crm,
    ready: facts.hasCrmToken,
    crmConnection: {
      status: connectionStatus(facts),
      crm: facts.crm,
      organizationId: facts.organizationId,
      organizationDomain: facts.organizationDomain,
    },
    sources: {
      status: facts.sources.length === 0 ? 'not_configured' : 'ready',
      count: facts.sources.length,
      platforms: sortedUnique(facts.sources.map(({ platform }) => platform)),
    },
    destinations: {
      status: destinationsStatus(facts),
      count: forwardingCount + replyRelayCount,
      eventTypes: sortedUnique(facts.destinations.flatMap(({ eventTypes }) => eventTypes)),
      forwardingCount,
      replyRelayCount,
    },
    blocklists: blocklistsComponent(facts),
  };
}

function countForwardingUrls(facts: ConnectionFacts): number {
  return new Set(facts.destinations.map(({ url }) => url)).size;
}

function countBoundRelays(facts: ConnectionFacts): number {
  return facts.replyRelays.filter(({ isBound }) => isBound).length;
}

function destinationsStatus(facts: ConnectionFacts): ComponentStatus {
  if (!facts.capabilities.destinations) return 'disabled';
  return countForwardingUrls(facts) + countBoundRelays(facts) === 0 ? 'not_configured' : 'ready';
}

function blocklistsStatus(facts: ConnectionFacts): ComponentStatus {
  if (!facts.capabilities.blocklists) return 'disabled';
  if (facts.blocklists.length === 0) return 'not_configured';
  return facts.blocklists.some(({ lastError }) => lastError !== null) ? 'error' : 'ready';
}

function blocklistsComponent(facts: ConnectionFacts): ConnectionStatus['blocklists'] {
  const status = blocklistsStatus(facts);
  if (status === 'disabled') return { status, enabledCount: 0, lastError: null, lastFetchedAt: null };
  return {
    status,
    enabledCount: facts.blocklists.filter(({ isEnabled }) => isEnabled).length,
    lastError: latestError(facts.blocklists),
    lastFetchedAt: latestFetch(facts.blocklists),
  };
}

function fetchedMs({ lastFetchedAt }: BlocklistFacts): number {
  return lastFetchedAt?.getTime() ?? Number.NEGATIVE_INFINITY;
}

function latestFetch(lists: readonly BlocklistFacts[]): string | null {
  const latest = Math.max(...lists.map(fetchedMs));
  return Number.isFinite(latest) ? new Date(latest).toISOString() : null;
}

function latestError(lists: readonly BlocklistFacts[]): string | null {
  const errors = lists.flatMap((list) =>
    list.lastError === null ? [] : [{ at: fetchedMs(list), text: list.lastError }],
  );
  errors.sort((a, b) => compareValues(b.at, a.at) || compareValues(a.text, b.text));
  return errors[0]?.text ?? null;
}

function blockersOf(facts: ConnectionFacts, urls: AccountStatusInput): Blocker[] {
  if (facts.hasCrmToken) return [];
  const message = `The connection to ${facts.crm} (${facts.organizationDomain}) has no valid access: nothing can be written to it.`;
  return [toIssue('crm_disconnected', facts, urls, message)];
}

function warningsOf(facts: ConnectionFacts, urls: AccountStatusInput): Warning[] {
  const warnings: Warning[] = [];
  if (destinationsStatus(facts) === 'not_configured') {
    const message = `Destinations are enabled on connection ${facts.id} (${facts.crm}), but there is no forwarding URL and no bound reply relay.`;
    warnings.push(toIssue('destinations_not_configured', facts, urls, message));
  }
  if (blocklistsStatus(facts) === 'not_configured') {
    const message = `Block lists are enabled on connection ${facts.id} (${facts.crm}), but none is set up.`;
    warnings.push(toIssue('blocklists_not_configured', facts, urls, message));
  }
  return warnings;
}

function toIssue(
  code: BlockerCode | WarningCode,
  facts: ConnectionFacts,
  urls: AccountStatusInput,
  message: string,
): Blocker & Warning {
  return {
    code,
    connectionId: facts.id,
    crm: facts.crm,
    message,
    remediation: `${STATUS_CODES[code].fix}: ${connectionDashboardUrl(urls.dashboardUrl, facts.id)}`,
    docUrl: statusCodeDocUrl(urls.docsUrl, code),
  };
}
