import { CRM_REGISTRY } from '@svc/crm';
import { RELAY_MAILS_PER_HOUR } from '@svc/domain/relays/relay-limit';
import { INBOUND_BODY_BYTES_MAX } from '@svc/domain/syncs/inbound-post';
import * as z from 'zod';
import { ROLES } from './roles.ts';
import { telemetryVariables } from './telemetry-config.ts';
import {
  amqpUrl,
  baseUrl,
  cidrs,
  clientId,
  clientSecret,
  databaseUrl,
  encryptionKeys,
  issuerUrl,
  loginUrl,
  mailAddress,
  port,
  readUrl,
  prefix,
  roles,
  share,
  smtpServer,
  trustProxy,
  wholeNumber,
} from './variable-values.ts';

/** One variable for the API of each CRM. */
function crmAddresses(): object {
  return Object.fromEntries(
    CRM_REGISTRY.flatMap(({ crm, name, apiUrl }) =>
      apiUrl === null ? [] : [[`SVC_${crm}_URL`, baseUrl.default(apiUrl).describe(`Address of ${name}'s API.`)]],
    ),
  );
}

/** How log lines are written. */
export const LOG_FORMATS = ['json', 'pretty'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];
/** Where the dashboard is served. */
export const DASHBOARD_PLACES = ['on', 'admin', 'off'] as const;
export type DashboardPlace = (typeof DASHBOARD_PLACES)[number];
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/**
 * The variables of the environment. Each `description` is a row of the table in docs/operating.md (`npm run generate`), which shows
 * the schema's own default, or the one that `shownDefault` describes.
 */
