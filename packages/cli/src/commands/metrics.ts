import { BaseCommand } from '../lib/base-command.ts';
import { fieldsFlag, rangeFlags, syncFilterFlags } from '../lib/flags.ts';
import { paintFor } from '../output/colors.ts';
import { SYNC_METRICS_FIELDS } from '../output/field-lists.ts';
import { parseFields } from '../output/fields.ts';
import { metricsLines } from '../output/metrics.ts';
import { printRecord, renderRecord } from '../output/record.ts';
import { resolveRange } from '../services/time-range.ts';

export default class Metrics extends BaseCommand {
  static override summary = 'Count syncs by how they ended, over at most 31 days';
  static override examples = [
    { description: 'The last seven days', command: '<%= config.bin %> metrics' },
    {
      description: 'One connection in January',
      command: '<%= config.bin %> metrics --from 2026-01 --to 2026-01 --connection 11',
    },
  ];
  static override flags = {
    ...rangeFlags,
    source: syncFilterFlags.source,
    connection: syncFilterFlags.connection,
    fields: fieldsFlag,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Metrics);
    const fields = flags.fields === undefined ? null : parseFields(flags.fields, SYNC_METRICS_FIELDS);
    const range = resolveRange(flags, Date.now(), '7d');
    const filter = { sourceId: flags.source, connectionId: flags.connection };
    const metrics = await this.connect(flags).syncs.metrics({ ...range, ...filter });
    const paint = paintFor(process.stdout);
    const render = () => renderRecord(metricsLines(metrics, range), paint);
    await printRecord(metrics, { isJson: flags.json, fields, paint, render });
  }
}
