import { setTimeout } from 'node:timers/promises';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { durationFlag } from '../../command/duration.ts';
import { webhookArg } from '../../features/webhooks/flags.ts';
import { printRecord } from '../../format/record.ts';
import {
  exitCodeOfTest,
  testAndWait,
  describeFailedAttempt,
  testLines,
} from '../../features/webhooks/test-delivery.ts';

export default class WebhooksTest extends BaseCommand {
  static override summary = 'Send a test.ping to a webhook, active or not';
  static override description =
    'With --wait, exits with 9 if the delivery failed for good, and with 11 if it was still pending at the timeout: the service retries most failures, first after one to six minutes. --json prints {"eventId"}, with --wait {"eventId", "outcome", "delivery"}, where outcome is delivered, not-delivered or timeout.';
  static override examples = [
    {
      description: 'Send a ping and wait for the result',
      command: '<%= config.bin %> webhooks test oswhk_01 --wait',
    },
    {
      description: 'The answer of the endpoint, for a script',
      command: '<%= config.bin %> webhooks test oswhk_01 --wait --timeout 30s --json | jq .delivery.lastHttpStatus',
    },
  ];
  static override exitCodes = {
    9: 'with --wait: the delivery failed for good',
    11: 'with --wait: the delivery was still pending at the timeout',
  };
  static override args = { id: webhookArg };
  static override flags = {
    wait: Flags.boolean({ description: 'Wait for the result of the delivery' }),
    timeout: durationFlag({
      description: 'With --wait: the longest time to wait; default 1m',
      default: 60,
      min: 1,
      helpValue: '1m',
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksTest);
    const client = this.connect({ ...flags, timeout: this.attemptSeconds() });
    if (!flags.wait) {
      const queued = await client.webhooks.test(args.id);
      const lines = () => [{ label: 'Queued event', text: queued.eventId }];
      return printRecord(queued, { isJson: flags.json, fields: null, lines });
    }
    const result = await testAndWait(client, args.id, {
      timeoutMs: flags.timeout * 1000,
      now: Date.now,
      sleep: (ms) => setTimeout(ms),
      onFailedAttempt: (delivery) => {
        if (!flags.json) this.notice(describeFailedAttempt(delivery));
      },
    });
    await printRecord(result, { isJson: flags.json, fields: null, lines: () => testLines(result) });
    process.exitCode = exitCodeOfTest(result.outcome);
  }
}
