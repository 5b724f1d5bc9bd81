import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { webhookHeaderNames } from '@svc/sdk/webhooks';
import { BaseCommand } from '../../command/base-command.ts';
import { durationFlag } from '../../command/duration.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { headerPrefixFlag } from '../../features/webhooks/flags.ts';
import { printRecord } from '../../format/record.ts';
import { readSignatureHeader } from '../../features/webhooks/delivery-headers.ts';
import { readPayload, STDIN } from '../../features/webhooks/read-payload.ts';
import { parseMoment } from '../../command/time-range.ts';
import { verifyDelivery, verificationLines } from '../../features/webhooks/verify.ts';
import { readWebhookSecrets } from '../../features/webhooks/secrets.ts';

export default class WebhooksVerify extends BaseCommand {
  static override summary = 'Check the signature of a delivery and explain why it is not valid';
  static override description =
    'Checks the raw bytes of the body like a receiver built on @svc/sdk. Works offline, without a key. If the signature does not match, common changes to bodies and secrets are tried to explain why. The secret comes from SVC_WEBHOOK_SECRET, from --secret-file (one per line; one of them must match) or from a prompt. --json prints {"valid", "reason", "message", "hint", "signedAt", "ageSeconds", "event"}.';
  static override environment = ['SVC_WEBHOOK_SECRET', 'SVC_HEADER_PREFIX'] as const;
  static override examples = [
    {
      description: 'A body and the value of its signature header',
      command:
        '<%= config.bin %> webhooks verify body.json --header "t=1769855400,v1=a0a34073..." --secret-file webhook.secret',
    },
    {
      description: 'A saved delivery with all its headers',
      command: '<%= config.bin %> webhooks verify body.json --headers-file headers.txt --at 2026-01-31T10:30:00Z',
    },
    {
      description: 'A delivery from the log of a receiver',
      command:
        'jq -j .rawBody entry.json | <%= config.bin %> webhooks verify --header "$(jq -r .signature entry.json)"',
    },
  ];
  static override exitCodes = { 9: 'a receiver would refuse the delivery' };
  static override args = {
    body: Args.string({ description: 'File with the body; default or -: stdin', default: STDIN }),
  };
  static override flags = {
    header: Flags.string({
      description: 'Value of the signature header',
      helpValue: 'VALUE',
      exclusive: ['headers-file'],
    }),
    'headers-file': Flags.string({
      description: 'File with all headers, as lines of Name: value or a JSON object',
      helpValue: 'FILE',
    }),
    'secret-file': Flags.string({
      description: 'File with one or more signing secrets; may be repeated',
      helpValue: 'FILE',
      multiple: true,
    }),
    tolerance: durationFlag({
      description: 'Allowed difference between the time of the signature and now; default 5m; a number is in seconds',
      helpValue: '5m',
      min: 0,
    }),
    at: Flags.string({
      description: 'Check the age at this time, such as "2026-01-31 08:00" (UTC without an offset); default now',
      helpValue: 'TIME',
    }),
    'header-prefix': headerPrefixFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksVerify);
    const nowMs = flags.at === undefined ? Date.now() : parseMoment(flags.at, Date.now(), 'start');
    const names = webhookHeaderNames(flags['header-prefix'] ?? this.credentials(flags).headerPrefix);
    const header = await readSignatureHeader(flags, names.signature);
    const secrets = await readWebhookSecrets(flags['secret-file'] ?? [], { isStdinTaken: args.body === STDIN });
    const body = await readPayload(args.body);
    const verification = await verifyDelivery({ body, header }, { secrets, toleranceSeconds: flags.tolerance, nowMs });
    await printRecord(verification, { isJson: flags.json, fields: null, lines: () => verificationLines(verification) });
    if (!verification.valid) process.exitCode = EXIT_CODES.negative;
  }
}
