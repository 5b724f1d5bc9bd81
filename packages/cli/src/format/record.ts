import { type Paint, paintFor, type Tone } from '../terminal/colors.ts';
import { readField } from './fields.ts';
import { printJson } from './json.ts';
import { writeRendered } from '../terminal/stdout.ts';
import { sanitize } from '../terminal/text.ts';
import { localizeTimes } from './times.ts';

export interface RecordLine {
  /** Empty for a further line of the label above. */
  readonly label: string;
  readonly text: string;
  readonly tone?: Tone | undefined;
  /** The label for programs, if it is not `label`. */
  readonly key?: string | undefined;
  /** The value for programs, if it is not `text`. */
  readonly raw?: string | undefined;
}

/** Renders labelled lines. */
export function renderRecord(lines: readonly RecordLine[], paint: Paint): string {
  const safe = lines.map(({ label, text, tone }) => {
    return { label: sanitize(label), shown: localizeTimes(sanitize(text)), tone };
  });
  const width = safe.reduce((widest, { label }) => Math.max(widest, label.length), 0);
  return safe
    .map(({ label, shown, tone }) => {
      return `${paint('strong', label.padEnd(width))}  ${tone === undefined ? shown : paint(tone, shown)}\n`;
    })
    .join('');
}

/** Renders lines for programs: label, colon, tab, value. */
function renderKeyValues(lines: readonly RecordLine[]): string {
  let last = '';
  return lines
    .map(({ label, text, key = label, raw = text }) => {
      last = key === '' ? last : key;
      return `${sanitize(last)}:\t${localizeTimes(sanitize(raw))}\n`;
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

/**
 * `lines` or `render` returns the text output if no fields are chosen. `lines` become `label:<tab>value` in pipes and files;
 * `render` is for pages of several parts, which are the same everywhere.
 */
export type RecordOutput = { readonly isJson: boolean; readonly fields: readonly string[] | null } & (
  | { readonly lines: () => readonly RecordLine[] }
  | { readonly render: (paint: Paint) => string }
);

/** Prints a single object as JSON or text. */
export async function printRecord(value: unknown, output: RecordOutput): Promise<void> {
  const { isJson, fields } = output;
  if (isJson) return printJson(value, fields);
  const paint = paintFor(process.stdout);
  const renderLines = (lines: readonly RecordLine[]) =>
    process.stdout.isTTY ? renderRecord(lines, paint) : renderKeyValues(lines);
  if (fields !== null) return writeRendered(renderLines(fieldLines(value, fields)));
  await writeRendered('render' in output ? output.render(paint) : renderLines(output.lines()));
}
