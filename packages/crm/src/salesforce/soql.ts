/** Writes queries. */

/** Returns a text as a literal. A quote or backslash in a value never ends it. */
export function quote(value: string): string {
  return `'${escape(value)}'`;
}

/** Returns a condition that is true when the field is one of the values. */
export function isIn(field: string, values: readonly string[]): string {
  return `${field} IN (${values.map(quote).join(',')})`;
}

/** Returns a condition that is true when the field contains the text. */
export function contains(field: string, text: string): string {
  return `${field} LIKE '%${escape(text).replaceAll(/[%_]/g, String.raw`\$&`)}%'`;
}

/** Joins conditions; Salesforce refuses AND beside OR without parentheses. */
export function anyOf(conditions: readonly string[]): string {
  return conditions.length === 1 ? conditions.join('') : `(${conditions.join(' OR ')})`;
}

function escape(value: string): string {
  return value
    .replaceAll('\\', '\\\\')
    .replaceAll("'", String.raw`\'`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`);
}
