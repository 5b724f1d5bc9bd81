/** Makes the command line that does the same as a page. */
import type { CatalogEntry, CatalogField } from '../data/catalog.ts';

/** Returns the command line for an input; values that the command reads from a prompt or file are not in it. */
export function commandLine(
  { command, fields }: CatalogEntry,
  input: Readonly<Record<string, unknown>>,
): string | null {
  if (command === null) return null;
  const words = fields.flatMap((field) => wordsOf(field, input[field.name]));
  return ['svc-server', ...command, ...words].join(' ');
}

function wordsOf(field: CatalogField, value: unknown): string[] {
  const { flag, kind, isSecret, isFile, noneFlag } = field;
  if (flag === undefined || value === undefined || isSecret === true) return [];
  const name = flag.split(' ')[0] ?? flag;
  // `--no-check` stands for a field that the command sets by default.
  if (kind === 'boolean' && name.startsWith('--no-')) return value === false ? [name] : [];
  if (JSON.stringify(value) === JSON.stringify(field.default)) return [];
  if (value === null) return noneFlag === undefined ? [] : [noneFlag];
  const isArgument = /^[<[]/.test(flag);
  if (isFile === true || kind === 'json') return value === '' ? [] : [...(isArgument ? [] : [name]), 'FILE'];
  if (isArgument) return [quote(textOf(value))];
  if (kind === 'boolean' && !flag.includes(' ')) return value === true ? [name] : [];
  if (kind === 'boolean') return [name, value === true ? 'on' : 'off'];
  const text = Array.isArray(value) ? value.join(',') : textOf(value);
  return text === '' ? [] : [name, quote(text)];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Quotes for a POSIX shell what needs it. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
