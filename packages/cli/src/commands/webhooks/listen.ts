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
  static override summary = 'Forward events to a server on this machine, signed like deliveries';
  static override description =
    `Polls the event log and posts new events to --forward-to in order, with the body and headers of a real delivery. A connection key is enough; no webhook is registered and no port is opened. While nothing answers, the event is retried, unless --skip-forward-errors is given; an answer other than 2xx is shown and not retried. Posts are signed with the secret of SVC_WEBHOOK_SECRET or --secret-file, else with a new secret that is shown at the start.

With --tunnel-url, real deliveries are received instead: a webhook is registered for that public address, which must lead to --port of this machine. The webhook is deleted at the end, except after SIGKILL; its id is shown at the start. Deliveries are verified and forwarded, and the service gets the answer of your server. Needs an account-scoped key with write scope.

Prints one line per event in a terminal; piped or with --json, one line of JSON: {eventId, type, createdAt, summary, deliveryId, httpStatus, error, durationMs, attempts}. With --json, stderr has JSON too: {"listening": {forwardTo, secret, webhookId}} at the start, then {"note"}. Ctrl-C ends it.`;
  static override examples = [
    {
      description: 'Develop a receiver, starting with the events of the last two hours',
      command: '<%= config.bin %> webhooks listen --forward-to http://localhost:3000/hooks --since 2h',
    },
    {
      description: 'Failures only, with a log of forwarded events',
      command:
        '<%= config.bin %> webhooks listen --forward-to http://localhost:3000/hooks --type sync.failed | tee events.ndjson',
    },
    {
      description: 'Real deliveries, through a tunnel to port 4242',
      command:
        '<%= config.bin %> webhooks listen --forward-to http://localhost:3000/hooks --tunnel-url https://abc.tunnel.example.com --port 4242',
    },
  ];
  static override exitCodes = {
    130: 'Ctrl-C, the normal end',
  };
  static override flags = {
    'forward-to': Flags.string({
      description: 'http or https address to post events to',
      helpValue: 'URL',
      required: true,
    }),
    since: Flags.string({
      description: 'Start with the events since then, such as 2h or 2026-01-31; default: new events only',
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
      description: 'Skip an event if nothing answers',
      exclusive: ['tunnel-url'],
    }),
    interval: durationFlag({
      description: 'Time between two requests, default 5s; they count towards the 120 requests a minute',
      helpValue: '5s',
      min: 1,
      exclusive: ['tunnel-url'],
    }),
    'tunnel-url': Flags.string({
      description: 'Receive real deliveries through this public address',
      helpValue: 'URL',
    }),
    port: Flags.integer({
      description: 'Port of this machine that the tunnel leads to, default 4242',
      helpValue: 'N',
      min: 1,
      max: 65_535,
      dependsOn: ['tunnel-url'],
    }),
    fields: fieldsFlag,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(WebhooksListen);
    const fields = parseFields(flags.fields, FORWARDED_EVENT_FIELDS);
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

/** @throws CliError for `test.ping`, which webhooks cannot subscribe to */
function subscribable(types: readonly EventType[] | undefined): SubscribableEventType[] | undefined {
  return types?.map((type) => {
    if (type !== 'test.ping') return type;
    throw usageError(
      '--type test.ping cannot be used with --tunnel-url',
      '`svc webhooks test ID` delivers a ping regardless of --type.',
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

/** Returns null when no secret is given. */
async function readGivenSecret(file: string | undefined): Promise<string | null> {
  if (file?.startsWith(PREFIXES.webhookSecret)) {
    const hint = 'Put it into a file or SVC_WEBHOOK_SECRET, because other users and the shell history would see it.';
    throw usageError('The secret must not be on the command line', hint);
  }
  return file === undefined ? readWebhookSecret() : readOneSecret(file);
}
