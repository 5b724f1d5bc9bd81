/** Common functions for log lists: connection filters and pages. */
import type { Page } from '@svc/contract/types';
import type { Access } from '@svc/domain/requests/access';
import type { CursorIds, CursorRows, Position } from '@svc/domain/requests/cursor';
import type { DateRange } from '@svc/domain/requests/date-range';
import { filteredConnectionIds } from '@svc/domain/requests/list-filters';
import { buildScannedPage } from '@svc/domain/requests/page';
import { type Log, newestFirst } from '../../state/log.ts';
import { destinationsById, sourcesById } from '../../state/row-indexes.ts';
import type { WorldData } from '../../state/world-data.ts';

export interface NamedFilters {
  readonly sourceId?: number | undefined;
  readonly destinationId?: number | undefined;
  readonly connectionId?: number | undefined;
}

/** Returns the ids of the connections that the filters select. @throws ApiError 404 for an inaccessible source or destination */
export function resolveConnectionIds(data: WorldData, access: Access, filters: NamedFilters): readonly number[] {
  const { sourceId, destinationId, connectionId } = filters;
  const connectionOf = (row: { readonly connectionId: number } | undefined) => row?.connectionId ?? null;
  return filteredConnectionIds(access, {
    source:
      sourceId === undefined
        ? undefined
        : { id: sourceId, connectionId: connectionOf(sourcesById(data.sources).get(sourceId)) },
    destination:
      destinationId === undefined
        ? undefined
        : { id: destinationId, connectionId: connectionOf(destinationsById(data.destinations).get(destinationId)) },
    connectionId,
  });
}

export interface PageQuery<Id extends number | string> {
  readonly range?: DateRange;
  /** Only rows strictly after this position. */
  readonly after: Position<Id> | undefined;
  readonly pageSize: number;
}

/** A list of a log. Rows that are not visible do not count towards the scan cap, rows that do not match do. */
export interface LogList<Row extends Position<CursorIds[Rows]>, Resource, Rows extends CursorRows> {
  readonly rowType: Rows;
  readonly rows: Log<Row>;
  readonly isVisible: (row: Row) => boolean;
  readonly matches: (row: Row) => boolean;
  readonly toResource: (row: Row) => Resource;
}

/**
 * Reads a page of a list.
 * @param scanCap maximum number of visible rows to scan; a page that reaches it is short or empty. Null is unlimited
 */
export function readPage<Row extends Position<CursorIds[Rows]>, Resource, Rows extends CursorRows>(
  { rowType, rows, isVisible, matches, toResource }: LogList<Row, Resource, Rows>,
  { range, after, pageSize }: PageQuery<CursorIds[Rows]>,
  scanCap: number | null,
): Page<Resource> {
  const cap = Math.max(1, scanCap ?? Infinity);
  const found: Row[] = [];
  let lastScanned: Row | null = null;
  let reachedEnd = true;
  let scannedCount = 0;
  for (const row of newestFirst(rows, { ...range, after })) {
    if (!isVisible(row)) continue;
    lastScanned = row;
    scannedCount += 1;
    if (matches(row)) found.push(row);
    // One row more than the page shows that there are more.
    if (found.length > pageSize || scannedCount >= cap) {
      reachedEnd = false;
      break;
    }
  }
  return buildScannedPage(found, pageSize, toPosition, toResource, rowType, { lastScanned, reachedEnd });
}

const toPosition = <Id extends number | string>(row: Position<Id>): Position<Id> => row;

/** Returns a predicate for rows of these connections. */
export function ofConnections(
  connectionIds: readonly number[],
): (row: { readonly connectionId: number | null }) => boolean {
  const wanted = new Set<number | null>(connectionIds);
  return ({ connectionId }) => wanted.has(connectionId);
}
