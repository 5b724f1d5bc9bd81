/** Specification, "Source". */
import { sourceSchema } from '@svc/contract/schemas';
import type { Source } from '@svc/contract/types';
import { withoutTrailingSlash } from '../account/dashboard-links.ts';
import { sortedUnique } from '../values/order.ts';
import { pickShape } from '../values/pick-shape.ts';

/** A source with what its connection and bindings add. Derived from the contract: a new field needs no line here. */
export interface SourceRow extends Omit<Source, 'url' | 'createdAt'> {
  /** Ingress code, or `hubId/ownerId` of a legacy source. */
  readonly path: string;
  readonly createdAt: Date;
}

export function toSource(row: SourceRow, syncUrl: string): Source {
  return pickShape(sourceSchema, {
    ...row,
    url: inboundUrl(syncUrl, row.path),
    destinations: row.destinations.map((each) => ({ ...each, eventTypes: sortedUnique(each.eventTypes) })),
    createdAt: row.createdAt.toISOString(),
  }) as Source;
}

/** Returns the URL that a sequencer posts to. `syncUrl` may end in a slash. */
export function inboundUrl(syncUrl: string, path: string): string {
  return `${withoutTrailingSlash(syncUrl)}/webhooks/${path}`;
}
