/**
 * Specification, "Resources and their fields": rows as the service keeps them, turned into what the API shows.
 *
 * The rule: instants become ISO-8601 UTC strings, lists are sorted and free of repeats, no value is `null` and never
 * absent, and an address is made from configuration, never from a request.
 */
import type { SyncStatus } from '@svc/contract/vocabulary';
import type { Connection, Source, Sync } from '@svc/contract/types';
import { type ConnectionFacts, connectionStatus } from './account-status.ts';
import { sortedUnique } from './order.ts';

export interface ConnectionRow {
  readonly id: number;
  readonly crm: string;
  readonly organizationId: string;
  readonly organizationDomain: string;
  readonly capabilities: ConnectionFacts['capabilities'];
  readonly hasCrmToken: boolean;
  readonly recordedError: string | null;
  readonly createdAt: Date;
}

export function toConnection(row: ConnectionRow): Connection {
  const { sync, destinations, blocklists } = row.capabilities;
  return {
    id: row.id,
    crm: row.crm,
    status: connectionStatus(row),
    organizationId: row.organizationId,
    organizationDomain: row.organizationDomain,
    capabilities: { sync, destinations, blocklists },
    createdAt: row.createdAt.toISOString(),
  };
}

export interface SourceRow {
  readonly id: number;
  readonly platform: string;
  /** Ingress code, or `hubId/ownerId` of a legacy source. */
  readonly path: string;
  readonly connectionId: number;
  readonly crm: string;
  readonly config: {
    readonly createOrUpdateCompany: boolean;
    readonly createOrUpdateTask: boolean;
    readonly assignContactOwner: boolean;
    readonly salesforceObjectType: string | null;
  };
  readonly destinations: readonly {
    readonly url: string;
    readonly description: string;
    readonly eventTypes: readonly string[];
    readonly isDelayed: boolean;
  }[];
  readonly replyRelay: {
    readonly id: number;
    readonly description: string;
    readonly ccEmail: string;
    readonly delayMinutes: number;
  } | null;
  readonly createdAt: Date;
}

export function toSource(row: SourceRow, syncUrl: string): Source {
  const { createOrUpdateCompany, createOrUpdateTask, assignContactOwner, salesforceObjectType } = row.config;
  return {
    id: row.id,
    url: inboundUrl(syncUrl, row.path),
    platform: row.platform,
    connectionId: row.connectionId,
    crm: row.crm,
    config: { createOrUpdateCompany, createOrUpdateTask, assignContactOwner, salesforceObjectType },
    destinations: row.destinations.map(({ url, description, eventTypes, isDelayed }) => ({
      url,
      description,
      eventTypes: sortedUnique(eventTypes),
      isDelayed,
    })),
    replyRelay: row.replyRelay && {
      id: row.replyRelay.id,
      description: row.replyRelay.description,
      ccEmail: row.replyRelay.ccEmail,
      delayMinutes: row.replyRelay.delayMinutes,
    },
    createdAt: row.createdAt.toISOString(),
  };
}

/** The URL that a sequencer posts to; `path` is a code, or `hubId/ownerId` of a legacy source. */
export function inboundUrl(syncUrl: string, path: string): string {
  return `${syncUrl}/webhooks/${path}`;
}

export interface SyncRow {
  readonly id: number;
  readonly status: SyncStatus;
  readonly connectionId: number;
  readonly sourceId: number | null;
  readonly eventType: string;
  readonly toEmail: string;
  readonly platform: string;
  readonly payloadId: number | null;
  readonly error: Sync['error'];
  readonly createdAt: Date;
}

export function toSync(row: SyncRow): Sync {
  return {
    id: row.id,
    status: row.status,
    connectionId: row.connectionId,
    sourceId: row.sourceId,
    eventType: row.eventType,
    toEmail: row.toEmail,
    platform: row.platform,
    payloadId: row.payloadId,
    error: row.error,
    createdAt: row.createdAt.toISOString(),
  };
}
