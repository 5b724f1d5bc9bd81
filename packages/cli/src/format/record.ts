import { type Paint, paintFor, type Tone } from '../terminal/colors.ts';
import { readField } from './fields.ts';
import { printJson } from './json.ts';
import { writeRendered } from '../terminal/stdout.ts';
import { sanitize } from '../terminal/text.ts';

export interface RecordLine {
  readonly label: string;
  readonly text: string;
  readonly tone?: Tone | undefined;
}

/** Renders labelled lines. */
export function renderRecord(lines: readonly RecordLine[], paint: Paint): string {
  const safe = lines.map(({ label, text, tone }) => ({ label: sanitize(label), shown: sanitize(text), tone }));
  const width = safe.reduce((widest, { label }) => Math.max(widest, label.length), 0);
  return safe
    .map(({ label, shown, tone }) => {
      return `${paint('strong', label.padEnd(width))}  ${tone === undefined ? shown : paint(tone, shown)}\n`;
    })
    .join('');
}

/** Returns a line for each chosen field. */
export function fieldLines(value: unknown, fields: readonly string[]): RecordLine[] {
  return fields.map((field) => ({ label: field, text: formatValue(readField(value, field)) }));
}

/** Formats a value: lists with commas, objects as JSON. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((element) => typeof element !== 'object')) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `lines` or `render` returns the text output if no fields are chosen. */
export type RecordOutput = { readonly isJson: boolean; readonly fields: readonly string[] | null } & (
  | { readonly lines: () => readonly RecordLine[] }
  | { readonly render: (paint: Paint) => string }
);

/** Prints a single object as JSON or text. */
export async function printRecord(value: unknown, output: RecordOutput): Promise<void> {
  const { isJson, fields } = output;
  if (isJson) return printJson(value, fields);
  const paint = paintFor(process.stdout);
  if (fields !== null) return writeRendered(renderRecord(fieldLines(value, fields), paint));
  await writeRendered('render' in output ? output.render(paint) : renderRecord(output.lines(), paint));
}

/** Shortens a timestamp to the form `2026-03-14 08:05Z`. */
export function toMinute(timestamp: string): string {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}.*Z$/.test(timestamp)
    ? `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)}Z`
    : timestamp;
}
