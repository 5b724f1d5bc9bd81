import { quoteInput } from '@svc/domain/values/quote-input';
import { LIST_FORMATS, type ListFormat } from '../format/row-encoder.ts';
import { CliError, usageError } from '../errors/cli-error.ts';
import { changeConfigFile, readConfigFile } from './config-files.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';
import { notOneOf } from '../errors/nearest.ts';
import { isRecord } from '../format/fields.ts';

/** The user's defaults, by the names of the flags that they apply to. */
export interface Settings {
  readonly 'base-url'?: string | undefined;
  /** Seconds. */
  readonly timeout?: number | undefined;
  readonly 'max-retries'?: number | undefined;
  /** Format of lists. */
  readonly format?: ListFormat | undefined;
  readonly 'header-prefix'?: string | undefined;
  /** Default start of ranges, such as `30d`, or `all`. */
  readonly range?: string | undefined;
  /** Whether times are shown in the machine's time zone. */
  readonly 'local-time'?: boolean | undefined;
}

export const DEFAULT_TIMEOUT_SECONDS = 30;
export const DEFAULT_MAX_RETRIES = 3;

const STORE_NAME = 'config';

/** @throws CliError (exit 1) if the file exists and is not valid */
export function readSettings(configDir: string): Settings {
  return pickSettings(readRecord(configDir));
}

function readRecord(configDir: string): Record<string, unknown> {
  const { file, text } = readConfigFile(configDir, STORE_NAME);
  if (text === null) return {};
  const value = parseJson(text);
  if (isRecord(value)) return value;
  const hint = 'Fix it, or delete it and set the defaults again with `svc config set`.';
  throw new CliError('config_unreadable', EXIT_CODES.unexpected, `${file} is not a file of defaults`, hint);
}

/**
 * Changes a default. Unknown entries of the file are kept, because a newer version may use them.
 *
 * @param value undefined removes the default
 */
export async function writeSetting(
  configDir: string,
  name: keyof Settings,
  value: string | number | boolean | undefined,
): Promise<void> {
  await changeConfigFile(configDir, STORE_NAME, () => ({ ...readRecord(configDir), [name]: value }));
}

/** Returns the valid settings and ignores invalid ones. */
function pickSettings(value: Record<string, unknown>): Settings {
  const text = (name: string) => (typeof value[name] === 'string' ? value[name] : undefined);
  const count = (name: string, min: number, max: number) => {
    const number = value[name];
    return typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max
      ? number
      : undefined;
  };
  return {
    'base-url': text('base-url'),
    timeout: count('timeout', 1, MAX_TIMEOUT_SECONDS),
    'max-retries': count('max-retries', 0, MAX_RETRIES),
    format: LIST_FORMATS.find((format) => format === value.format),
    'header-prefix': text('header-prefix'),
    range: text('range'),
    'local-time': typeof value['local-time'] === 'boolean' ? value['local-time'] : undefined,
  };
}

/** The limit of timers, which count milliseconds in 32 bits. */
export const MAX_TIMEOUT_SECONDS = 2_147_483;
export const MAX_RETRIES = 100;

/** @throws CliError (exit 2) */
export function parseCount(name: string, text: string, min: number, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw usageError(`${name} must be a whole number from ${min} to ${max}, not ${quoteInput(text)}`);
}

/** @throws CliError (exit 2) */
export function parseListFormat(text: string): ListFormat {
  const format = LIST_FORMATS.find((known) => known === text);
  if (format !== undefined) return format;
  throw notOneOf('format', text, LIST_FORMATS);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
