/**
 * The body of `getAccountStatus`, and the `status` of `listConnections`.
 *
 * The rule, per connection:
 * - crmConnection: `disconnected` when the CRM token is missing (the only blocker); else `disabled` when the connection
 *   may not sync; else `error` when an error is recorded (a warning with its text); else `ready`.
 * - sources: `not_configured` without a source, else `ready`.
 * - destinations: `disabled` without the capability; else `not_configured` (a warning) when the count is 0; else `ready`.
 *   The count is the number of distinct forwarding URLs, bound or not, plus the number of bound relays. It is reported
 *   even when the capability is off.
 * - blocklists: `disabled` without the capability; else `not_configured` (a warning) without a list; else `error` when a
 *   list has an error (a warning with its text); else `ready`, even when every list is paused. The numbers are reported even
 *   when the capability is off. `lastFetchedAt` is the latest of all lists. `lastError` comes from the list with an error that was fetched last (a list that was never
 *   fetched counts as the oldest); ties are broken by the text.
 * - A source is not understood (a warning) when, of its last 20 processed receipts of the last seven days, at least three and
 *   at least half have the outcome `unparsed`. Few payloads that are not understood are normal: tests of the URL, or one
 *   event among many. Reading receipts again changes their outcomes, and so ends the warning at once. A connection has at
 *   most one such warning, which names its sources.
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
  readonly sources: readonly SourceFacts[];
  /** Every forwarding destination of the connection, bound or not, with the union of its bindings' event types. */
  readonly destinations: readonly { readonly url: string; readonly eventTypes: readonly string[] }[];
  readonly replyRelays: readonly { readonly isBound: boolean }[];
  readonly blocklists: readonly BlocklistFacts[];
}

export interface SourceFacts {
  readonly id: number;
  readonly platform: string;
  /**
   * Outcomes of the last `RECENT_RECEIPTS_MAX` receipts of the last `RECENT_RECEIPTS_MS` that were processed. Outcomes
   * of a source without an `unparsed` one may be left out.
   */
  readonly recentOutcomes: readonly string[];
}

/** How many receipts of a source decide whether it is understood, and how old they may be: 7 days. */
export const RECENT_RECEIPTS_MAX = 20;
export const RECENT_RECEIPTS_MS = 7 * 24 * 60 * 60_000;
const NOT_UNDERSTOOD_MIN = 3;
/** So that the warning of a connection with many sources stays readable. */
const NAMED_SOURCES_MAX = 5;

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

/** Returns how many of a source's recent receipts were not understood; null when that is few enough. */
export function countNotUnderstood({ recentOutcomes }: Pick<SourceFacts, 'recentOutcomes'>): number | null {
  const count = recentOutcomes.filter((outcome) => outcome === 'unparsed').length;
  return count >= NOT_UNDERSTOOD_MIN && count * 2 >= recentOutcomes.length ? count : null;
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
  return {
    status: blocklistsStatus(facts),
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
  if (connectionStatus(facts) === 'error') {
    const message = `The connection to ${facts.crm} (${facts.organizationDomain}) has a recorded error: ${facts.recordedError}`;
    warnings.push(toIssue('crm_connection_error', facts, urls, message));
  }
  if (destinationsStatus(facts) === 'not_configured') {
    const message = `Destinations are enabled on connection ${facts.id} (${facts.crm}), but there is no forwarding URL and no bound reply relay.`;
    warnings.push(toIssue('destinations_not_configured', facts, urls, message));
  }
  if (blocklistsStatus(facts) === 'not_configured') {
    const message = `Block lists are enabled on connection ${facts.id} (${facts.crm}), but none is set up.`;
    warnings.push(toIssue('blocklists_not_configured', facts, urls, message));
  }
  if (blocklistsStatus(facts) === 'error') {
    const message = `A block list on connection ${facts.id} (${facts.crm}) has a recorded error: ${latestError(facts.blocklists)}`;
    warnings.push(toIssue('blocklists_error', facts, urls, message));
  }
  const unread = describeUnreadSources(facts);
  if (unread !== null) {
    const message = `Requests on connection ${facts.id} (${facts.crm}) are not understood: ${unread}. They are kept, and nothing was written to the CRM for them.`;
    warnings.push(toIssue('source_events_not_understood', facts, urls, message));
  }
  return warnings;
}

/** For example `source 7 (lemlist) 12 of the last 20`; null when every source is understood. */
function describeUnreadSources({ sources }: ConnectionFacts): string | null {
  const unread = sortById(sources).flatMap((source) => {
    const count = countNotUnderstood(source);
    return count === null
      ? []
      : [`source ${source.id} (${source.platform}) ${count} of the last ${source.recentOutcomes.length}`];
  });
  if (unread.length === 0) return null;
  const named = unread.slice(0, NAMED_SOURCES_MAX);
  const more = unread.length - named.length;
  return [...named, ...(more === 0 ? [] : [`${more} more`])].join(', ');
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
