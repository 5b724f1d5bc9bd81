/**
 * Reads the configuration from the environment, the only place that uses `process.env`. Flags
 * (`admin/cli/options.ts`) override some of it.
 */
import ipaddr from 'ipaddr.js';
import { type MailConfig, parseSmtpUrl, SMTP_URL_RULE } from './mail-config.ts';
import { parseMailAddress } from '@svc/domain/relays/mail-address';
import { findUnknownVariables, type UnknownVariable } from './unknown-variables.ts';
import { type Branding, BRANDING_RULES, isPrefix, toBranding } from '@svc/domain/pages/branding';
import { isLoopbackHost } from '@svc/domain/network/loopback';
import { type Crm, CRMS } from '@svc/contract/vocabulary';
import { completeUrl } from '@svc/domain/values/complete-url';
import { CRM_REGISTRY } from '@svc/crm';
import { INBOUND_BODY_BYTES_MAX } from '@svc/domain/syncs/inbound-post';
import type { SequencerUrls } from '@svc/sequencers/blocklists';
import * as z from 'zod';

/** @param message says what the number counts and its range, for every wrong value */
function wholeNumber(message: string, { min, max }: { min: number; max: number }) {
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
}

const port = wholeNumber('must be a port, 0 to 65535', { min: 0, max: 65_535 });
const baseUrl = z
  .string()
  .transform((text, context) => {
    const completed = completeUrl(text, ({ host }) => isLoopbackHost(host));
    const url = completed?.startsWith('http://') === true ? completed : text;
    if (/^https?:/i.test(url) && URL.canParse(url)) return url;
    context.addIssue(`must be an http or https URL${completed === null ? '' : `, such as ${completed}`}`);
    return z.NEVER;
  })
  .refine(isPlain, 'must have no user name, password, query or fragment, because clients see it')
  .transform((url) => url.replace(/\/+$/, ''));
/** Returns whether a URL has no credentials, query or fragment. An invalid URL was refused before. */
function isPlain(text: string): boolean {
  const url = URL.parse(text);
  return url === null || (url.username === '' && url.password === '' && url.search === '' && url.hash === '');
}

const clientId = z
  .string()
  .regex(/^[\x21-\x39\x3b-\x7e]{1,512}$/, 'must be at most 512 visible ASCII characters without a colon');
const clientSecret = z.string().regex(/^[\x21-\x7e]{1,1024}$/, 'must be at most 1024 visible ASCII characters');

/** @param hosts of the vendor: another one would get codes and secrets */
function loginUrl(...hosts: string[]) {
  return baseUrl.refine(
    (text) => {
      const url = URL.parse(text);
      if (url === null || isLoopbackHost(url.host)) return true;
      const isOwn = hosts.some((host) => url.hostname === host || url.hostname.endsWith(`.${host}`));
      return isOwn && url.protocol === 'https:';
    },
    `must be an https URL below ${hosts.join(' or ')}, or one on this machine`,
  );
}

/** One variable for the API of each CRM. */
function crmAddresses(): object {
  return Object.fromEntries(
    CRM_REGISTRY.flatMap(({ crm, name, apiUrl }) =>
      apiUrl === null ? [] : [[`SVC_${crm}_URL`, baseUrl.default(apiUrl).describe(`Address of ${name}'s API.`)]],
    ),
  );
}

function readCrmAddresses(env: object): Record<string, string> {
  const values: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(env));
  return Object.fromEntries(
    CRM_REGISTRY.flatMap(({ crm, apiUrl }) => (apiUrl === null ? [] : [[crm, String(values[`SVC_${crm}_URL`])]])),
  );
}

const cidrs = z.string().transform((text, context): string[] => {
  const list = text.split(',').map((cidr) => cidr.trim());
  if (list.every((cidr) => ipaddr.isValidCIDR(cidr))) return list;
  context.addIssue('must be CIDRs such as 10.1.0.0/16, separated by commas');
  return z.NEVER;
});
const trustProxy = z.string().transform((text, context): false | number | string[] => {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const proxies = text.split(',').map((proxy) => proxy.trim());
  const isAddress = (proxy: string) => ipaddr.isValid(proxy) || ipaddr.isValidCIDR(proxy);
  if (proxies.every(isAddress)) return proxies;
  context.addIssue('must be a number of proxies, or their addresses or CIDRs separated by commas');
  return z.NEVER;
});
const encryptionKeys = z.string().transform((text) => text.split(',').map((key) => key.trim()));

const SHARE_RULE = 'must be a share, 0.01 to 1';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const prefix = (kind: keyof Branding) => z.string().refine((text) => isPrefix(kind, text), BRANDING_RULES[kind]);

/**
 * The variables of the environment. Each `description` is a row of the table in docs/operating.md (`npm run generate`), which shows
 * the schema's own default, or the one that `shownDefault` describes.
 */
