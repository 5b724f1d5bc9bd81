/** The contract's `Source`. */
import { SOURCE_FIELDS } from '@svc/contract/fields';
import type { Source } from '@svc/contract/types';
import { withoutTrailingSlash } from '../account/dashboard-links.ts';
import { sortedUnique } from '../values/order.ts';
import { pickFields } from '../values/pick-fields.ts';

/** A source with what its connection and bindings add. Derived from the contract: a new field needs no line here. */
export interface SourceRow extends Omit<Source, 'url' | 'createdAt'> {
  /** Ingress code, or `hubId/ownerId` of a legacy source. */
  readonly path: string;
  readonly createdAt: Date;
}

export function toSource(row: SourceRow, syncUrl: string): Source {
  return pickFields(SOURCE_FIELDS, {
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
