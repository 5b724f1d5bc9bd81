/** The types of `mock.db`. */
import type { DbKind, DbRows } from '../generated/row-types.ts';

export type MockDb = { readonly [Kind in DbKind]: MockRows<DbRows[Kind]> };

/**
 * The rows of one kind, shared with the API in both directions. Returned rows are frozen; `update` changes them.
 */
export interface MockRows<Row extends object> {
  /**
   * Adds a row. Omitted fields get defaults: the next id, world time, the first API-enabled connection and its source.
   * @throws RowError (as a rejection) when the row is invalid, for example refers to a missing connection
   * @example await mock.db.syncs.create({ status: 'error' })
   */
  create(values?: Partial<Row>): Promise<Readonly<Row>>;
  /** Adds `count` rows, or none when one of them is invalid. */
  createMany(count: number, values?: (index: number) => Partial<Row>): Promise<Readonly<Row>[]>;
  /** Returns the first matching row in the order of `findMany`. */
  findFirst(filter?: RowFilter<Row>): Readonly<Row> | undefined;
  /**
   * Returns the matching rows: logs newest first, others in the order of the API.
   * @example mock.db.syncs.findMany({ where: { status: 'error' }, take: 10 })
   * @example mock.db.sources.findMany((q) => q.where({ platform: 'smartlead' }))
   */
  findMany(filter?: RowFilter<Row>, page?: RowPage): Readonly<Row>[];
  /**
   * Changes the first matching row.
   * @returns the changed row; undefined when none matches
   * @example await mock.db.connections.update({ where: { id: 1 } }, { data(row) { row.crmToken = null; } })
   */
  update(filter: RowFilter<Row>, change: RowChange<Row>): Promise<Readonly<Row> | undefined>;
  updateMany(filter: RowFilter<Row>, change: RowChange<Row>): Promise<Readonly<Row>[]>;
  /**
   * Deletes the first matching row.
   * @throws RowError when another row refers to it
   */
  delete(filter: RowFilter<Row>): Readonly<Row> | undefined;
  deleteMany(filter?: RowFilter<Row>): Readonly<Row>[];
  count(filter?: RowFilter<Row>): number;
  all(): Readonly<Row>[];
}

/** A row, a selection, or a query of `@msw/data`. */
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

/** For each field a value, a part of an object, or a predicate. */
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
  /** Changes a copy of the row in place. */
  readonly data: (draft: Row) => void | Promise<void>;
}

export class RowError extends Error {
  override readonly name = 'RowError';
}
