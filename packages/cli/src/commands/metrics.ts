import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../command/base-command.ts';
import { usageError } from '../errors/cli-error.ts';
import { allTimeFlag, fieldsFlag, rangeFlags } from '../command/flags.ts';
import { parseFields } from '../format/fields.ts';
import { METRICS_VIEWS } from '../features/metrics/render.ts';
import { createCounters, type MetricsSubject } from '../features/metrics/fetch-metrics.ts';
import { printMetrics } from '../features/metrics/print-metrics.ts';
import { toTimeRange } from '../command/log-range.ts';

const SUBJECTS = ['account', 'syncs', 'requests', 'deliveries'] as const satisfies readonly MetricsSubject[];

/** The filters that the API has for each subject. */
const FILTERS = {
  account: ['source', 'connection'],
  syncs: ['source', 'connection'],
  requests: ['source'],
  deliveries: ['destination', 'connection'],
} as const satisfies Record<MetricsSubject, readonly string[]>;

export default class Metrics extends BaseCommand {
  static override summary = 'Count requests, syncs and deliveries in a range of any length';
  static override description =
    'Without an argument, counts all three, or deliveries if --destination is given. --source filters requests and syncs only. --json prints the counts of the API; with --by day, an array with the counts of each day. Ranges of more than 31 days are counted in parts and added up; --by day needs one request for each day.';
  static override examples = [
    { description: 'The last seven days', command: '<%= config.bin %> metrics' },
    { description: 'The syncs of each day', command: '<%= config.bin %> metrics syncs --since 30d --by day' },
    {
      description: 'One connection in January',
      command: '<%= config.bin %> metrics --month 2026-01 --connection 11',
    },
    {
      description: 'The deliveries of a destination in the last quarter, for a program',
      command: '<%= config.bin %> metrics --destination 31 --since 90d --by day --json',
    },
  ];
  static override args = {
    what: Args.string({
      description: 'What to count; default account, which is all of them',
      options: [...SUBJECTS],
    }),
  };
  static override flags = {
    ...rangeFlags,
    all: allTimeFlag,
    by: Flags.option({ options: ['day'] as const, description: 'One row for each UTC day' })(),
    source: Flags.integer({ description: 'Only events of this source', helpValue: 'ID', min: 1 }),
    connection: Flags.integer({ description: 'Only events of this connection', helpValue: 'ID', min: 1 }),
    destination: Flags.integer({
      description: 'Only deliveries to this destination',
      helpValue: 'ID',
      min: 1,
      exclusive: ['connection'],
    }),
    fields: fieldsFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Metrics);
    const subject = SUBJECTS.find((each) => each === args.what) ?? (flags.destination ? 'deliveries' : 'account');
    for (const name of ['source', 'connection', 'destination'] as const) {
      const allowed: readonly string[] = FILTERS[subject];
      if (flags[name] === undefined || allowed.includes(name)) continue;
      const hint = `Use ${allowed.map((each) => `--${each}`).join(' or ')}.`;
      throw usageError(`The API does not count ${subject} by ${name}`, hint);
    }
    const allFields = [...(flags.by === undefined ? [] : ['day']), ...METRICS_VIEWS[subject].fields];
    const fields = parseFields(flags.fields, allFields);
    const logRange = this.logRange(flags);
    const filter = { sourceId: flags.source, connectionId: flags.connection, destinationId: flags.destination };
    const client = this.connect(flags);
    const range = await toTimeRange(client, logRange);
    const counters = createCounters(client, filter);
    await printMetrics({
      subject,
      counters,
      range,
      logRange,
      fields,
      allFields,
      isByDay: flags.by === 'day',
      isJson: flags.json,
    });
  }
}
