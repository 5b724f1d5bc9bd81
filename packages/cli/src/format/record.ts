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

/** A single thing as labelled lines. */
export function renderRecord(lines: readonly RecordLine[], paint: Paint): string {
  const safe = lines.map(({ label, text, tone }) => ({ label: sanitize(label), shown: sanitize(text), tone }));
  const width = safe.reduce((widest, { label }) => Math.max(widest, label.length), 0);
  return safe
    .map(({ label, shown, tone }) => {
      return `${paint('strong', label.padEnd(width))}  ${tone === undefined ? shown : paint(tone, shown)}\n`;
    })
    .join('');
}

/** The chosen fields of a thing, or all of it that has no fields of its own. */
export function fieldLines(value: unknown, fields: readonly string[]): RecordLine[] {
  return fields.map((field) => ({ label: field, text: formatValue(readField(value, field)) }));
}

/** A value in a cell or line: lists with commas, objects as JSON. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((element) => typeof element !== 'object')) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `lines` or `render` is the form for people, when no fields are chosen. */
export type RecordOutput = { readonly isJson: boolean; readonly fields: readonly string[] | null } & (
  | { readonly lines: () => readonly RecordLine[] }
  | { readonly render: (paint: Paint) => string }
);

/** Prints a single thing in the form that was asked for. */
export async function printRecord(value: unknown, output: RecordOutput): Promise<void> {
  const { isJson, fields } = output;
  if (isJson) return printJson(value, fields);
  const paint = paintFor(process.stdout);
  if (fields !== null) return writeRendered(renderRecord(fieldLines(value, fields), paint));
  await writeRendered('render' in output ? output.render(paint) : renderRecord(output.lines(), paint));
}

/** `2026-03-14 08:05Z`: what tells rows apart by eye; the other forms have it in full. */
export function toMinute(timestamp: string): string {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}.*Z$/.test(timestamp)
    ? `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)}Z`
    : timestamp;
}
