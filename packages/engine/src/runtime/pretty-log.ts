/** Log lines for people: time, level, message and fields in one line, and a stack below it. */
import { styleText } from 'node:util';
import { pino } from 'pino';
import { sanitize, toTerminalJson } from './terminal-text.ts';

type Style = Parameters<typeof styleText>[0];

const STYLES: Readonly<Record<string, Style>> = {
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
  debug: 'dim',
  trace: 'dim',
};

/**
 * Returns a line of pino for people, such as `12:04:31.123Z WARN  the CRM refuses its token  connectionId=3`.
 *
 * @param line one JSON document of pino
 */
export function formatLogLine(line: string, { colors }: { colors: boolean }): string {
  const { time, level, msg, pid: _pid, err, ...fields }: LogRecord = JSON.parse(line);
  const paint = (style: Style, text: string) => (colors ? styleText(style, text, { validateStream: false }) : text);
  const name = pino.levels.labels[level] ?? String(level);
  const { stack, ...error } = err ?? {};
  const shown = Object.entries({ ...fields, ...(err && { err: error }) }).map(
    ([key, value]) => `${key}=${toText(value)}`,
  );
  const head = [
    `${paint('dim', new Date(time).toISOString().slice(11))} ${paint(STYLES[name] ?? 'green', name.toUpperCase().padEnd(5))} ${sanitize(msg ?? '')}`,
    ...(shown.length === 0 ? [] : [paint('dim', shown.join(' '))]),
  ].join('  ');
  const frames = stack?.split('\n').map((frame) => `    ${sanitize(frame.trim())}`) ?? [];
  return `${[head, ...frames].join('\n')}\n`;
}

interface LogRecord {
  readonly time: number;
  readonly level: number;
  readonly msg?: string;
  readonly pid: number;
  /** As `describeError` of the logger returns it. */
  readonly err?: { readonly stack?: string };
  readonly [field: string]: unknown;
}

/** Text without spaces needs no quotes. */
function toText(value: unknown): string {
  return typeof value === 'string' && /^[\w.:/@%+-]+$/.test(value) ? value : toTerminalJson(value);
}
