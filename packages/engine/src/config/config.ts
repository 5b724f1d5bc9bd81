/**
 * Reads the configuration from the environment, the only place that uses `process.env`. Flags
 * (`admin/cli/options.ts`) override some of it.
 */
import { readFileSync } from 'node:fs';
import { type Crm, CRMS } from '@svc/contract/vocabulary';
import { CRM_REGISTRY } from '@svc/crm';
import { type Branding, toBranding } from '@svc/domain/pages/branding';
import type { WebhookUrls } from '@svc/sequencers/webhooks';
import type * as z from 'zod';
import { type DashboardPlace, environmentSchema, type LogFormat } from './environment-schema.ts';
import type { MailConfig } from './mail-config.ts';
import type { Role } from './roles.ts';
import { readTelemetry, type TelemetryConfig } from './telemetry-config.ts';
import { findUnknownVariables, type UnknownVariable } from './unknown-variables.ts';
import { clientSecret } from './variable-values.ts';

export interface Config {
  databaseUrl: string | undefined;
  databaseDirectUrl: string | undefined;
  /** The URL of standbys, with one host or several. */
  databaseReadUrl: string | undefined;
  /** What this process runs. */
  roles: ReadonlySet<Role>;
  /** Jobs at a time, without posts and mails. */
  workerConcurrency: number;
  databaseConnections: number;
  /** How long running jobs may take after a signal to stop. */
  drainMs: number;
  /** How long requests are accepted after it. */
  drainDelayMs: number;
  dataDir: string | undefined;
  port: number;
  host: string;
  /** Null: the public listener answers `/metrics` and health checks. */
  adminListener: { host: string; port: number } | null;
  connectionsMax: number;
  connectionsPerAddressMax: number;
  publicUrl: string | undefined;
  syncUrl: string | undefined;
  dashboardUrl: string | undefined;
  docsUrl: string | undefined;
  dashboard: DashboardPlace;
  /** What agents may do at `/mcp`. */
  mcp: 'off' | 'read' | 'write';
  /** Whether users of the dashboard may sign in with a password. */
  passwordSignIn: boolean;
  /** Where users of the dashboard sign in; null without a provider. */
  oidc: OidcConfig | null;
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
  sequencerUrls: WebhookUrls;
  /** Null: mails of reply relays wait. */
  mail: MailConfig | null;
  relayMailsPerHour: number;
  inboundBodyLimitBytes: number;
  /** Undefined: posts are stored directly. */
  ingestAmqpUrl: string | undefined;
  /** Undefined: payloads are kept forever. */
  payloadDays: number | undefined;
  /** Undefined: logs are kept forever. */
  logDays: number | undefined;
  outboundAllowedCidrs: string[];
  hasRateLimits: boolean;
  trustProxy: false | number | string[];
  metricsToken: string | undefined;
  backupPassphrase: string | undefined;
  branding: Branding;
  /** Null: nothing is traced. */
  telemetry: TelemetryConfig | null;
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  logFormat: LogFormat;
}

/** An OpenID Connect provider. */
export interface OidcConfig {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The name on the sign-in button. */
  name: string;
}

/** The configuration is invalid; the message names each variable and what it must be. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Never shown, because these variables hold secrets. */
const SECRET_VARIABLES = new Set([
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_READ_URL',
  'SVC_ENCRYPTION_KEY',
  'SVC_INGEST_AMQP_URL',
  'SVC_METRICS_TOKEN',
  'SVC_BACKUP_PASSPHRASE',
  'SVC_SMTP_URL',
  'SVC_OIDC_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  ...CRMS.map((crm) => `SVC_${crm}_CLIENT_SECRET`),
]);

/** Returns whether a browser can be opened. */
export function hasDisplay(environment: Environment = process.env, platform = process.platform): boolean {
  if (platform !== 'linux') return true;
  return (environment['DISPLAY'] ?? environment['WAYLAND_DISPLAY'] ?? '') !== '';
}

/** The names of all variables. */
export const KNOWN_VARIABLES: readonly string[] = Object.keys(environmentSchema.shape);

/** Returns a variable that a configuration file names. */
export function readVariable(name: string, environment: Environment = process.env): string | undefined {
  return environment[name];
}

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

/** An app has an id and a secret, a mail server needs a sender, an address a port, and the ingest buffer PostgreSQL. */
function findHalfSettings(present: Readonly<Record<string, string>>): { variable: string; message: string }[] {
  const pairs = [
    ...CRMS.map((crm) => [`SVC_${crm}_CLIENT_ID`, `SVC_${crm}_CLIENT_SECRET`] as const),
    ['SVC_SMTP_URL', 'SVC_MAIL_FROM'] as const,
    ['SVC_OIDC_ISSUER', 'SVC_OIDC_CLIENT_ID'] as const,
  ];
  const either = pairs.flatMap(([one, other]) => [[one, other] as const, [other, one] as const]);
  const needs = [
    ['SVC_ADMIN_PORT', 'SVC_ADMIN_HOST'] as const,
    ['DATABASE_URL', 'SVC_INGEST_AMQP_URL'] as const,
    ['SVC_OIDC_ISSUER', 'SVC_OIDC_NAME'] as const,
    ['SVC_OIDC_ISSUER', 'SVC_OIDC_CLIENT_SECRET'] as const,
    ['SVC_OIDC_ISSUER', 'SVC_OIDC_CLIENT_SECRET_FILE'] as const,
  ];
  return [...either, ...needs, ...needsOf(present)].flatMap(([needed, given]) => {
    const isHalf = present[needed] === undefined && present[given.split('=')[0] ?? given] !== undefined;
    return isHalf ? [{ variable: needed, message: `must be set too, because ${given} is` }] : [];
  });
}

