/** Names of columns for fields of the API: the field `connectionId` is the column `connection_id`. */

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

/** The columns for an object's fields. */
export type ColumnsOf<Fields> = { [Name in keyof Fields & string as SnakeCase<Name>]: Fields[Name] };

/** Renames fields to their columns. */
export function toColumns<Fields extends object>(fields: Fields): ColumnsOf<Fields> {
  const columns = Object.entries(fields).map(([name, value]) => [toColumnName(name), value]);
  return Object.fromEntries(columns) as ColumnsOf<Fields>;
}

/** Returns the select list that reads these fields from a table. */
export function selectFields(table: string, fields: readonly string[]): string {
  return fields.map((name) => `${table}.${toColumnName(name)} as "${name}"`).join(', ');
}

/** Returns an expression for a JSON object with these fields of a table. */
export function jsonOfFields(table: string, fields: readonly string[]): string {
  const pairs = fields.map((name) => `'${name}', ${table}.${toColumnName(name)}`);
  return `json_build_object(${pairs.join(', ')})`;
}

const columnNames = new Map<string, string>();

function toColumnName(field: string): string {
  const known = columnNames.get(field);
  if (known !== undefined) return known;
  const column = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  columnNames.set(field, column);
  return column;
}
