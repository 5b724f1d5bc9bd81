/** What the lists of the logs have in common: filters that name other rows, and pages of what is visible. */
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

/** The connections that the filters leave, by the domain's rule of which filter wins. Throws the 404 of a named row. */
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
  /** Rows strictly below this position. */
  readonly after: Position<Id> | undefined;
  readonly pageSize: number;
}

/** A list of a log. A row that is not visible does not exist for the caller; one that does not match is only passed over. */
export interface LogList<Row extends Position<CursorIds[Rows]>, Resource, Rows extends CursorRows> {
  readonly rowType: Rows;
  readonly rows: Log<Row>;
  readonly isVisible: (row: Row) => boolean;
  readonly matches: (row: Row) => boolean;
  readonly toResource: (row: Row) => Resource;
}

/**
 * A page of a list.
 * @param scanCap visible rows that are looked at before the page is answered as it is, short or empty; null for no cap
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
    // One more than the page proves that the list goes on.
    if (found.length > pageSize || scannedCount >= cap) {
      reachedEnd = false;
      break;
    }
  }
  return buildScannedPage(found, pageSize, toPosition, toResource, rowType, { lastScanned, reachedEnd });
}

const toPosition = <Id extends number | string>(row: Position<Id>): Position<Id> => row;

/** Whether a row belongs to one of the connections. */
export function ofConnections(
  connectionIds: readonly number[],
): (row: { readonly connectionId: number | null }) => boolean {
  const wanted = new Set<number | null>(connectionIds);
  return ({ connectionId }) => wanted.has(connectionId);
}
