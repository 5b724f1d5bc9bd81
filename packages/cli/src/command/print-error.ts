import { PREFIXES } from '@svc/contract/vocabulary';
import { sanitize } from '../terminal/text.ts';
import type { Credentials } from '../config/credentials.ts';
import { type ErrorReport, toErrorReport } from './map-error.ts';
import type { ExitCode } from '../errors/exit-codes.ts';

export interface PrintOptions {
  readonly isJson: boolean;
  readonly credentials: Credentials | null;
  readonly write: (text: string) => void;
}

/** Tells a failure on stderr and returns the exit code. Keys are cut out whatever the error quotes. */
export function printError(error: unknown, options: PrintOptions): ExitCode {
  const report = toErrorReport(error, options.credentials);
  const { code, status, requestId, retryable } = report;
  const message = withoutKeys(report.message, options.credentials);
  const hint = report.hint === null ? null : withoutKeys(report.hint, options.credentials);
  const told = { code, status, message, requestId, hint, retryable };
  const json = { ...told, hint: hint?.replaceAll('\n', ' ') ?? null };
  options.write(options.isJson ? `${JSON.stringify({ error: json })}\n` : formatReport(told));
  return report.exitCode;
}

function formatReport(report: Omit<ErrorReport, 'exitCode'>): string {
  const status = report.status === null ? '' : ` (${report.status})`;
  const lines = [`Error: ${report.message.split('\n').map(sanitize).join('\n  ')}${status}`];
  if (report.hint !== null) lines.push(...report.hint.split('\n').map((hint) => `  ${sanitize(hint)}`));
  if (report.requestId !== null) lines.push(`  Request id: ${sanitize(report.requestId)}`);
  return `${lines.join('\n')}\n`;
}

const KEY = new RegExp(`${PREFIXES.apiKey}\\S+`, 'g');
const SECRET = new RegExp(`${PREFIXES.webhookSecret}\\S+`, 'g');

/** A key that was typed where none belongs, as an argument or a flag, must not end up in a log. */
function withoutKeys(text: string, credentials: Credentials | null): string {
  const known = credentials?.apiKey ? text.replaceAll(credentials.apiKey, '[key]') : text;
  return known.replace(KEY, '[key]').replace(SECRET, '[secret]');
}

/** As oclif reads it: before a `--`; `--jq` works on JSON. Needed where the flags themselves could not be parsed. */
export function isJsonRequested(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).some((word) => word === '--json' || /^--jq(=|$)/.test(word));
}
