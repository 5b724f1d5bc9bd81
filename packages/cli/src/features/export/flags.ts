import * as Flags from '@oclif/core/flags';
import { ROW_FORMATS } from '../../format/row-encoder.ts';
import type { RangeFlags } from '../../command/time-range.ts';
import type { ConnectionFlags } from '../../command/base-command.ts';
import { allTimeFlag, CSV_NOTE, fieldsFlag } from '../../command/flags.ts';

export const EXPORT_FORMATS = [...ROW_FORMATS, 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Units of time for splitting an export into files. */
export const SPLITS = ['day', 'month'] as const;
export type Split = (typeof SPLITS)[number];

/** Flags of all exports besides range and filters. */
export const exportFlags = {
  all: allTimeFlag,
  fields: fieldsFlag,
  format: Flags.option({
    options: EXPORT_FORMATS,
    description: `Default: by the extension of the file, else csv. ${CSV_NOTE}`,
  })(),
  output: Flags.string({
    char: 'o',
    description: 'File to write: .csv, .ndjson, .json or .parquet, compressed with .gz; default or -: stdout',
    helpValue: 'FILE',
  }),
  split: Flags.option({
    options: SPLITS,
    description: 'One file for each UTC day or month, such as FILE-2026-01-31.csv',
  })(),
  resume: Flags.boolean({
    description: 'Resume the interrupted export to this file; start a new one if there is none',
    exclusive: ['restart'],
  }),
  restart: Flags.boolean({ description: 'Discard what an interrupted export to this file has fetched and start over' }),
};

/** Additional meanings of exit codes of all exports. */
export const EXPORT_EXIT_CODES = {
  1: 'also a full disk',
  2: 'also: an export to this file was interrupted and neither --resume nor --restart is given',
  6: 'another process is exporting to this file',
  130: 'Ctrl-C; an export with --output can be resumed',
} as const;

/** The flags of an export without its filters. */
export interface ExportFlags extends ConnectionFlags, RangeFlags {
  readonly all?: boolean;
  readonly json: boolean;
  readonly fields?: string | undefined;
  readonly format?: ExportFormat | undefined;
  readonly output?: string | undefined;
  readonly split?: Split | undefined;
  readonly resume: boolean;
  readonly restart: boolean;
}

/** Flags that do not affect the content of an export; a month is in `from` and `to`. */
const FLAGS_WITHOUT_EFFECT_ON_CONTENT = [
  'json',
  'jq',
  'profile',
  'base-url',
  'timeout',
  'max-retries',
  'local-time',
  'output',
  'resume',
  'restart',
  'month',
];

/** The flags that determine the content of an export, by name. */
export type ContentFlags = Readonly<Record<string, string | number | true | readonly string[]>>;

export function pickContentFlags(flags: object): ContentFlags {
  const contentFlags: Record<string, ContentFlags[string]> = {};
  for (const [name, value] of Object.entries(flags)) {
    if (FLAGS_WITHOUT_EFFECT_ON_CONTENT.includes(name)) continue;
    if (typeof value === 'string' || typeof value === 'number' || value === true) contentFlags[name] = value;
    else if (Array.isArray(value)) contentFlags[name] = value.map(String);
  }
  return contentFlags;
}

/** Returns the flags as command line arguments. */
export function toArgv(contentFlags: ContentFlags): string[] {
  return Object.entries(contentFlags).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : [value].flat().map((each) => `--${name}=${each}`),
  );
}

/** Description of exports in `--help`. */
export const EXPORT_NOTE = `Rows are sorted newest first. A file gets its name only when it is complete. Its extension sets the format: CSV, NDJSON, JSON or Parquet; .gz compresses it.

Until then, the data is in FILE.svc-partial and FILE.svc-export.json next to it. --resume continues an interrupted export and needs only --output.

With --output, --json prints a summary; without it, --json is short for --format json.`;
