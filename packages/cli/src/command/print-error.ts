import { PREFIXES } from '@svc/contract/vocabulary';
import { terminalWidth } from '../terminal/stdout.ts';
import { wrapText } from '../terminal/wrap.ts';
import type { Credentials } from '../config/credentials.ts';
import { type ErrorReport, toErrorReport } from './map-error.ts';
import type { ExitCode } from '../errors/exit-codes.ts';

export interface PrintOptions {
  readonly isJson: boolean;
  readonly credentials: Credentials | null;
  readonly write: (text: string) => void;
}

/** Prints a failure without keys and returns the exit code. */
export function printError(error: unknown, options: PrintOptions): ExitCode {
  const report = toErrorReport(error, options.credentials);
  const { code, status, requestId, retryable } = report;
  const message = withoutKeys(report.message, options.credentials);
  const hint = report.hint === null ? null : withoutKeys(report.hint, options.credentials);
  const printed = { code, status, message, requestId, hint, retryable };
  const json = { ...printed, hint: hint?.replaceAll('\n', ' ') ?? null };
  options.write(options.isJson ? `${JSON.stringify({ error: json })}\n` : formatReport(printed));
  return report.exitCode;
}

function formatReport(report: Omit<ErrorReport, 'exitCode'>): string {
  const status = report.status === null ? '' : ` (${report.status})`;
  const [first = '', ...others] = `Error: ${report.message}${status}`.split('\n');
  const hints = report.hint === null ? [] : report.hint.split('\n');
  if (report.requestId !== null) hints.push(`Request id: ${report.requestId}`);
  const columns = terminalWidth(process.stderr);
  const lines = wrapText(first, columns).concat(...[...others, ...hints].map((line) => wrapText(line, columns, '  ')));
  return `${lines.join('\n')}\n`;
}

const KEY = new RegExp(`${PREFIXES.apiKey}\\S+`, 'g');
const SECRET = new RegExp(`${PREFIXES.webhookSecret}\\S+`, 'g');

/** Removes keys and secrets, which may have been typed as arguments by mistake. */
function withoutKeys(text: string, credentials: Credentials | null): string {
  const known = credentials?.apiKey ? text.replaceAll(credentials.apiKey, '[key]') : text;
  return known.replace(KEY, '[key]').replace(SECRET, '[secret]');
}

/** Whether `--json` or `--jq` appears before a `--`. Works also if the flags could not be parsed. */
export function isJsonRequested(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).some((word) => word === '--json' || /^--jq(=|$)/.test(word));
}
