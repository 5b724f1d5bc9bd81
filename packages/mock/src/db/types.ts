/** `mock.db` as a test sees it. */
import type { DbKind, DbRows } from '../generated/row-types.ts';

export type MockDb = { readonly [Kind in DbKind]: MockRows<DbRows[Kind]> };

/**
 * The rows of one kind. What the API writes is seen here at once, and what is written here is seen by the API. Rows that are
 * returned cannot be changed in place; `update` changes them.
 */
export interface MockRows<Row extends object> {
  /**
   * Adds a row. What is left out gets a default: the next id, world time, the first API-enabled connection and its source.
   * @throws RowError (as a rejection) when the row is not sound, e.g. names a connection that there is not
   * @example await mock.db.syncs.create({ status: 'error' })
   */
  create(values?: Partial<Row>): Promise<Readonly<Row>>;
  /** Adds as many rows, or none when one of them is not sound. */
  createMany(count: number, values?: (index: number) => Partial<Row>): Promise<Readonly<Row>[]>;
  /** The first row that fits, in the order of `findMany`. */
  findFirst(filter?: RowFilter<Row>): Readonly<Row> | undefined;
  /**
   * The rows that fit: logs newest first, the others in the order in which the API lists them.
   * @example mock.db.syncs.findMany({ where: { status: 'error' }, take: 10 })
   * @example mock.db.sources.findMany((q) => q.where({ platform: 'smartlead' }))
   */
  findMany(filter?: RowFilter<Row>, page?: RowPage): Readonly<Row>[];
  /**
   * Changes the first row that fits.
   * @returns the row as it is then; undefined when none fits
   * @example await mock.db.connections.update({ where: { id: 1 } }, { data(row) { row.crmToken = null; } })
   */
  update(filter: RowFilter<Row>, change: RowChange<Row>): Promise<Readonly<Row> | undefined>;
  updateMany(filter: RowFilter<Row>, change: RowChange<Row>): Promise<Readonly<Row>[]>;
  /**
   * Deletes the first row that fits.
   * @throws RowError when another row names it
   */
  delete(filter: RowFilter<Row>): Readonly<Row> | undefined;
  deleteMany(filter?: RowFilter<Row>): Readonly<Row>[];
  count(filter?: RowFilter<Row>): number;
  all(): Readonly<Row>[];
}

/** A row itself, a plain object, or a query in the manner of `@msw/data`. */
export type RowFilter<Row extends object> = Readonly<Row> | RowSelection<Row> | ((query: RowPick<Row>) => RowPick<Row>);

export interface RowPage {
  readonly skip?: number;
  readonly take?: number;
  /** By `createdAt`, then `id`. */
  readonly orderBy?: 'newest' | 'oldest';
}

export interface RowSelection<Row extends object> extends RowPage {
  readonly id?: never;
  readonly where?: RowWhere<Row> | ((row: Readonly<Row>) => boolean);
}

/** Values that fields have; of objects the parts that matter; or a function that says whether a value will do. */
export type RowWhere<Row extends object> = {
  readonly [Field in keyof Row]?: Row[Field] | PartOf<Row[Field]> | ((value: Row[Field]) => unknown);
};

type PartOf<Value> = Value extends Date | readonly unknown[] ? Value : Value extends object ? Partial<Value> : Value;

/** A query of `@msw/data`. */
export interface RowPick<Row extends object> {
  where(condition: RowCondition<Row>): RowPick<Row>;
  and(...conditions: RowCondition<Row>[]): RowPick<Row>;
  or(...conditions: RowCondition<Row>[]): RowPick<Row>;
}

export type RowCondition<Row extends object> =
  | { readonly [Field in keyof Row]?: Row[Field] | ((value: Row[Field]) => unknown) }
  | ((row: Row) => unknown);

export interface RowChange<Row extends object> {
  /** Is given a copy of the row, to be changed in place. */
  readonly data: (draft: Row) => void | Promise<void>;
}

export class RowError extends Error {
  override readonly name = 'RowError';
}
