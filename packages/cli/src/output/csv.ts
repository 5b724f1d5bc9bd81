/** A cell that a spreadsheet would take for a formula when it begins so (OWASP's list); a quote in front makes it text. */
const FORMULA_START = /^[=+\-@\t\r\n]/;

/** RFC 4180 with `\n` at the ends of lines. Objects go in as JSON, null as nothing. */
export function formatCsvLine(values: readonly unknown[]): string {
  return `${values.map(formatCell).join(',')}\n`;
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  // Numbers and booleans are ours: only text can carry a formula.
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA_START.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
