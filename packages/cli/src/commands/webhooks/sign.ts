import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { headerPrefixFlag } from '../../features/webhooks/flags.ts';
import { printJson } from '../../format/json.ts';
import { writeStdout } from '../../terminal/stdout.ts';
import { readPayload, STDIN } from '../../features/webhooks/read-payload.ts';
import { signDelivery, curlCommand, headerLines } from '../../features/webhooks/sign.ts';
import { readWebhookSecrets } from '../../features/webhooks/secrets.ts';

export default class WebhooksSign extends BaseCommand {
  static override summary = 'Create the headers of a delivery to test a receiver';
  static override description =
    'Prints the headers that the service would send with this body, one per line; with --curl, a command that posts the body. Works offline, without a key. The secret comes from SVC_WEBHOOK_SECRET, from --secret-file or from a prompt. --json prints the headers as an object.';
  static override environment = ['SVC_WEBHOOK_SECRET', 'SVC_HEADER_PREFIX'] as const;
  static override examples = [
    {
      description: 'Post an event to a receiver on this machine',
      command:
        '<%= config.bin %> webhooks sign event.json > headers.txt && curl -H @headers.txt --data-binary @event.json http://127.0.0.1:3000/hook',
    },
    {
      description: 'The same as a command to paste',
      command:
        '<%= config.bin %> webhooks sign event.json --curl http://127.0.0.1:3000/hook --secret-file webhook.secret',
    },
    {
      description: 'A ten minutes old delivery, which a receiver should refuse',
      command: '<%= config.bin %> webhooks sign event.json --timestamp 10m',
    },
  ];
  static override args = {
    body: Args.string({ description: 'File with the body; default or -: stdin', default: STDIN }),
  };
  static override flags = {
    'secret-file': Flags.string({ description: 'File with the signing secret', helpValue: 'FILE' }),
    timestamp: Flags.string({
      description: 'Time of the signature: seconds since 1970, a time, or an age such as 10m; default now',
      helpValue: 'TIME',
    }),
    id: Flags.string({ description: 'Id of the event; default: the id in the body', helpValue: 'ID' }),
    'delivery-id': Flags.string({ description: 'Id of the delivery', helpValue: 'ID' }),
    'header-prefix': headerPrefixFlag,
    curl: Flags.string({
      description: 'Print a curl command that posts to this address',
      helpValue: 'URL',
      exclusive: ['json'],
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksSign);
    const files = flags['secret-file'] === undefined ? [] : [flags['secret-file']];
    const [secret = ''] = await readWebhookSecrets(files, { isStdinTaken: args.body === STDIN });
    const headers = await signDelivery({
      payload: await readPayload(args.body),
      secret,
      timestamp: flags.timestamp,
      eventId: flags.id,
      deliveryId: flags['delivery-id'],
      headerPrefix: flags['header-prefix'] ?? this.credentials(flags).headerPrefix,
      nowMs: Date.now(),
    });
    if (flags.json) await printJson(headers);
    else
      await writeStdout(flags.curl === undefined ? headerLines(headers) : curlCommand(headers, flags.curl, args.body));
  }
}
