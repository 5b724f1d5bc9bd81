/** Specification, "Source". */
import type { Source } from '@svc/contract/types';
import { withoutTrailingSlash } from '../account/dashboard-links.ts';
import { sortedUnique } from '../values/order.ts';

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

/** Returns the URL that a sequencer posts to. `syncUrl` may end in a slash. */
export function inboundUrl(syncUrl: string, path: string): string {
  return `${withoutTrailingSlash(syncUrl)}/webhooks/${path}`;
}
