import { BaseCommand } from '../../command/base-command.ts';
import { eventFilterFlags } from '../../features/logs/flags.ts';
import { listFlags, pageFlags, rangeFlags } from '../../command/flags.ts';
import { EVENT_COLUMNS } from '../../features/logs/events.ts';
import { PLATFORM_EVENT_FIELDS } from '@svc/contract/fields';
import { withinRange } from '../../features/logs/event-range.ts';
import { ALL_TIME } from '../../command/log-range.ts';
import { describeNone, listOutput, printList } from '../../command/print-list.ts';

export default class EventsList extends BaseCommand {
  static override summary = 'List the newest platform events (changes in the health of the pipeline)';
  static override description =
    'The log contains every event, also those without a webhook. Without a range, the whole log is searched, unless `svc config set range` has set a default; with a range, it is read back to its start.';
  static override examples = [
    {
      description: 'Failures of the last week',
      command: '<%= config.bin %> events list --type sync.failed --since 7d',
    },
    {
      description: 'Events that no webhook has received, with all fields',
      command: '<%= config.bin %> events list --no-delivered --all --json',
    },
  ];
  static override flags = {
    ...eventFilterFlags,
    ...rangeFlags,
    ...pageFlags,
    ...listFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(EventsList);
    const range = this.logRange(flags, ALL_TIME);
    const output = listOutput(flags, {
      allFields: PLATFORM_EVENT_FIELDS,
      columns: EVENT_COLUMNS,
      whenEmpty: describeNone('events', range, flags),
    });
    const events = this.connect(flags).events.list({ types: flags.type, delivered: flags.delivered });
    await printList(withinRange(events, range), flags, output, { rowsName: 'events', range });
  }
}
