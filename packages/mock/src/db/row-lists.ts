/** Common functions for a world's arrays of configured rows and its logs, by kind. */
import type { DbKind, DbRows } from '../generated/row-types.ts';
import { addRow, changeRow, findRow, type Log, removeRow } from '../state/log.ts';
import type { WorldData } from '../state/world-data.ts';

export type RowId<Kind extends DbKind> = DbRows[Kind]['id'];
type RowList<Row extends DbRows[DbKind]> = readonly Row[] | Log<Row>;

/** Returns the list: configured rows by ascending id, webhooks by creation, logs oldest first. */
export function listOf<Kind extends DbKind>(data: WorldData, kind: Kind): RowList<DbRows[Kind]> {
  // `row-schemas.test.ts` proves that both row types are the same.
  return data[kind] as unknown as RowList<DbRows[Kind]>;
}

export function isLog<Row extends DbRows[DbKind]>(list: RowList<Row>): list is Log<Row> {
  return 'chunks' in list;
}

export function findRowOf<Kind extends DbKind>(data: WorldData, kind: Kind, id: RowId<Kind>): DbRows[Kind] | null {
  const list = listOf(data, kind);
  return isLog(list) ? findRow(list, id) : (list.find((row) => row.id === id) ?? null);
}

/** Adds a row in its place. */
export function withRow<Kind extends DbKind>(data: WorldData, kind: Kind, row: DbRows[Kind]): WorldData {
  const list = listOf(data, kind);
  if (isLog(list)) return { ...data, [kind]: addRow(list, row) };
  const at = list.findIndex((other) => isBefore(kind, row, other));
  return { ...data, [kind]: list.toSpliced(at === -1 ? list.length : at, 0, row) };
}

/** Replaces the row with the same id. */
export function withChangedRow<Kind extends DbKind>(data: WorldData, kind: Kind, row: DbRows[Kind]): WorldData {
  const list = listOf(data, kind);
  if (isLog(list)) return { ...data, [kind]: changeRow(list, row.id, () => row) };
  return withRow({ ...data, [kind]: list.filter(({ id }) => id !== row.id) }, kind, row);
}

export function withoutRow<Kind extends DbKind>(data: WorldData, kind: Kind, id: RowId<Kind>): WorldData {
  const list = listOf(data, kind);
  return { ...data, [kind]: isLog(list) ? removeRow(list, id) : list.filter((row) => row.id !== id) };
}

function isBefore(kind: DbKind, a: DbRows[DbKind], b: DbRows[DbKind]): boolean {
  const distanceMs = kind === 'webhooks' ? a.createdAt.getTime() - b.createdAt.getTime() : 0;
  return distanceMs < 0 || (distanceMs === 0 && a.id < b.id);
}
