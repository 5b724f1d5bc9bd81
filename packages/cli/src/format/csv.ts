/** The start of a cell that spreadsheets treat as a formula (OWASP's list). A leading quote makes it text. */
const FORMULA_START = /^[=+\-@\t\r\n]/;

/** Formats a line by RFC 4180 with a final `\n`. Objects become JSON, null becomes empty. */
export function formatCsvLine(values: readonly unknown[]): string {
  return `${values.map((value) => formatCsvCell(value)).join(',')}\n`;
}

export function formatCsvCell(value: unknown, delimiter = ','): string {
  if (value === null || value === undefined) return '';
  // Only text can be a formula.
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return quoteCsvCell(FORMULA_START.test(text) ? `'${text}` : text, delimiter);
}

/** Quotes text if needed. */
export function quoteCsvCell(text: string, delimiter: string): string {
  return /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
}
