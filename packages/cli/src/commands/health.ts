import * as Flags from '@oclif/core/flags';
import { BaseCommand, maxRetriesFlag } from '../command/base-command.ts';
import { printRecord } from '../format/record.ts';
import { checkHealth, healthLines } from '../features/status/health.ts';

export default class Health extends BaseCommand {
  static override summary = 'Check that the service is up and ready (no key needed)';
  static override description = 'Exits with 8 if the platform does not answer or is not ready.';
  static override environment = ['SVC_BASE_URL', 'SVC_PROFILE'] as const;
  static override examples = [
    { description: 'Check the configured service', command: '<%= config.bin %> health' },
    {
      description: 'Only check that the process is up, like a liveness probe',
      command: '<%= config.bin %> health --live',
    },
    { description: 'Wait until a service is up', command: 'until <%= config.bin %> health; do sleep 1; done' },
  ];
  static override exitCodes = {
    8: 'the platform does not answer or is not ready',
  };
  // No retries by default: "not ready" is a valid answer.
  static override flags = {
    live: Flags.boolean({ description: 'Only check that it is up, not that it can receive and sync events' }),
    'max-retries': maxRetriesFlag({ default: 0 }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Health);
    const client = this.connectWithoutKey(flags);
    const maxRetries = flags['max-retries'];
    const health = flags.live ? await client.discovery.live({ maxRetries }) : await checkHealth(client, maxRetries);
    await printRecord(health, { isJson: flags.json, fields: null, lines: () => healthLines(health) });
  }
}