function needsOf(present: Readonly<Record<string, string>>): (readonly [string, string])[] {
  return [
    ...(present['SVC_DASHBOARD'] === 'admin' ? [['SVC_ADMIN_PORT', 'SVC_DASHBOARD=admin'] as const] : []),
    ...(present['SVC_OIDC_CLIENT_SECRET_FILE'] === undefined
      ? [['SVC_OIDC_CLIENT_SECRET', 'SVC_OIDC_ISSUER'] as const]
      : []),
  ];
}

function clientOf(crm: Crm, id: string | undefined, secret: string | undefined): Config['oauthClients'] {
  return id === undefined || secret === undefined ? {} : { [crm]: { id, secret } };
}

/** @throws ConfigError when the file of the secret cannot be used */
function readOidc(env: z.output<typeof environmentSchema>): OidcConfig | null {
  const { SVC_OIDC_ISSUER: issuer, SVC_OIDC_CLIENT_ID: clientId, SVC_OIDC_CLIENT_SECRET_FILE: file } = env;
  if (issuer === undefined || clientId === undefined) return null;
  const secret = file === undefined ? env.SVC_OIDC_CLIENT_SECRET : readSecretFile('SVC_OIDC_CLIENT_SECRET_FILE', file);
  return { issuer, clientId, clientSecret: secret ?? '', name: env.SVC_OIDC_NAME ?? new URL(issuer).host };
}

function readSecretFile(variable: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`The configuration is invalid:\n  ${variable} cannot be read: ${reason}`);
  }
  const checked = clientSecret.safeParse(text);
  if (!checked.success) {
    const rule = checked.error.issues[0]?.message ?? 'is invalid';
    throw new ConfigError(`The configuration is invalid:\n  ${variable}: the content of ${file} ${rule}`);
  }
  return text;
}

function presentOnly(environment: Environment): Record<string, string> {
  const isPresent = (entry: [string, string | undefined]): entry is [string, string] =>
    entry[1] !== undefined && entry[1] !== '';
  return Object.fromEntries(Object.entries(environment).filter(isPresent));
}

function readCrmAddresses(env: object): Record<string, string> {
  const values: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(env));
  return Object.fromEntries(
    CRM_REGISTRY.flatMap(({ crm, apiUrl }) => (apiUrl === null ? [] : [[crm, String(values[`SVC_${crm}_URL`])]])),
  );
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
    databaseDirectUrl: env.DATABASE_DIRECT_URL,
    databaseReadUrl: env.DATABASE_READ_URL,
    roles: env.SVC_ROLE,
    workerConcurrency: env.SVC_WORKER_CONCURRENCY,
    databaseConnections: env.SVC_DATABASE_CONNECTIONS ?? Math.max(16, Math.ceil(env.SVC_WORKER_CONCURRENCY / 2)),
    drainMs: env.SVC_DRAIN_SECONDS * 1_000,
    drainDelayMs: env.SVC_DRAIN_DELAY_SECONDS * 1_000,
    dataDir: env.SVC_DATA_DIR,
    port: env.SVC_PORT ?? 4000,
    host: env.SVC_HOST,
    adminListener:
      env.SVC_ADMIN_PORT === undefined ? null : { host: env.SVC_ADMIN_HOST ?? '127.0.0.1', port: env.SVC_ADMIN_PORT },
    connectionsMax: env.SVC_MAX_CONNECTIONS,
    connectionsPerAddressMax: env.SVC_MAX_CONNECTIONS_PER_ADDRESS,
    publicUrl: env.SVC_PUBLIC_URL,
    syncUrl: env.SVC_SYNC_URL,
    dashboardUrl: env.SVC_DASHBOARD_URL,
    docsUrl: env.SVC_DOCS_URL,
    dashboard: env.SVC_DASHBOARD,
    mcp: env.SVC_MCP,
    passwordSignIn: env.SVC_PASSWORD_SIGN_IN === 'on',
    oidc: readOidc(env),
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
      heyreach: env.SVC_HEYREACH_URL,
      salesloft: env.SVC_SALESLOFT_URL,
    },
    relayMailsPerHour: env.SVC_RELAY_MAILS_PER_HOUR,
    mail: env.SVC_SMTP_URL && env.SVC_MAIL_FROM ? { smtp: env.SVC_SMTP_URL, from: env.SVC_MAIL_FROM } : null,
    inboundBodyLimitBytes: env.SVC_INBOUND_BODY_LIMIT,
    ingestAmqpUrl: env.SVC_INGEST_AMQP_URL,
    payloadDays: env.SVC_PAYLOAD_DAYS,
    logDays: env.SVC_LOG_DAYS,
    outboundAllowedCidrs: env.SVC_OUTBOUND_ALLOW,
    hasRateLimits: env.SVC_RATE_LIMIT === 'on',
    trustProxy: env.SVC_TRUST_PROXY,
    metricsToken: env.SVC_METRICS_TOKEN,
    backupPassphrase: env.SVC_BACKUP_PASSPHRASE,
    branding: toBranding({
      headerPrefix: env.SVC_HEADER_PREFIX,
      keyPrefix: env.SVC_KEY_PREFIX,
      secretPrefix: env.SVC_SECRET_PREFIX,
    }),
    telemetry: readTelemetry(env),
    logLevel: env.SVC_LOG_LEVEL,
    logFormat: env.SVC_LOG_FORMAT,
  };
}
