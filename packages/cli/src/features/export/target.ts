import { basename, dirname, extname, join } from 'node:path';
import { usageError } from '../../errors/cli-error.ts';
import type { ExportFlags, ExportFormat, Split } from './flags.ts';
import { isSpecialFile } from './special-file.ts';

/** Destination and format of an export. */
export interface ExportTarget {
  readonly kind: 'stdout' | 'special' | 'file';
  /** The value of `--output`; empty for stdout. */
  readonly output: string;
  readonly format: ExportFormat;
  readonly isPacked: boolean;
  readonly split: Split | null;
}

type TargetFlags = Pick<ExportFlags, 'output' | 'format' | 'split' | 'json' | 'resume' | 'restart'>;

/** @throws CliError (exit 2) if flags contradict each other */
export async function chooseTarget(flags: TargetFlags): Promise<ExportTarget> {
  if (flags.output === '') throw usageError('--output has no file name', 'Omit it or use - to write to stdout.');
  // `-` is stdout; `./-` is a file of that name.
  const output = flags.output === '-' ? '' : (flags.output ?? '');
  const kind = output === '' ? 'stdout' : (await isSpecialFile(output)) ? 'special' : 'file';
  const isPacked = kind !== 'stdout' && /\.gz$/i.test(output);
  const target: ExportTarget = {
    kind,
    output,
    format: kind === 'stdout' ? formatOfStdout(flags) : (flags.format ?? formatOfName(output) ?? 'csv'),
    isPacked,
    split: flags.split ?? null,
  };
  if (kind !== 'file') assertStream(flags, target);
  else if (isPacked && target.format === 'parquet') {
    throw usageError('Parquet files are already compressed', `Use ${output.slice(0, -'.gz'.length)}.`);
  }
  return target;
}

/** Refuses flags that need regular files. */
function assertStream(flags: TargetFlags, { kind, format, isPacked, split }: ExportTarget): void {
  const where = kind === 'stdout' ? 'stdout' : 'a pipe or device';
  const hint = 'Give a file with --output.';
  if (format === 'parquet') throw usageError(`Parquet cannot be written to ${where}`, hint);
  if (split !== null) throw usageError(`--split writes several files and cannot write to ${where}`, hint);
  if (isPacked)
    throw usageError(`Output to ${where} cannot be compressed`, 'Remove the extension .gz and pipe into gzip.');
  if (flags.resume || flags.restart) throw usageError(`An export to ${where} cannot be resumed`, hint);
}

const FORMAT_OF_EXTENSION: Readonly<Record<string, ExportFormat>> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.parquet': 'parquet',
};

/**
 * Refuses a file whose extension belongs to no format, such as `rows.xlsx`, unless the format is given. A name without extension
 * is CSV.
 *
 * @param formats the formats that the command can write
 * @throws CliError (exit 2)
 */
export function assertKnownExtension(
  { kind, output }: ExportTarget,
  format: ExportFormat | undefined,
  formats: readonly ExportFormat[],
): void {
  const extension = extname(output.replace(/\.gz$/i, '')).toLowerCase();
  const isExtension = /^\.[a-z][a-z\d]*$/.test(extension);
  if (kind !== 'file' || format !== undefined || !isExtension || extension in FORMAT_OF_EXTENSION) return;
  const known = formats.map((each) => `.${each}`);
  const last = known.pop();
  throw usageError(
    `${output}: ${extension} is not the extension of a format`,
    `Use ${known.join(', ')} or ${last}, with .gz to compress${formats.includes('parquet') ? ' (not .parquet)' : ''}; or choose the format with --format.`,
  );
}

function formatOfName(output: string): ExportFormat | undefined {
  return FORMAT_OF_EXTENSION[extname(output.replace(/\.gz$/i, '')).toLowerCase()];
}

/** @throws CliError (exit 2) for `--json` with another `--format` */
function formatOfStdout({ json, format }: TargetFlags): ExportFormat {
  if (!json) return format ?? 'csv';
  if (format === undefined || format === 'json') return 'json';
  throw usageError(`Use either --json or --format ${format}, not both`);
}

/** Returns the name of a part: `rows.csv.gz` of a day becomes `rows-2026-01-31.csv.gz`. */
export function partPath(path: string, key: string | null): string {
  if (key === null) return path;
  const name = basename(path);
  const packed = /\.gz$/i.exec(name)?.[0] ?? '';
  const ending = extname(name.slice(0, name.length - packed.length)) + packed;
  return join(dirname(path), `${name.slice(0, name.length - ending.length)}-${key}${ending}`);
}

/** Returns the part that a row belongs to: its UTC day or month. */
export function partKeyOf(createdAt: string, split: Split | null): string | null {
  if (split === null) return null;
  const utc = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(createdAt) ? createdAt : new Date(createdAt).toISOString();
  return utc.slice(0, split === 'day' ? '2026-01-31'.length : '2026-01'.length);
}
