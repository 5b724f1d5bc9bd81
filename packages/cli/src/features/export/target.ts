import { basename, dirname, extname, join } from 'node:path';
import { usageError } from '../../errors/cli-error.ts';
import type { ExportFlags, ExportFormat, Split } from './flags.ts';
import { isSpecialFile } from './special-file.ts';

/** Where an export goes, and in which form. */
export interface ExportTarget {
  readonly kind: 'stdout' | 'special' | 'file';
  /** As it was typed; empty for stdout. */
  readonly output: string;
  readonly format: ExportFormat;
  readonly isPacked: boolean;
  readonly split: Split | null;
}

type TargetFlags = Pick<ExportFlags, 'output' | 'format' | 'split' | 'json' | 'resume' | 'restart'>;

/** @throws CliError (usage) when the flags cannot go together */
export async function chooseTarget(flags: TargetFlags): Promise<ExportTarget> {
  if (flags.output === '') throw usageError('--output has no file name', 'Leave it out, or use -, to write to stdout.');
  // `-` is stdout, as everywhere; `./-` would be a file of that name.
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
    throw usageError('Parquet is packed by itself', `Use ${output.slice(0, -'.gz'.length)}.`);
  }
  return target;
}

/** Some things need a file that can be gone back in, or several. */
function assertStream(flags: TargetFlags, { kind, format, isPacked, split }: ExportTarget): void {
  const where = kind === 'stdout' ? 'stdout' : 'a pipe or device';
  const hint = 'Name a file with --output.';
  if (format === 'parquet') throw usageError(`Parquet cannot be written to ${where}`, hint);
  if (split !== null) throw usageError(`--split makes several files and cannot write to ${where}`, hint);
  if (isPacked) throw usageError(`${where} cannot be packed`, 'Leave out the ending .gz, and pipe into gzip.');
  if (flags.resume || flags.restart) throw usageError(`An export to ${where} cannot be resumed`, hint);
}

const FORMAT_OF_ENDING: Readonly<Record<string, ExportFormat>> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.parquet': 'parquet',
};

function formatOfName(output: string): ExportFormat | undefined {
  return FORMAT_OF_ENDING[extname(output.replace(/\.gz$/i, '')).toLowerCase()];
}

/** @throws CliError (usage) when `--json` and another format are meant for the same stdout */
function formatOfStdout({ json, format }: TargetFlags): ExportFormat {
  if (!json) return format ?? 'csv';
  if (format === undefined || format === 'json') return 'json';
  throw usageError(`--json and --format ${format} contradict each other`, 'Leave one of them out.');
}

/** `rows.csv.gz` of a day: `rows-2026-01-31.csv.gz`. */
export function nameOfPart(path: string, key: string | null): string {
  if (key === null) return path;
  const name = basename(path);
  const packed = /\.gz$/i.exec(name)?.[0] ?? '';
  const ending = extname(name.slice(0, name.length - packed.length)) + packed;
  return join(dirname(path), `${name.slice(0, name.length - ending.length)}-${key}${ending}`);
}

/** Which part a row belongs to: its UTC day or month. */
export function keyOfRow(createdAt: string, split: Split | null): string | null {
  if (split === null) return null;
  const utc = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(createdAt) ? createdAt : new Date(createdAt).toISOString();
  return utc.slice(0, split === 'day' ? '2026-01-31'.length : '2026-01'.length);
}
