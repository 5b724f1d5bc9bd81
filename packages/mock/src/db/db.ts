/**
 * `mock.db`: reads and changes the rows of a world. Configured rows are queried through Collections of `@msw/data`, refilled when
 * the world's rows have changed; logs are read directly.
 */
import { Collection, Query } from '@msw/data';
import { compareNewestFirst } from '@svc/domain/requests/page';
import type * as z from 'zod';
import type { DbKind, DbRows } from '../generated/row-types.ts';
import { newestFirst } from '../state/log.ts';
import { CONFIGURED_KINDS, LOG_KINDS } from '../state/world-data.ts';
import { isPartOf } from '../state/verify.ts';
import { update, type World } from '../state/world.ts';
import { isLog, listOf } from './row-lists.ts';
import { rowSchemasOf } from './row-schemas.ts';
import { deleteRows, insertRow, updateRow } from './rows.ts';
import type { MockDb, MockRows, RowFilter, RowPage, RowPick, RowSelection, RowWhere } from './types.ts';

/** @param now reads the clock of the world */
export function createDb(world: World, now: () => Date): MockDb {
  const kinds: readonly DbKind[] = [...CONFIGURED_KINDS, ...LOG_KINDS];
  return Object.fromEntries(kinds.map((kind) => [kind, createRows(world, kind, now)])) as unknown as MockDb;
}

/** Reads the matching rows in list order; logs newest first. */
type ReadRows<Row> = (predicate: Predicate<Row>) => Row[];

function createRows<Kind extends DbKind>(world: World, kind: Kind, now: () => Date): MockRows<DbRows[Kind]> {
  type Row = DbRows[Kind];
  const read: ReadRows<Row> = isLog(listOf(world.state.data, kind))
    ? logReader(world, kind)
    : collectionReader(world, kind);
  const findMany: MockRows<Row>['findMany'] = (filter, page = {}) =>
    pageOf(read(toPredicate<Row>(filter)), { ...toSelection<Row>(filter), ...page }).map(frozen);
  const change = async (row: Readonly<Row>, data: (draft: Row) => void | Promise<void>) => {
    const draft: Row = structuredClone<object>(row) as Row;
    await data(draft);
    // Writes only the changed fields, so that what the API wrote meanwhile stays.
    const changes = Object.fromEntries(
      Object.entries(draft).filter(
        ([field, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(row, field)),
      ),
    ) as Partial<Row>;
    const changed = updateRow(world, kind, row.id, changes, now());
    return changed === null ? undefined : frozen(changed);
  };

  return {
    create: async (values = {}) => frozen(insertRow(world, kind, values, now())),
    async createMany(count, values = () => ({})) {
      const before = world.state.data;
      try {
        return Array.from({ length: count }, (_, index) => frozen(insertRow(world, kind, values(index), now())));
      } catch (error) {
        update(world, { data: before });
        throw error;
      }
    },
    findFirst: (filter) => findMany(filter)[0],
    findMany,
    async update(filter, { data }) {
      const row = findMany(filter)[0];
      return row === undefined ? undefined : change(row, data);
    },
    async updateMany(filter, { data }) {
      const changed = [];
      for (const row of findMany(filter)) changed.push(await change(row, data));
      return changed.filter((row) => row !== undefined);
    },
    delete(filter) {
      const row = findMany(filter)[0];
      if (row !== undefined) deleteRows(world, kind, [row.id]);
      return row;
    },
    deleteMany(filter) {
      const rows = findMany(filter);
      deleteRows(
        world,
        kind,
        rows.map(({ id }) => id),
      );
      return rows;
    },
    count: (filter) => findMany(filter).length,
    all: () => findMany(),
  };
}

/** Fills the Collection's array of records directly: `create` would be asynchronous for each row. */
function collectionReader<Kind extends DbKind>(world: World, kind: Kind): ReadRows<DbRows[Kind]> {
  // The compiler cannot infer the schema's type of a generic kind.
  const collection = new Collection<z.ZodType<object>>({ schema: rowSchemasOf(world.branding)[kind] });
  let held: unknown = null;
  return (predicate) => {
    const list = listOf(world.state.data, kind);
    if (held !== list && !isLog(list)) {
      const records: object[] = collection.all();
      records.splice(0, records.length, ...list);
      held = list;
    }
    const matches = predicate as Predicate<object>;
    const rows: object[] =
      matches === null ? collection.findMany() : collection.findMany((query) => query.where(matches));
    return rows as DbRows[Kind][];
  };
}

function logReader<Kind extends DbKind>(world: World, kind: Kind): ReadRows<DbRows[Kind]> {
  return (predicate) => {
    const list = listOf(world.state.data, kind);
    const rows = isLog(list) ? [...newestFirst(list)] : [];
    return predicate === null ? rows : rows.filter(predicate);
  };
}

/** Sorts the rows and returns the requested part. */
function pageOf<Row extends DbRows[DbKind]>(rows: Row[], { orderBy, skip = 0, take = Infinity }: RowPage): Row[] {
  const sorted = orderBy === undefined ? rows : rows.toSorted(BY[orderBy]);
  return sorted.slice(skip, skip + take);
}

type Dated = Parameters<typeof compareNewestFirst>[0];

const BY = {
  newest: (a: Dated, b: Dated) => compareNewestFirst(a, b),
  oldest: (a: Dated, b: Dated) => compareNewestFirst(b, a),
};

/** Freezes a row deeply: worlds share rows, so a change in place must throw. */
function frozen<Row extends object>(row: Row): Readonly<Row> {
  for (const value of Object.values(row)) {
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) frozen(value);
  }
  return Object.freeze(row);
}

/** What a filter of `mock.db` says of a row. Null matches every row. */
type Predicate<Row> = ((row: Row) => boolean) | null;

function toPredicate<Row extends object>(filter: RowFilter<Row> | undefined): Predicate<Row> {
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

function toSelection<Row extends object>(filter: RowFilter<Row> | undefined): RowSelection<Row> {
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
