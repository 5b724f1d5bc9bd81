import { randomBytes } from 'node:crypto';
import * as Flags from '@oclif/core/flags';
import { EVENT_TYPES, type EventType, PREFIXES, type SubscribableEventType } from '@svc/contract/vocabulary';
import { BaseCommand } from '../../command/base-command.ts';
import { usageError } from '../../errors/cli-error.ts';
import { durationFlag } from '../../command/duration.ts';
import { readWebhookSecret } from '../../config/environment.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { parseFields } from '../../format/fields.ts';
import { FORWARDED_EVENT_FIELDS } from '../../features/webhooks/listen/forwarded-event.ts';
import { listenByPolling } from '../../features/webhooks/listen/by-polling.ts';
import { listenByTunnel } from '../../features/webhooks/listen/by-tunnel.ts';
import { openListenOutput } from '../../features/webhooks/listen/output.ts';
import { readOneSecret } from '../../features/webhooks/secrets.ts';
import { parseMoment } from '../../command/time-range.ts';

export default class WebhooksListen extends BaseCommand {
  static override summary = "Forward the service's events to a server on this machine, signed as deliveries are";
  static override description =
    `Looks at the event log and posts what is new to --forward-to, with the body and the headers of a real delivery; a key of one connection will do. Nothing is registered, and no port is opened. Events come in their order. When nothing answers there, the event is tried again until something does, unless --skip-forward-errors; an answer other than 2xx is shown and not tried again. Posts are signed with the secret of SVC_WEBHOOK_SECRET or --secret-file, else with one that is made for this run and shown at its start.

With --tunnel-url, real deliveries are taken instead: a webhook is registered for that public address, which has to end at --port of this machine, and removed however this ends (with SIGKILL it cannot: its id is shown at the start). What arrives is verified and forwarded, and the service gets your server's answer. Needs an account-scoped key with write scope.

In a terminal there is a line for each event; piped, or with --json, a JSON object in one line: {eventId, type, createdAt, summary, deliveryId, httpStatus, error, durationMs, attempts}. With --json, stderr holds JSON as well: {"listening": {forwardTo, secret, webhookId}} at the start, then {"note"}. Ctrl-C ends it.`;
  static override examples = [
    {
      description: 'Work on a receiver, with the events of the last two hours to begin with',
      command: '<%= config.bin %> webhooks listen --forward-to http://localhost:3000/hooks --since 2h',
    },
    {
      description: 'Failures only, and keep what was forwarded',
      command:
        '<%= config.bin %> webhooks listen --forward-to http://localhost:3000/hooks --type sync.failed | tee events.ndjson',
    },
    {
      description: 'Real deliveries, through a tunnel that ends at port 4242',
      command:
        '<%= config.bin %> webhooks listen --forward-to http://localhost:3000/hooks --tunnel-url https://abc.tunnel.example.com --port 4242',
    },
  ];
  static override exitCodes = {
    130: 'Ctrl-C, its usual end',
  };
  static override flags = {
    'forward-to': Flags.string({
      description: 'Where to post events: http or https',
      helpValue: 'URL',
      required: true,
    }),
    since: Flags.string({
      description: 'Begin with the events since then, such as 2h or 2026-01-31; default: with the next one',
      helpValue: 'TIME',
      exclusive: ['tunnel-url'],
    }),
    type: Flags.option({
      options: EVENT_TYPES,
      description: 'Only events of this type; may be repeated',
      multiple: true,
    })(),
    'secret-file': Flags.string({
      aliases: ['secret'],
      description: 'File with the secret to sign with, or - for stdin',
      helpValue: 'FILE',
    }),
    'skip-forward-errors': Flags.boolean({
      description: 'Go on with the next event when nothing answers',
      exclusive: ['tunnel-url'],
    }),
    interval: durationFlag({
      description: 'Time between two looks, default 5s; each is one request of the 120 in a minute',
      helpValue: '5s',
      min: 1,
      exclusive: ['tunnel-url'],
    }),
    'tunnel-url': Flags.string({ description: 'Take real deliveries through this public address', helpValue: 'URL' }),
    port: Flags.integer({
      description: 'Where the tunnel ends on this machine, default 4242',
      helpValue: 'N',
      min: 1,
      max: 65_535,
      dependsOn: ['tunnel-url'],
    }),
    fields: fieldsFlag,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(WebhooksListen);
    const fields = flags.fields === undefined ? null : parseFields(flags.fields, FORWARDED_EVENT_FIELDS);
    const forwardTo = parseForwardTo(flags['forward-to']);
    const sinceMs = flags.since === undefined ? null : parseMoment(flags.since, Date.now(), 'start');
    const given = await readGivenSecret(flags['secret-file']);
    const client = this.connect(flags);
    const { headerPrefix } = this.credentials(flags);
    const output = openListenOutput(flags.json, fields);
    const tunnelUrl = flags['tunnel-url'];
    if (tunnelUrl !== undefined) {
      await listenByTunnel(client, {
        ...{
          tunnelUrl,
          port: flags.port ?? 4242,
          types: subscribable(flags.type),
          forwardTo,
          secret: given,
          headerPrefix,
          output,
        },
      });
      return;
    }
    const secret = given ?? `${PREFIXES.webhookSecret}${randomBytes(16).toString('hex')}`;
    output.opened({ forwardTo, secret: given === null ? secret : null, webhookId: null });
    await listenByPolling({
      open: (params) => client.events.tail({ ...params, types: flags.type }),
      sinceMs,
      ...{ forwardTo, secret, headerPrefix, output },
      intervalMs: (flags.interval ?? 5) * 1000,
      skipsErrors: flags['skip-forward-errors'],
    });
  }
}

/** A ping is delivered to whom it was asked for, and cannot be subscribed to. */
function subscribable(types: readonly EventType[] | undefined): SubscribableEventType[] | undefined {
  return types?.map((type) => {
    if (type !== 'test.ping') return type;
    throw usageError(
      'With --tunnel-url there is no --type test.ping',
      'It arrives whatever the types: `svc webhooks test ID`.',
    );
  });
}

function parseForwardTo(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usageError('--forward-to is not an http or https address', 'For example http://localhost:3000/hooks.');
  }
  if (url.username !== '' || url.password !== '') throw usageError('--forward-to has a user name or password in it');
  return url.href;
}

/** Null when none was given. */
async function readGivenSecret(file: string | undefined): Promise<string | null> {
  if (file?.startsWith(PREFIXES.webhookSecret)) {
    const hint = 'Put it into a file or into SVC_WEBHOOK_SECRET: other users and the shell history would see it.';
    throw usageError('A secret does not belong on the command line', hint);
  }
  return file === undefined ? readWebhookSecret() : readOneSecret(file);
}
