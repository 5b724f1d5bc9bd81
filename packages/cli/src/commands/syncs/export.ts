import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../lib/base-command.ts';
import { CSV_NOTE, fieldsFlag, rangeFlags, syncFilterFlags } from '../../lib/flags.ts';
import { SYNC_FIELDS } from '../../output/field-lists.ts';
import { parseFields } from '../../output/fields.ts';
import { ROW_FORMATS } from '../../output/row-encoder.ts';
import { runExport } from '../../services/run-export.ts';
import { resolveRange } from '../../services/time-range.ts';

export default class SyncsExport extends BaseCommand {
  static override summary = 'Export all syncs of a range of any length';
  static override description =
    'Rows come newest first. A file appears under its name only when it is complete. With --output, --json prints a summary; without it, --json is short for --format json.';
  static override examples = [
    {
      description: 'The last week as CSV',
      command: '<%= config.bin %> syncs export --since 7d --format csv --output syncs.csv',
    },
    {
      description: 'A year of failures into another program',
      command: '<%= config.bin %> syncs export --from 2025-01 --to 2025-12 --status error --format ndjson | jq .error',
    },
  ];
  static override flags = {
    ...rangeFlags,
    ...syncFilterFlags,
    fields: fieldsFlag,
    format: Flags.option({
      options: ROW_FORMATS,
      description: `Default: by the ending of the file, else csv. ${CSV_NOTE}`,
    })(),
    output: Flags.string({ char: 'o', description: 'File to write; default, or -: stdout', helpValue: 'FILE' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(SyncsExport);
    const fields = flags.fields === undefined ? null : parseFields(flags.fields, SYNC_FIELDS);
    const range = resolveRange(flags, Date.now());
    const filter = { status: flags.status, sourceId: flags.source, connectionId: flags.connection };
    const list = this.connect(flags).syncs.list({ ...range, ...filter });
    await runExport({ ...flags, list, range, fields, known: SYNC_FIELDS, what: 'syncs' });
  }
}
