/** Which rows are meant: the queries of `@msw/data`, and plain objects. */
import { Query } from '@msw/data';
import { isPartOf } from '../state/verify.ts';
import type { RowFilter, RowPick, RowSelection, RowWhere } from './types.ts';

/** Null: every row. */
export type Predicate<Row> = ((row: Row) => boolean) | null;

export function toPredicate<Row extends object>(filter: RowFilter<Row> | undefined): Predicate<Row> {
  if (filter === undefined) return null;
  if (typeof filter === 'function') {
    const query = filter(new Query<Row>() as unknown as RowPick<Row>) as unknown as Query<Row>;
    return (row) => query.test(row);
  }
  if (!isSelection(filter)) return (row) => Reflect.get(row, 'id') === Reflect.get(filter, 'id');
  const { where } = filter;
  if (where === undefined) return null;
  return typeof where === 'function' ? where : (row) => matches(where, row);
}

export function toSelection<Row extends object>(filter: RowFilter<Row> | undefined): RowSelection<Row> {
  return filter !== undefined && typeof filter !== 'function' && isSelection(filter) ? filter : {};
}

/** A row has an id; a selection has not. */
function isSelection<Row extends object>(filter: Exclude<RowFilter<Row>, () => unknown>): filter is RowSelection<Row> {
  return !('id' in filter);
}

/** Values are equal, instants are the same, objects hold the parts that are named, functions say yes. */
function matches<Row extends object>(where: RowWhere<Row>, row: Row): boolean {
  return Object.entries(where).every(([field, wanted]) => {
    const value: unknown = Reflect.get(row, field);
    if (wanted === undefined) return true;
    if (typeof wanted === 'function') return Boolean(Reflect.apply(wanted, undefined, [value]));
    if (wanted instanceof Date) return value instanceof Date && wanted.getTime() === value.getTime();
    return isPartOf(wanted, value);
  });
}
