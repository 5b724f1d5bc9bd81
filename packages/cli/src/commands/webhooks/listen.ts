import { randomBytes } from 'node:crypto';
import * as Flags from '@oclif/core/flags';
import { EVENT_TYPES, PREFIXES } from '@svc/contract/vocabulary';
import { BaseCommand } from '../../command/base-command.ts';
import { requireHttps } from '../../config/http-url.ts';
import { durationFlag } from '../../command/duration.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { expectInterrupt } from '../../terminal/interrupts.ts';
import { parseFields } from '../../format/fields.ts';
import { FORWARDED_EVENT_FIELDS } from '../../features/webhooks/listen/forwarded-event.ts';
import { listenByPolling } from '../../features/webhooks/listen/by-polling.ts';
import { listenByTunnel } from '../../features/webhooks/listen/by-tunnel.ts';
import { openListenOutput } from '../../features/webhooks/listen/output.ts';
import { parseMoment } from '../../command/time-range.ts';
import { parseForwardTo, parseSubscribableTypes, readGivenSecret } from '../../features/webhooks/listen/options.ts';

export default class WebhooksListen extends BaseCommand {
  static override summary = 'Forward events to a server on this machine, signed like deliveries';
  static override description =
    `Polls the event log and posts new events to --forward-to in order, with the body and headers of a real delivery. A connection key is enough; no webhook is registered and no port is opened. While nothing answers, the event is retried, unless --skip-forward-errors is given; an answer other than 2xx is shown and not retried. Posts are signed with the secret of SVC_WEBHOOK_SECRET or --secret-file, else with a new secret that is shown at the start.

With --tunnel-url, real deliveries are received instead: a webhook is registered for that public address, which must lead to --port of this machine. The webhook is deleted at the end, except after SIGKILL; its id is shown at the start. Deliveries are verified and forwarded, and the service gets the answer of your server. Needs an account-scoped key with write scope.

Prints one line per event in a terminal; piped or with --json, one line of JSON: {eventId, type, createdAt, summary, deliveryId, httpStatus, error, durationMs, attempts}. With --json, stderr has JSON too: {"listening": {forwardTo, secret, webhookId}} at the start, then {"note"}. Ctrl-C ends it.`;
  static override environment = ['SVC_API_KEY', 'SVC_BASE_URL', 'SVC_PROFILE', 'SVC_WEBHOOK_SECRET'] as const;
  static override examples = [
    {
      description: 'Develop a receiver, starting with the events of the last two hours',
      command: '<%= config.bin %> webhooks listen --forward-to localhost:3000/hooks --since 2h',
    },
    {
      description: 'Failures only, with a log of forwarded events',
      command:
        '<%= config.bin %> webhooks listen --forward-to localhost:3000/hooks --type sync.failed | tee events.ndjson',
    },
    {
      description: 'Real deliveries, through a tunnel to port 4242',
      command:
        '<%= config.bin %> webhooks listen --forward-to localhost:3000/hooks --tunnel-url https://abc.tunnel.example.com --port 4242',
    },
  ];
  static override exitCodes = {
    130: 'Ctrl-C, the normal end',
  };
  static override flags = {
    'forward-to': Flags.string({
      description: 'http or https address to post events to; http:// may be omitted for this machine',
      helpValue: 'URL',
      required: true,
    }),
    since: Flags.string({
      description:
        'Start with the events since then, such as 2h, yesterday or "2026-01-31 08:00" (UTC without an offset); default: new events only',
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
    const tunnelUrl = flags['tunnel-url'] && requireHttps(flags['tunnel-url'], '--tunnel-url');
    if (tunnelUrl !== undefined) {
      const types = parseSubscribableTypes(flags.type);
      const tunnel = { tunnelUrl, port: flags.port ?? 4242, types };
      return listenByTunnel(client, { ...tunnel, forwardTo, secret: given, headerPrefix, output });
    }
    const secret = given ?? `${PREFIXES.webhookSecret}${randomBytes(16).toString('hex')}`;
    expectInterrupt();
    output.opened({ forwardTo, secret: given === null ? secret : null, webhookId: null });
    await listenByPolling({
      open: (params) => client.events.tail({ ...params, types: flags.type }),
      sinceMs,
      forwardTo,
      secret,
      headerPrefix,
      output,
      intervalMs: (flags.interval ?? 5) * 1000,
      skipsErrors: flags['skip-forward-errors'],
    });
  }
}
