/**
 * SQL from field names: the field `createdAt` is the column `created_at`. Tables and fields come from code, never from
 * input.
 */
import type { Db } from './db.ts';

/** A row by its fields. Undefined ones are left out. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns a row by its columns. */
export function toColumns(fields: Fields): Record<string, unknown> {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([field, value]) => [columnOf(field), value]));
}

/** Returns the select list that reads these fields from a table. */
export function selectFields(table: string, fields: readonly string[]): string {
  return fields.map((field) => `${table}.${columnOf(field)} as "${field}"`).join(', ');
}

/** Returns an expression for a JSON object with these fields of a table. */
export function jsonOfFields(table: string, fields: readonly string[]): string {
  return `json_build_object(${fields.map((field) => `'${field}', ${table}.${columnOf(field)}`).join(', ')})`;
}

/** Inserts a row and returns the select list `returning` of it. */
export async function insertRow<Row extends object>(
  db: Db,
  table: string,
  fields: Fields,
  returning = 'id',
): Promise<Row> {
  const row = await insert<Row>(db, table, fields, `returning ${returning}`);
  if (!row) throw new Error(`No row was inserted into ${table}.`);
  return row;
}

/** Inserts a row and returns its id, or null when a row with the same fields of `key` exists. */
export async function insertNewRow(
  db: Db,
  table: string,
  fields: Fields,
  key: string | readonly string[],
): Promise<number | null> {
  const columns = [key].flat().map((field) => columnOf(field));
  const end = `on conflict (${columns.join(', ')}) do nothing returning id`;
  const row = await insert<{ id: number }>(db, table, fields, end);
  return row?.id ?? null;
}

async function insert<Row extends object>(db: Db, table: string, fields: Fields, end: string): Promise<Row | null> {
  const row = toColumns(fields);
  const columns = Object.keys(row);
  const { rows } = await db.query<Row>(
    `insert into ${table} (${columns.join(', ')}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')}) ${end}`,
    Object.values(row),
  );
  return rows[0] ?? null;
}

/** Changes a row and returns the select list `returning` of it; null when there is no row with this id. */
export async function updateRow<Row extends object>(
  db: Db,
  table: string,
  id: number | string,
  fields: Fields,
  returning = 'id',
): Promise<Row | null> {
  const row = toColumns(fields);
  const changes = Object.keys(row).map((column, index) => `${column} = $${index + 2}`);
  const { rows } = await db.query<Row>(
    `update ${table} set ${changes.join(', ')} where id = $1 returning ${returning}`,
    [id, ...Object.values(row)],
  );
  return rows[0] ?? null;
}

const columns = new Map<string, string>();

function columnOf(field: string): string {
  const column = columns.get(field) ?? field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  columns.set(field, column);
  return column;
}
