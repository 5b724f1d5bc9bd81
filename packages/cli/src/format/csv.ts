/** A cell that a spreadsheet would take for a formula when it begins so (OWASP's list); a quote in front makes it text. */
const FORMULA_START = /^[=+\-@\t\r\n]/;

/** RFC 4180 with `\n` at the ends of lines. Objects go in as JSON, null as nothing. */
export function formatCsvLine(values: readonly unknown[]): string {
  return `${values.map((value) => formatCsvCell(value)).join(',')}\n`;
}

export function formatCsvCell(value: unknown, delimiter = ','): string {
  if (value === null || value === undefined) return '';
  // Numbers and booleans are ours: only text can carry a formula.
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return quoteCsvCell(FORMULA_START.test(text) ? `'${text}` : text, delimiter);
}

/** The text as it is, in quotes where it would be read as more than a cell. */
export function quoteCsvCell(text: string, delimiter: string): string {
  return /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
}
