/**
 * Specification, "Observability": which filter wins when several are sent, for lists and for their metrics.
 *
 * The rule, in this order: a source that is missing or not within reach is a 404, then a destination; after that a
 * `connectionId` outside the access leaves nothing, which is an empty page or zeros; else the connection it names is
 * left, or every one that the key sees. A source and a connection that have nothing to do with each other are both
 * applied, and leave nothing by themselves.
 */
import { type Access, canSeeConnection } from './access.ts';
import { notFound } from '../errors/errors.ts';

/** A source or destination named by a filter or by the path. */
export interface NamedRow {
  /** As it was sent. */
  readonly id: number;
  /** Of the row with this id; null when there is no such row, or it belongs to no connection. */
  readonly connectionId: number | null;
}

export interface ListFilters {
  /** Absent when the filter was not sent; so are the others. */
  readonly source?: NamedRow | undefined;
  readonly destination?: NamedRow | undefined;
  readonly connectionId?: number | undefined;
}

/**
 * The connections whose rows are left, ascending; empty when none is.
 *
 * @throws ApiError 404 naming the source or the destination
 */
export function filteredConnectionIds(
  access: Access,
  { source, destination, connectionId }: ListFilters,
): readonly number[] {
  assertWithinReach(access, 'Source', source);
  assertWithinReach(access, 'Destination', destination);
  if (connectionId === undefined) return access.connectionIds;
  return access.connectionIds.includes(connectionId) ? [connectionId] : [];
}

/**
 * Whether a list of requests, or their count, also holds those whose source is gone, which belong to no connection: for
 * an account key, without a filter, as long as it has any source at all (specification: without one the page is empty).
 *
 * @param hasSources whether a connection of the access has a source; only asked when it matters
 */
export function showsOrphanedRequests<Answer extends boolean | Promise<boolean>>(
  access: Access,
  filters: { readonly sourceId?: number | undefined; readonly connectionId?: number | undefined },
  hasSources: () => Answer,
): false | Answer {
  const isUnfiltered = filters.sourceId === undefined && filters.connectionId === undefined;
  return isUnfiltered && access.accountScoped && hasSources();
}

function assertWithinReach(access: Access, resource: 'Source' | 'Destination', row: NamedRow | undefined): void {
  if (row === undefined) return;
  if (row.connectionId === null || !canSeeConnection(access, row.connectionId)) throw notFound(resource, row.id);
}
