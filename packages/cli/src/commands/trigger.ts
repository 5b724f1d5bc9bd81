import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { EVENT_TYPES } from '@svc/contract/vocabulary';
import { BaseCommand } from '../command/base-command.ts';
import { printRecord } from '../format/record.ts';
import { findMockControl } from '../features/mock/control.ts';
import { triggerEvent, parseDetails } from '../features/mock/trigger.ts';

export default class Trigger extends BaseCommand {
  static override summary = 'Emit a platform event to test webhooks and listeners';
  static override description =
    'The mock emits every type of event to all subscribed webhooks (test.ping to all webhooks). A real service can only send a test.ping to one webhook; other events are refused with exit code 2. --json prints {"type", "eventId", "webhookId"}.';
  static override examples = [
    {
      description: 'Ping a webhook (on any service)',
      command: '<%= config.bin %> trigger test.ping --webhook oswhk_01',
    },
    {
      description: 'An incident starts and ends (on the mock)',
      command:
        '<%= config.bin %> trigger sync.failed --source 11 && <%= config.bin %> trigger sync.recovered --source 11',
    },
  ];
  static override exitCodes = {
    2: 'also an event that a real service does not emit',
  };
  static override args = {
    type: Args.string({
      description: 'Type of the event',
      options: [...EVENT_TYPES],
      required: true,
    }),
  };
  static override flags = {
    webhook: Flags.string({ description: 'For test.ping: the webhook to send it to', helpValue: 'ID' }),
    connection: Flags.integer({ description: 'Connection of the event (mock only)', helpValue: 'ID', min: 1 }),
    source: Flags.integer({ description: 'Source of the event (mock only)', helpValue: 'ID', min: 1 }),
    summary: Flags.string({ description: 'Summary of the event (mock only)', helpValue: 'TEXT' }),
    data: Flags.string({ description: 'JSON object to merge into the data (mock only)', helpValue: 'JSON' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Trigger);
    const details = parseDetails(flags);
    const credentials = this.credentials(flags);
    this.checkKey(credentials);
    const mock = await findMockControl(credentials, flags.timeout * 1000);
    const client = this.createClient(credentials, flags);
    const triggered = await triggerEvent({ type: args.type, webhookId: flags.webhook, details }, { client, mock });
    const { type, eventId, webhookId } = triggered;
    const lines = [
      { label: 'Event', text: eventId },
      { label: 'Type', text: type },
      {
        label: 'Sent to',
        text: webhookId ?? (type === 'test.ping' ? 'all webhooks' : 'all webhooks that subscribe to it'),
      },
    ];
    await printRecord(triggered, { isJson: flags.json, fields: null, lines: () => lines });
  }
}
