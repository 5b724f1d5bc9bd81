/**
 * The precedence of filters in the log lists and their metrics (`listSyncs`, `getSyncMetrics`, ...).
 *
 * The rule, in this order: a source that does not exist for the key is a 404; so is a destination. A `connectionId` that the
 * key does not see gives an empty page or zeros. Otherwise the result holds rows of the named connection, or of all
 * connections the key sees. All filters apply together, so a source of another connection gives an empty result.
 */
import { type Access, canSeeConnection } from './access.ts';
import { notFound } from '../errors/errors.ts';

/** A source or destination named by a filter or by the path. */
export interface NamedRow {
  /** As it was sent. */
  readonly id: number;
  /** Connection of the row; null when the row does not exist or has no connection. */
  readonly connectionId: number | null;
}

export interface ListFilters {
  /** Undefined, like the other filters, when it was not sent. */
  readonly source?: NamedRow | undefined;
  readonly destination?: NamedRow | undefined;
  readonly connectionId?: number | undefined;
}

/**
 * Returns the ids of the connections whose rows match the filters, ascending.
 *
 * @throws ApiError 404 naming the source or the destination
 */
export function filteredConnectionIds(
  access: Access,
  { source, destination, connectionId }: ListFilters,
): readonly number[] {
  assertVisible(access, 'Source', source);
  assertVisible(access, 'Destination', destination);
  if (connectionId === undefined) return access.connectionIds;
  return access.connectionIds.includes(connectionId) ? [connectionId] : [];
}

/**
 * Whether a list or count of requests includes those of deleted sources, which have no connection: for an account key,
 * without a filter, when the key sees at least one source (`listRequests`: without a source the page is empty).
 *
 * @param hasSources whether the key sees a source; called only when it matters
 */
export function includesRequestsOfDeletedSources<Answer extends boolean | Promise<boolean>>(
  access: Access,
  filters: { readonly sourceId?: number | undefined; readonly connectionId?: number | undefined },
  hasSources: () => Answer,
): false | Answer {
  const isUnfiltered = filters.sourceId === undefined && filters.connectionId === undefined;
  return isUnfiltered && access.accountScoped && hasSources();
}

/**
 * Returns the connections whose deliveries a list or count includes: none when the key sees no destination, so that
 * deliveries of deleted destinations are hidden too (`listDeliveries`: without a destination the page is empty).
 *
 * @param connectionIds what `filteredConnectionIds` returned
 * @param hasDestinations whether the key sees a destination
 */
export function connectionIdsOfDeliveries(
  connectionIds: readonly number[],
  hasDestinations: boolean,
): readonly number[] {
  return hasDestinations ? connectionIds : [];
}

function assertVisible(access: Access, resource: 'Source' | 'Destination', row: NamedRow | undefined): void {
  if (row === undefined) return;
  if (row.connectionId === null || !canSeeConnection(access, row.connectionId)) throw notFound(resource, row.id);
}
