import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../command/base-command.ts';
import { runApi } from '../features/api/run-api.ts';

export default class Api extends BaseCommand {
  static override summary = 'Call any path of the API, with the key, retries and paging';
  static override description =
    'Fields become query parameters of a GET and a JSON body otherwise. -f sends text. -F sends true, false, null and whole numbers with their type, and @FILE as the content of the file. -f name[]=a -f name[]=b is a list. The body is printed unchanged; --json indents it.';
  static override examples = [
    { description: 'What the key may do', command: '<%= config.bin %> api GET /me --jq .apiKey.scopes' },
    {
      description: 'All deliveries of a day as JSON lines',
      command:
        '<%= config.bin %> api GET /deliveries -f from=2026-01-15 -f to=2026-01-16 -f limit=500 --paginate --format ndjson',
    },
    {
      description: 'Pause a webhook',
      command: '<%= config.bin %> api PATCH /webhooks/oswhk_1 -F isActive=false',
    },
    {
      description: 'Send a body from a file, and print status and headers of the answer',
      command: '<%= config.bin %> api POST /webhooks --input webhook.json --include',
    },
    {
      description: 'Make a mock emit an event to its webhooks',
      command: '<%= config.bin %> api POST http://127.0.0.1:4010/__svc/trigger -f type=sync.failed',
    },
  ];
  static override args = {
    method: Args.string({ description: 'GET, POST, PATCH or DELETE; optional for GET', required: true }),
    path: Args.string({ description: 'Path, with or without /api/v1' }),
  };
  static override flags = {
    field: Flags.string({ char: 'F', description: 'Field with a typed value', helpValue: 'KEY=VALUE', multiple: true }),
    'raw-field': Flags.string({
      char: 'f',
      description: 'Field with a text value',
      helpValue: 'KEY=VALUE',
      multiple: true,
    }),
    input: Flags.string({
      description: 'File with the body, or - for stdin; fields then become query parameters',
      helpValue: 'FILE',
    }),
    paginate: Flags.boolean({ description: 'Follow nextCursor and print the rows of all pages' }),
    format: Flags.option({
      options: ['json', 'ndjson'] as const,
      description: 'With --paginate: one array, or one line per row; default json',
      dependsOn: ['paginate'],
    })(),
    include: Flags.boolean({
      char: 'i',
      description: 'Print the status line and headers before the body',
      exclusive: ['json', 'jq', 'paginate'],
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Api);
    const [method, path] = args.path === undefined ? ['GET', args.method] : [args.method, args.path];
    const { baseUrl, headerPrefix } = this.credentials(flags);
    await runApi({ ...flags, method, path, baseUrl, headerPrefix }, () => this.connect(flags));
  }
}
