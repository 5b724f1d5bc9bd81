/** Converts the filters of `mock.db` to predicates. */
import { Query } from '@msw/data';
import { isPartOf } from '../state/verify.ts';
import type { RowFilter, RowPick, RowSelection, RowWhere } from './types.ts';

/** Null matches every row. */
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

/** Distinguishes a selection from a row, which has an id. */
function isSelection<Row extends object>(filter: Exclude<RowFilter<Row>, () => unknown>): filter is RowSelection<Row> {
  return !('id' in filter);
}

/** Matches values by equality, dates by instant, objects by the given parts and functions by their result. */
function matches<Row extends object>(where: RowWhere<Row>, row: Row): boolean {
  return Object.entries(where).every(([field, wanted]) => {
    const value: unknown = Reflect.get(row, field);
    if (wanted === undefined) return true;
    if (typeof wanted === 'function') return Boolean(Reflect.apply(wanted, undefined, [value]));
    if (wanted instanceof Date) return value instanceof Date && wanted.getTime() === value.getTime();
    return isPartOf(wanted, value);
  });
}
