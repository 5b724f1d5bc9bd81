import * as Flags from '@oclif/core/flags';
import { DELIVERY_STATUSES, SYNC_STATUSES } from '@svc/contract/vocabulary';
import { quoteInput } from '@svc/domain/values/quote-input';
import { usageError } from '../errors/cli-error.ts';
import { LIST_FORMATS, type ListFormat } from '../format/row-encoder.ts';

const TIME_FORMS =
  '7d, 1h30m, yesterday, last-month, 2026-01, 2026-01-31, "2026-01-31 08:00" or 2026-01-31T08:00:00+02:00; UTC without an offset';

/** The range of a log. `--since` and `--until` are aliases of `--from` and `--to`. */
export const rangeFlags = {
  since: Flags.string({ description: `Start of the range: ${TIME_FORMS}`, exclusive: ['from'] }),
  until: Flags.string({ description: 'End of the range, same as --to', exclusive: ['to'] }),
  from: Flags.string({ description: 'Start of the range, same as --since' }),
  to: Flags.string({ description: 'End of the range, default now; a day or month is included' }),
  month: Flags.string({
    description: 'One month: 2026-01, last-month or this-month',
    helpValue: 'MONTH',
    exclusive: ['since', 'until', 'from', 'to'],
  }),
};

export const syncFilterFlags = {
  status: Flags.option({ options: SYNC_STATUSES, description: 'Only syncs with this status' })(),
  source: Flags.integer({ description: 'Only syncs of this source', helpValue: 'ID', min: 1 }),
  connection: Flags.integer({ description: 'Only syncs to this connection', helpValue: 'ID', min: 1 }),
};

export const requestFilterFlags = {
  source: Flags.integer({ description: 'Only requests to this source', helpValue: 'ID', min: 1 }),
};

export const deliveryFilterFlags = {
  status: Flags.option({ options: DELIVERY_STATUSES, description: 'Only deliveries with this status' })(),
  destination: Flags.integer({ description: 'Only deliveries to this destination', helpValue: 'ID', min: 1 }),
};

export const fieldsFlag = Flags.string({
  description: 'Only these fields, comma-separated; nested ones with dots',
  helpValue: 'a,b.c',
});

/** The protection of CSV against formulas, for `--help`. */
export const CSV_NOTE =
  "In CSV, text that begins with = + - @, a tab or a line break gets a leading ', so that spreadsheets do not run it";

export const listFlags = {
  fields: fieldsFlag,
  format: Flags.option({
    options: LIST_FORMATS,
    description: `Output format; default table in a terminal, else tsv: tab-separated rows without a header. ${CSV_NOTE}`,
    exclusive: ['json'],
  })(),
};

/** A number of rows; infinite for `all`. */
const limitFlag = Flags.custom<number>({
  description: 'Show at most this many rows; `all` for all rows of the range',
  default: 50,
  exclusive: ['all'],
  async parse(text) {
    if (text === 'all') return Number.POSITIVE_INFINITY;
    if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
    throw usageError(`must be a whole number of at least 1, or all, not ${quoteInput(text)}`);
  },
});

export const pageFlags = {
  limit: limitFlag(),
  all: Flags.boolean({ description: 'Show all rows; without --since or --from, of all time' }),
};

/** Flag of commands that count or export everything in a range. */
export const allTimeFlag = Flags.boolean({ description: 'Without --since or --from: everything from the beginning' });

/** Flag of commands that ask for confirmation. */
export const yesFlag = Flags.boolean({ description: 'Do not ask for confirmation', char: 'y' });

/** `--json` is short for `--format json`. Pipes and files get tab-separated rows by default. */
export function listFormat(flags: { json?: boolean; format?: ListFormat | undefined }): ListFormat {
  return flags.json === true ? 'json' : (flags.format ?? (process.stdout.isTTY ? 'table' : 'tsv'));
}
