/** The text of an answer: what clients show that do not read structured content. Values were cleaned before (`fence.ts`). */

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Renders rows as lines of cells, below a line with the names of the fields. Fields without a value in any row are left out. */
export function renderTable(rows: readonly Record<string, unknown>[]): string {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row).filter((field) => !isEmpty(row[field]))))];
  const lines = rows.map((row) => fields.map((field) => renderCell(row[field])).join(' | '));
  return [fields.join(' | '), ...lines].join('\n');
}

/** Renders a value as indented lines; empty fields are left out. */
export function renderRecord(record: Record<string, unknown>, indent = ''): string {
  return Object.entries(record)
    .filter(([, value]) => !isEmpty(value))
    .map(([field, value]) => {
      const deeper = `${indent}  `;
      if (isRecord(value)) return `${indent}${field}:\n${renderRecord(value, deeper)}`;
      if (!Array.isArray(value) || !value.some(isRecord)) return `${indent}${field}: ${renderCell(value)}`;
      const rows = value.map((item) => (isRecord(item) ? item : { note: item }));
      const [only, second] = rows;
      const text = only !== undefined && second === undefined ? renderRecord(only) : renderTable(rows);
      return `${indent}${field}:\n${text.replaceAll(/^/gm, deeper)}`;
    })
    .join('\n');
}

function renderCell(value: unknown): string {
  if (isEmpty(value)) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}