export const environmentSchema = z.object({
  DATABASE_URL: databaseUrl.optional().meta({
    description: 'PostgreSQL to use. Several hosts are separated by commas: [high availability](high-availability.md).',
    shownDefault: 'the embedded database in the data directory',
  }),
  DATABASE_DIRECT_URL: databaseUrl.optional().meta({
    description:
      'The same database without the connection pooler that `DATABASE_URL` leads to. One connection of each process goes there.',
    shownDefault: '`DATABASE_URL`',
  }),
  DATABASE_READ_URL: readUrl.optional().meta({
    description:
      'Standbys of the same database, separated by commas: [lists, exports and metrics are read there](high-availability.md#reads-from-a-standby) while one is at most 2 seconds behind. Give it to all processes with the API.',
    shownDefault: 'none, everything is read from `DATABASE_URL`',
  }),
  SVC_ROLE: roles.default(new Set(ROLES)).meta({
    description:
      'What this process runs (`--role`): `api`, `inbound`, `worker`, or several with commas. Other roles run in other processes on the same `DATABASE_URL`.',
    shownDefault: 'all',
  }),
  SVC_WORKER_CONCURRENCY: wholeNumber('must be a number of jobs, 1 to 512', { min: 1, max: 512 })
    .default(16)
    .describe(
      'Jobs that this process runs at a time, 1 to 512, such as writes to CRMs; besides, twice as many posts to webhooks and destinations.',
    ),
  SVC_DATABASE_CONNECTIONS: wholeNumber('must be a number of connections, 2 to 500', { min: 2, max: 500 })
    .optional()
    .meta({
      description:
        'Connections of this process to `DATABASE_URL`, 2 to 500, and to each host of `DATABASE_READ_URL`. One more is kept for notifications. The sum of all processes must stay below `max_connections` of PostgreSQL.',
      shownDefault: '`16`, and above 32 jobs at a time half of `SVC_WORKER_CONCURRENCY`',
    }),
  SVC_DRAIN_SECONDS: wholeNumber('must be a number of seconds, 1 to 600', { min: 1, max: 600 })
    .default(8)
    .describe(
      'Seconds that running jobs have to end after SIGTERM, 1 to 600. Other processes then take over what has not ended. Calls to CRMs are aborted three seconds before.',
    ),
  SVC_DRAIN_DELAY_SECONDS: wholeNumber('must be a number of seconds, 0 to 60', { min: 0, max: 60 })
    .default(0)
    .describe(
      'Seconds after SIGTERM in which requests are still accepted while `/health/ready` answers 503, 0 to 60, so that load balancers notice first.',
    ),
  SVC_DATA_DIR: z.string().min(1).optional().meta({
    description:
      'Folder of the embedded database and of the generated key file (`--data-dir`). Only its owner can read it.',
    shownDefault: '`.svc/data`; `.svc/demo` for a demo or a world',
  }),
  SVC_PORT: port.optional().meta({ description: 'Port (`--port`); 0 picks a free one.', shownDefault: '`4000`' }),
  SVC_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address to listen on. Other machines reach the server only when this is changed.'),
  SVC_MAX_CONNECTIONS: wholeNumber('must be a number of connections, 10 to 100000', { min: 10, max: 100_000 })
    .default(2_000)
    .describe('Open connections at a time, 10 to 100000. Further ones are closed at once.'),
  SVC_MAX_CONNECTIONS_PER_ADDRESS: wholeNumber('must be a number of connections, 1 to 100000', { min: 1, max: 100_000 })
    .default(200)
    .describe(
      'Open connections of one address (of an IPv6 network of 64 bits), 1 to 100000. Further ones are closed at once. Those of trusted proxies (`SVC_TRUST_PROXY`) are not counted.',
    ),
  SVC_ADMIN_PORT: port.optional().meta({
    description:
      'Port of the administrative listener: `/metrics`, and `/health/ready` with its checks, which the public port then does not answer. 0 picks a free one.',
    shownDefault: 'none: the public port answers both',
  }),
  SVC_ADMIN_HOST: z.string().min(1).optional().meta({
    description: 'Address of the administrative listener.',
    shownDefault: '`127.0.0.1`',
  }),
  SVC_PUBLIC_URL: baseUrl.optional().meta({
    description:
      'Address of the API as clients see it, shown in answers and in the OpenAPI document. A path prefix is for a proxy that removes it.',
    shownDefault: 'the bound address',
  }),
  SVC_SYNC_URL: baseUrl.optional().meta({
    description: 'Address of the inbound URLs that sequencers post to.',
    shownDefault: '`SVC_PUBLIC_URL`',
  }),
  SVC_DASHBOARD_URL: baseUrl.optional().meta({
    description: 'Address of the admin pages, for links in remediations.',
    shownDefault: '`SVC_PUBLIC_URL` + `/dashboard`',
  }),
  SVC_DASHBOARD: z
    .enum(DASHBOARD_PLACES, `must be one of ${DASHBOARD_PLACES.join(', ')}`)
    .default('on')
    .describe(
      'Where the [dashboard](dashboard.md) is: `on` at the public port, `admin` at the administrative listener only (needs `SVC_ADMIN_PORT`), `off` nowhere.',
    ),
  SVC_MCP: z
    .enum(['off', 'read', 'write'], 'must be one of off, read, write')
    .default('read')
    .describe(
      'What agents may do at [`/mcp`](mcp.md#over-http): `read`, or `write` with keys that have this scope. `off`: there is no `/mcp`.',
    ),
  SVC_PASSWORD_SIGN_IN: z
    .enum(['on', 'off'], 'must be on or off')
    .default('on')
    .describe('`off` refuses passwords at the dashboard: users sign in with OIDC or with a link.'),
  SVC_OIDC_ISSUER: issuerUrl.optional().meta({
    description:
      'Issuer of the OpenID Connect provider that [users of the dashboard sign in at](dashboard.md#sign-in-with-openid-connect), exactly as its discovery document says. An https URL, or one on this machine.',
    shownDefault: 'none',
  }),
  SVC_OIDC_CLIENT_ID: clientId.optional().meta({
    description:
      'Client id of this server at that provider. Its redirect URL is `SVC_DASHBOARD_URL` + `/api/oidc/callback`.',
    shownDefault: 'none',
  }),
  SVC_OIDC_CLIENT_SECRET: clientSecret.optional().meta({
    description: 'Client secret of this server at that provider.',
    shownDefault: 'none',
  }),
  SVC_OIDC_CLIENT_SECRET_FILE: z.string().min(1).optional().meta({
    description: 'File that contains the client secret, instead of `SVC_OIDC_CLIENT_SECRET`.',
    shownDefault: 'none',
  }),
  SVC_OIDC_NAME: z
    .string()
    .regex(/^[^\p{Cc}]{1,60}$/u, 'must be 1 to 60 characters on one line')
    .optional()
    .meta({ description: 'Name of the provider on the sign-in button.', shownDefault: 'the host of the issuer' }),
  SVC_DOCS_URL: baseUrl.optional().meta({
    description: 'Address of the documentation. It needs a page `status-codes` with an anchor for each code.',
    shownDefault: '`SVC_PUBLIC_URL` + `/docs`',
  }),
  SVC_ENCRYPTION_KEY: encryptionKeys.optional().meta({
    description:
      'Encrypts tokens and webhook secrets: 32 bytes in base64. Several are separated by commas: the first encrypts, all decrypt. Required with `DATABASE_URL`.',
    shownDefault: 'generated, in `encryption.key` of the data directory',
  }),
  ...crmAddresses(),
  SVC_HUBSPOT_CLIENT_ID: clientId.optional().meta({
    description: 'Client id of your app at HubSpot, to connect with `svc-server connections connect hubspot`.',
    shownDefault: 'none: HubSpot is connected with private tokens only',
  }),
  SVC_HUBSPOT_CLIENT_SECRET: clientSecret.optional().meta({
    description: 'Client secret of that app.',
    shownDefault: 'none',
  }),
  SVC_HUBSPOT_LOGIN_URL: loginUrl('hubspot.com')
    .default('https://app.hubspot.com')
    .describe("Address of HubSpot's consent page: below hubspot.com, or on this machine."),
  SVC_SALESFORCE_CLIENT_ID: clientId.optional().meta({
    description: 'Client id (consumer key) of your External Client App at Salesforce.',
    shownDefault: 'none',
  }),
  SVC_SALESFORCE_CLIENT_SECRET: clientSecret.optional().meta({
    description: 'Client secret (consumer secret) of that app.',
    shownDefault: 'none',
  }),
  SVC_SALESFORCE_LOGIN_URL: loginUrl('salesforce.com', 'salesforce.mil')
    .default('https://login.salesforce.com')
    .describe(
      'Address where Salesforce users sign in, unless a connection has its own: below salesforce.com, or on this machine.',
    ),
  SVC_PIPEDRIVE_CLIENT_ID: clientId.optional().meta({
    description: 'Client id of your app at Pipedrive.',
    shownDefault: 'none: Pipedrive is connected with private tokens only',
  }),
  SVC_PIPEDRIVE_CLIENT_SECRET: clientSecret.optional().meta({
    description: 'Client secret of that app.',
    shownDefault: 'none',
  }),
  SVC_PIPEDRIVE_LOGIN_URL: loginUrl('pipedrive.com')
    .default('https://oauth.pipedrive.com')
    .describe("Address of Pipedrive's consent page: below pipedrive.com, or on this machine."),
  SVC_CRM_DAILY_SHARE: share
    .default(0.8)
    .describe(
      "Share of a CRM's daily limit of calls, 0.01 to 1. Once the account has used it, whoever made the calls, events wait for the next day, and the rest is left to its other apps.",
    ),
  SVC_SMARTLEAD_URL: baseUrl
    .default('https://server.smartlead.ai')
    .describe("Address of Smartlead's API, for its block list."),
  SVC_INSTANTLY_URL: baseUrl
    .default('https://api.instantly.ai')
    .describe("Address of Instantly's API, for its block list."),
  SVC_EMAILBISON_URL: baseUrl.optional().meta({
    description:
      'Address of your instance of EmailBison, for block lists that name none. A list that names its instance (`--instance-url`) may only name a public address.',
    shownDefault: 'none: each list names its instance',
  }),
  SVC_LEMLIST_URL: baseUrl.default('https://api.lemlist.com').describe("Address of lemlist's API, for its block list."),
  SVC_REPLY_IO_URL: baseUrl.default('https://api.reply.io').describe("Address of Reply.io's API, for its block list."),
  SVC_HEYREACH_URL: baseUrl.default('https://api.heyreach.io').describe("Address of HeyReach's API, for its webhooks."),
  SVC_SALESLOFT_URL: baseUrl
    .default('https://api.salesloft.com')
    .describe("Address of Salesloft's API, for its webhooks."),
  SVC_SMTP_URL: smtpServer.optional().meta({
    description:
      'Mail server that sends the mails of reply relays: `smtps://USER:PASSWORD@HOST:465`, or `smtp://HOST:587`, which demands STARTTLS unless the host is this machine. `smtp://HOST?tls=off` sends unencrypted, for a mail server in a network of your own.',
    shownDefault: 'none: mails of relays wait',
  }),
  SVC_MAIL_FROM: mailAddress.optional().meta({
    description: 'Sender of those mails, with or without a name. Required with `SVC_SMTP_URL`.',
    shownDefault: 'none',
  }),
  SVC_RELAY_MAILS_PER_HOUR: wholeNumber('must be a number of mails, 1 to 100000', { min: 1, max: 100_000 })
    .default(RELAY_MAILS_PER_HOUR)
    .describe(
      'Mails that a reply relay sends in an hour of the clock, at most. Further replies go into one digest mail when the hour ends.',
    ),
  SVC_INBOUND_BODY_LIMIT: wholeNumber('must be a number of bytes, 1024 to 67108864', {
    min: 1024,
    max: 64 * 1024 * 1024,
  })
    .default(INBOUND_BODY_BYTES_MAX)
    .describe('Largest inbound body in bytes, 1024 to 67108864.'),
  SVC_INGEST_AMQP_URL: amqpUrl.optional().meta({
    description:
      'RabbitMQ that keeps received posts until they are in PostgreSQL, so that posts are accepted while it is away: the ingest buffer (docs/ingest-buffer.md). `amqps://USER:PASSWORD@HOST:5671/VHOST`, for processes with the roles `inbound` and `worker`. Needs `DATABASE_URL`.',
    shownDefault: 'none: posts are stored directly',
  }),
  // At least 2: events that wait for a CRM's daily limit or a delayed forwarding still need their payload.
  SVC_PAYLOAD_DAYS: wholeNumber('must be a number of days, 2 to 3650', { min: 2, max: 3_650 }).optional().meta({
    description:
      'Days after which received payloads (personal data, and most of the disk) are deleted, 2 to 3650. The log of relay mails is deleted too. Receipts, syncs and deliveries stay. A delivery without its payload cannot be replayed (404).',
    shownDefault: 'never',
  }),
  // At least a month: longer than an event is tried, forwarded or delivered.
  SVC_LOG_DAYS: wholeNumber('must be a number of days, 31 to 36500', { min: 31, max: 36_500 }).optional().meta({
    description:
      'Days after which logs are dropped, 31 to 36500, in whole months: requests, syncs, deliveries, events, webhook deliveries and the log of relay mails. An event that is sent again later is still known.',
    shownDefault: 'never',
  }),
  SVC_OUTBOUND_ALLOW: cidrs.default([]).meta({
    description: 'CIDRs, with commas, that webhooks and forwarding may call although they are not public.',
    shownDefault: 'none',
  }),
  SVC_RATE_LIMIT: z
    .enum(['on', 'off'], 'must be on or off')
    .default('on')
    .describe('`off` switches the rate limits of the API off, for tests and benchmarks.'),
  SVC_TRUST_PROXY: trustProxy.default(false).meta({
    description:
      'Proxies whose `X-Forwarded-For` is trusted: a number of hops, or addresses and CIDRs with commas. Without it all clients behind a proxy share one limit per IP; `doctor` warns of a proxy that is not trusted.',
    shownDefault: 'none',
  }),
  SVC_BACKUP_PASSPHRASE: z.string().min(1).optional().meta({
    description: 'Passphrase of `svc-server backup` and `restore`. The server itself does not need it.',
    shownDefault: 'asked for, or read from `--passphrase-file`',
  }),
  SVC_METRICS_TOKEN: z
    .string()
    .regex(
      /^[\x21-\x7e]{16,512}$/,
      'must be 16 to 512 visible ASCII characters, for example from: openssl rand -hex 32',
    )
    .optional()
    .meta({
      description: 'Bearer token that `/metrics` asks for, 16 to 512 characters.',
      shownDefault: 'none: `/metrics` answers this machine only, and no one when a public address is configured',
    }),
  SVC_HEADER_PREFIX: prefix('headerPrefix').optional().meta({
    description: "Beginning of the service's own header names.",
    shownDefault: '`Service-`',
  }),
  SVC_KEY_PREFIX: prefix('keyPrefix').optional().meta({
    description: 'Beginning of API keys. Keys with another prefix are refused, those made earlier included.',
    shownDefault: '`osapi_`',
  }),
  SVC_SECRET_PREFIX: prefix('secretPrefix').optional().meta({
    description: 'Beginning of new signing secrets of webhooks. Existing secrets stay valid.',
    shownDefault: '`oswhsec_`',
  }),
  SVC_LOG_LEVEL: z
    .enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`)
    .default('info')
    .describe('`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.'),
  SVC_LOG_FORMAT: z
    .enum(LOG_FORMATS, `must be ${LOG_FORMATS.join(' or ')}`)
    .default('json')
    .describe('Log lines on stderr: `json` for programs, or `pretty` for people.'),
  ...telemetryVariables,
});