export const environmentSchema = z.object({
  DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: 'must be a PostgreSQL URL: postgres://user:password@host:5432/database',
    })
    .optional()
    .meta({ description: 'PostgreSQL to use.', shownDefault: 'the embedded database in the data directory' }),
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
  SVC_CRM_DAILY_SHARE: z
    .string()
    .regex(/^(0\.\d{1,4}|1(\.0{1,4})?)$/, SHARE_RULE)
    .transform(Number)
    .refine((share) => share >= 0.01, SHARE_RULE)
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
  SVC_SMTP_URL: z
    .string()
    .transform((text, context) => {
      const server = parseSmtpUrl(text);
      if (server !== null) return server;
      context.addIssue(SMTP_URL_RULE);
      return z.NEVER;
    })
    .optional()
    .meta({
      description:
        'Mail server that sends the mails of reply relays: `smtps://USER:PASSWORD@HOST:465`, or `smtp://HOST:587`, which demands STARTTLS unless the host is this machine. `smtp://HOST?tls=off` sends unencrypted, for a mail server in a network of your own.',
      shownDefault: 'none: mails of relays wait',
    }),
  SVC_MAIL_FROM: z
    .string()
    .transform((text, context) => {
      const address = parseMailAddress(text);
      if (address !== null) return address;
      context.addIssue('must be an address such as relay@example.com or Replies <relay@example.com>');
      return z.NEVER;
    })
    .optional()
    .meta({
      description: 'Sender of those mails, with or without a name. Required with `SVC_SMTP_URL`.',
      shownDefault: 'none',
    }),
  SVC_INBOUND_BODY_LIMIT: wholeNumber('must be a number of bytes, 1024 to 67108864', {
    min: 1024,
    max: 64 * 1024 * 1024,
  })
    .default(INBOUND_BODY_BYTES_MAX)
    .describe('Largest inbound body in bytes, 1024 to 67108864.'),
  // At least 2: events that wait for a CRM's daily limit or a delayed forwarding still need their payload.
  SVC_PAYLOAD_DAYS: wholeNumber('must be a number of days, 2 to 3650', { min: 2, max: 3_650 }).optional().meta({
    description:
      'Days after which received payloads (personal data, and most of the disk) are deleted, 2 to 3650. The log of relay mails is deleted too. Receipts, syncs and deliveries stay. A delivery without its payload cannot be replayed (404).',
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
  SVC_METRICS_TOKEN: z
    .string()
    .regex(
      /^[\x21-\x7e]{16,512}$/,
      'must be 16 to 512 visible ASCII characters, for example from: openssl rand -hex 32',
    )
    .optional()
    .meta({
      description: 'Bearer token that `/metrics` asks for, 16 to 512 characters.',
      shownDefault: 'none: `/metrics` answers this machine only, and nobody when a public address is configured',
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
});

export interface Config {
  databaseUrl: string | undefined;
  dataDir: string | undefined;
  port: number;
  host: string;
  connectionsMax: number;
  publicUrl: string | undefined;
  syncUrl: string | undefined;
  dashboardUrl: string | undefined;
  docsUrl: string | undefined;
  encryptionKeys: readonly string[] | undefined;
  /** The apps that are registered with the vendors. */
  oauthClients: Readonly<Partial<Record<Crm, { id: string; secret: string }>>>;
  /** Where users of each CRM sign in. */
  oauthLoginUrls: Readonly<Record<Crm, string>>;
  /** The API of each CRM that this release writes to, by its type. */
  crmUrls: Readonly<Record<string, string>>;
  /** Above 0, at most 1. */
  crmDailyShare: number;
  /** The API of each sequencer whose block list can be filled. */
  sequencerUrls: SequencerUrls;
  /** Null: mails of reply relays wait. */
  mail: MailConfig | null;
  inboundBodyLimitBytes: number;
  /** Undefined: payloads are kept forever. */
  payloadDays: number | undefined;
  outboundAllowedCidrs: string[];
  hasRateLimits: boolean;
  trustProxy: false | number | string[];
  metricsToken: string | undefined;
  branding: Branding;
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
}

/** The configuration is invalid; the message names each variable and what it must be. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Never shown, because these variables hold secrets. */
const SECRET_VARIABLES = new Set([
  'DATABASE_URL',
  'SVC_ENCRYPTION_KEY',
  'SVC_METRICS_TOKEN',
  'SVC_SMTP_URL',
  ...CRMS.map((crm) => `SVC_${crm}_CLIENT_SECRET`),
]);

/** Returns whether a browser can be opened. */
export function hasDisplay(environment: Environment = process.env, platform = process.platform): boolean {
  if (platform !== 'linux') return true;
  return (environment['DISPLAY'] ?? environment['WAYLAND_DISPLAY'] ?? '') !== '';
}

/** The names of all variables. */
export const KNOWN_VARIABLES: readonly string[] = Object.keys(environmentSchema.shape);

/**
 * Returns the problems of the environment by variable, and variables that are set but unknown. A problem repeats the
 * wrong value, unless it may be a secret.
 */
export function inspectEnvironment(environment: Environment = process.env): {
  problems: { variable: string; message: string }[];
  unknown: UnknownVariable[];
} {
  const present = presentOnly(environment);
  const parsed = environmentSchema.safeParse(present);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map((issue) => {
        const variable = issue.path.map(String).join('.');
        return { variable, message: `${issue.message}${describeValue(variable, present[variable])}` };
      });
  problems.push(...findHalfSettings(present));
  return { problems, unknown: findUnknownVariables(Object.keys(present), KNOWN_VARIABLES) };
}

/** Returns `, not "2MB"`; nothing for a secret, or a URL that contains more than scheme, host and path. */
function describeValue(variable: string, value: string | undefined): string {
  if (value === undefined || SECRET_VARIABLES.has(variable) || /[@?#]/.test(value)) return '';
  return `, not ${JSON.stringify(value.slice(0, VALUE_SHOWN_MAX))}`;
}

const VALUE_SHOWN_MAX = 100;

/** An app has an id and a secret, and a mail server needs a sender. */
function findHalfSettings(present: Readonly<Record<string, string>>): { variable: string; message: string }[] {
  const apps = CRMS.map((crm) => [`SVC_${crm}_CLIENT_ID`, `SVC_${crm}_CLIENT_SECRET`] as const);
  return [...apps, ['SVC_SMTP_URL', 'SVC_MAIL_FROM'] as const].flatMap(([one, other]) => {
    const [missing, given] = present[one] === undefined ? [one, other] : [other, one];
    const isHalf = present[missing] === undefined && present[given] !== undefined;
    return isHalf ? [{ variable: missing, message: `must be set too, because ${given} is` }] : [];
  });
}

function clientOf(crm: Crm, id: string | undefined, secret: string | undefined): Config['oauthClients'] {
  return id === undefined || secret === undefined ? {} : { [crm]: { id, secret } };
}

function presentOnly(environment: Environment): Record<string, string> {
  const isPresent = (entry: [string, string | undefined]): entry is [string, string] =>
    entry[1] !== undefined && entry[1] !== '';
  return Object.fromEntries(Object.entries(environment).filter(isPresent));
}

/**
 * @param environment usually `process.env`; empty values count as absent
 * @throws ConfigError
 */
export function readConfig(environment: Environment = process.env): Config {
  const present = presentOnly(environment);
  const parsed = environmentSchema.safeParse(present);
  if (!parsed.success || findHalfSettings(present).length > 0) {
    const problems = inspectEnvironment(environment).problems.map(
      ({ variable, message }) => `  ${variable} ${message}`,
    );
    throw new ConfigError(`The configuration is invalid:\n${problems.join('\n')}`);
  }
  const env = parsed.data;
  return {
    databaseUrl: env.DATABASE_URL,
    dataDir: env.SVC_DATA_DIR,
    port: env.SVC_PORT ?? 4000,
    host: env.SVC_HOST,
    connectionsMax: env.SVC_MAX_CONNECTIONS,
    publicUrl: env.SVC_PUBLIC_URL,
    syncUrl: env.SVC_SYNC_URL,
    dashboardUrl: env.SVC_DASHBOARD_URL,
    docsUrl: env.SVC_DOCS_URL,
    encryptionKeys: env.SVC_ENCRYPTION_KEY,
    oauthClients: {
      ...clientOf('HUBSPOT', env.SVC_HUBSPOT_CLIENT_ID, env.SVC_HUBSPOT_CLIENT_SECRET),
      ...clientOf('SALESFORCE', env.SVC_SALESFORCE_CLIENT_ID, env.SVC_SALESFORCE_CLIENT_SECRET),
      ...clientOf('PIPEDRIVE', env.SVC_PIPEDRIVE_CLIENT_ID, env.SVC_PIPEDRIVE_CLIENT_SECRET),
    },
    oauthLoginUrls: {
      HUBSPOT: env.SVC_HUBSPOT_LOGIN_URL,
      SALESFORCE: env.SVC_SALESFORCE_LOGIN_URL,
      PIPEDRIVE: env.SVC_PIPEDRIVE_LOGIN_URL,
    },
    crmUrls: readCrmAddresses(env),
    crmDailyShare: env.SVC_CRM_DAILY_SHARE,
    sequencerUrls: {
      smartlead: env.SVC_SMARTLEAD_URL,
      instantly: env.SVC_INSTANTLY_URL,
      emailbison: env.SVC_EMAILBISON_URL,
      lemlist: env.SVC_LEMLIST_URL,
      'reply-io': env.SVC_REPLY_IO_URL,
    },
    mail: env.SVC_SMTP_URL && env.SVC_MAIL_FROM ? { smtp: env.SVC_SMTP_URL, from: env.SVC_MAIL_FROM } : null,
    inboundBodyLimitBytes: env.SVC_INBOUND_BODY_LIMIT,
    payloadDays: env.SVC_PAYLOAD_DAYS,
    outboundAllowedCidrs: env.SVC_OUTBOUND_ALLOW,
    hasRateLimits: env.SVC_RATE_LIMIT === 'on',
    trustProxy: env.SVC_TRUST_PROXY,
    metricsToken: env.SVC_METRICS_TOKEN,
    branding: toBranding({
      headerPrefix: env.SVC_HEADER_PREFIX,
      keyPrefix: env.SVC_KEY_PREFIX,
      secretPrefix: env.SVC_SECRET_PREFIX,
    }),
    logLevel: env.SVC_LOG_LEVEL,
  };
}
