import * as Flags from '@oclif/core/flags';
import { BaseCommand, maxRetriesFlag } from '../command/base-command.ts';
import { serveMcp } from '../features/mcp/serve.ts';

/** A client gives up after about a minute; the tool tells it how long to wait instead. */
const WAIT_MAX_MS = 10_000;

export default class Mcp extends BaseCommand {
  static override summary = 'Serve the API as MCP tools on stdin and stdout, for agents';
  static override description =
    'MCP clients (Claude, Cursor, VS Code and others) start this command and end it; `svc mcp install` adds it to them. It only reads, unless --allow-write is given and the key has the scope write; what changes more than one sync returns a plan first. Answers have at most 50 rows and 20 kB; text of third parties is cut, made visible and marked as data. --no-payloads leaves it out.';
  static override examples = [
    { description: 'What a client starts', command: '<%= config.bin %> mcp --profile production' },
    { description: 'With tools that change something', command: '<%= config.bin %> mcp --allow-write' },
    {
      description: 'Without texts of prospects, CRMs and sequencers',
      command: '<%= config.bin %> mcp --no-payloads',
    },
  ];
  static override flags = {
    'allow-write': Flags.boolean({
      description: 'Also offer the tools that change something, as far as the key may use them',
    }),
    'no-payloads': Flags.boolean({
      description: 'Leave out text of third parties: addresses, names, URLs, answers of CRMs',
    }),
    'max-retries': maxRetriesFlag({ default: 1 }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Mcp);
    const client = this.connect(flags, { maxRetryAfterMs: WAIT_MAX_MS });
    await serveMcp({
      client,
      version: this.config.version,
      hidesText: flags['no-payloads'],
      allowsWrites: flags['allow-write'],
      doctor: async () => {
        const { runDoctor } = await import('../features/doctor/run-doctor.ts');
        return runDoctor(this.config, {
          timeoutMs: flags.timeout * 1000,
          resolve: () => this.credentials(flags),
          connect: (credentials) => this.createClient(credentials, flags),
        });
      },
    });
  }
}
