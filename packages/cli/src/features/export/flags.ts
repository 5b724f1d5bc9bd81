import * as Flags from '@oclif/core/flags';
import { ROW_FORMATS } from '../../format/row-encoder.ts';
import type { RangeFlags } from '../../command/time-range.ts';
import type { ConnectionFlags } from '../../command/base-command.ts';
import { CSV_NOTE, fieldsFlag } from '../../command/flags.ts';

export const EXPORT_FORMATS = [...ROW_FORMATS, 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Units of time that an export is cut into files by. */
export const SPLITS = ['day', 'month'] as const;
export type Split = (typeof SPLITS)[number];

/** What all exports share beside range and filters. */
export const exportFlags = {
  fields: fieldsFlag,
  format: Flags.option({
    options: EXPORT_FORMATS,
    description: `Default: by the ending of the file, else csv. ${CSV_NOTE}`,
  })(),
  output: Flags.string({
    char: 'o',
    description: 'File to write; default, or -: stdout. An ending .gz packs it',
    helpValue: 'FILE',
  }),
  split: Flags.option({
    options: SPLITS,
    description: 'A file for each UTC day or month, FILE-2026-01-31.csv; each appears when it is complete',
  })(),
  resume: Flags.boolean({
    description: 'Go on with the export to this file that was interrupted; start one where there is none',
    exclusive: ['restart'],
  }),
  restart: Flags.boolean({ description: 'Throw away what an interrupted export to this file has fetched' }),
};

/** What exit codes mean for all of them, beyond what they always mean. */
export const EXPORT_EXIT_CODES = {
  1: 'also a full disk',
  2: 'also: an export to this file was interrupted, and neither --resume nor --restart is given',
  6: 'another process is exporting to this file',
  130: 'Ctrl-C; with --output, --resume goes on from there',
} as const;

/** The flags as an export sees them, its filters aside. */
export interface ExportFlags extends ConnectionFlags, RangeFlags {
  readonly json: boolean;
  readonly fields?: string | undefined;
  readonly format?: ExportFormat | undefined;
  readonly output?: string | undefined;
  readonly split?: Split | undefined;
  readonly resume: boolean;
  readonly restart: boolean;
}

/** Flags that say how an export is made, not what is in it. */
const HOW = ['json', 'jq', 'profile', 'base-url', 'timeout', 'max-retries', 'output', 'resume', 'restart'];

/** What decides the content of an export, by the name of the flag. */
export type Asked = Readonly<Record<string, string | number | readonly string[]>>;

export function askedOf(flags: object): Asked {
  const asked: Record<string, string | number | readonly string[]> = {};
  for (const [name, value] of Object.entries(flags)) {
    if (HOW.includes(name)) continue;
    if (typeof value === 'string' || typeof value === 'number') asked[name] = value;
    else if (Array.isArray(value)) asked[name] = value.map(String);
  }
  return asked;
}

/** The same flags as they are typed. */
export function toArgv(asked: Asked): string[] {
  return Object.entries(asked).flatMap(([name, value]) => [value].flat().map((each) => `--${name}=${each}`));
}

/** For `--help`. */
export const EXPORT_NOTE = `Rows come newest first. A file appears under its name only when it is complete; by its ending it is CSV, NDJSON, JSON or Parquet, and packed if .gz follows.

Until then, FILE.svc-partial and FILE.svc-export.json lie beside it, so that an export that was interrupted goes on where it was with --resume, which needs no other flag but --output.

With --output, --json prints a summary; without it, --json is short for --format json.`;
