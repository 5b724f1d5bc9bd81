import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../command/base-command.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { renderEvent } from '../../features/logs/events.ts';
import { PLATFORM_EVENT_WITH_DELIVERIES_FIELDS } from '@svc/contract/fields';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';
import { terminalWidth } from '../../terminal/stdout.ts';

export default class EventsGet extends BaseCommand {
  static override summary = 'Show one event and its deliveries to webhooks';
  static override examples = [
    { description: 'One event', command: '<%= config.bin %> events get osevt_01' },
    {
      description: 'Only the status of its deliveries',
      command: '<%= config.bin %> events get osevt_01 --json --fields deliveries.endpointId,deliveries.status',
    },
  ];
  static override args = { id: Args.string({ description: 'Id of the event', required: true }) };
  static override flags = { fields: fieldsFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EventsGet);
    const fields = parseFields(flags.fields, PLATFORM_EVENT_WITH_DELIVERIES_FIELDS);
    const event = await this.connect(flags).events.get(args.id);
    await printRecord(event, {
      isJson: flags.json,
      fields,
      render: (paint) => renderEvent(event, terminalWidth(), paint),
    });
  }
}
