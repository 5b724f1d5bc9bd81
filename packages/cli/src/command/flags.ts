import * as Flags from '@oclif/core/flags';
import { DELIVERY_STATUSES, SYNC_STATUSES } from '@svc/contract/vocabulary';
import { LIST_FORMATS, type ListFormat } from '../format/row-encoder.ts';

const TIME_FORMS = '7d, 24h, yesterday, 2026-01, 2026-01-31, 2026-01-31T08:00:00Z (days are UTC)';

/** Which part of a log. `--since` and `--until` are other words for `--from` and `--to`. */
export const rangeFlags = {
  since: Flags.string({ description: `Start of the range: ${TIME_FORMS}`, exclusive: ['from'] }),
  until: Flags.string({ description: 'End of the range, as --to', exclusive: ['to'] }),
  from: Flags.string({ description: 'Start of the range, as --since' }),
  to: Flags.string({ description: 'End of the range, default now; a day or month means its end' }),
};

/** Which syncs. */
export const syncFilterFlags = {
  status: Flags.option({ options: SYNC_STATUSES, description: 'Only syncs that ended so' })(),
  source: Flags.integer({ description: 'Only syncs of this source', helpValue: 'ID', min: 1 }),
  connection: Flags.integer({ description: 'Only syncs to this connection', helpValue: 'ID', min: 1 }),
};

/** Which requests. */
export const requestFilterFlags = {
  source: Flags.integer({ description: 'Only what was posted to this source', helpValue: 'ID', min: 1 }),
};

/** Which deliveries to destinations. */
export const deliveryFilterFlags = {
  status: Flags.option({ options: DELIVERY_STATUSES, description: 'Only deliveries that ended so' })(),
  destination: Flags.integer({ description: 'Only deliveries to this destination', helpValue: 'ID', min: 1 }),
};

export const fieldsFlag = Flags.string({
  description: 'Only these fields, comma-separated; nested ones with dots',
  helpValue: 'a,b.c',
});

/** What a CSV does to text, for `--help`. */
export const CSV_NOTE =
  "CSV text that begins with = + - @, a tab or a line break gets a ' in front, or a spreadsheet would run it";

/** How a list is shown. */
export const listFlags = {
  fields: fieldsFlag,
  format: Flags.option({
    options: LIST_FORMATS,
    description: `Form of the output; default table. ${CSV_NOTE}`,
    exclusive: ['json'],
  })(),
};

/** How much of a long list is shown. */
export const pageFlags = {
  limit: Flags.integer({ description: 'Show at most so many', default: 50, min: 1, exclusive: ['all'] }),
  all: Flags.boolean({ description: 'Show all there are' }),
};

/** Of commands that destroy something. */
export const yesFlag = Flags.boolean({ description: 'Do it without being asked', char: 'y' });

/** `--json` is short for `--format json`. */
export function listFormat(flags: { json?: boolean; format?: ListFormat | undefined }): ListFormat {
  return flags.json === true ? 'json' : (flags.format ?? 'table');
}
