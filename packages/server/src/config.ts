/**
 * Configuration, from the environment alone (flags override a few of them in `commands/`). Nothing else reads `process.env`.
 */
import ipaddr from 'ipaddr.js';
import { type Branding, BRANDING_RULES, isPrefix, toBranding } from '@svc/domain/pages/branding';
import { INBOUND_BODY_BYTES_MAX } from '@svc/domain/syncs/inbound-post';
import * as z from 'zod';

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port, 0 to 65535')
  .transform(Number)
  .refine((value) => value <= 65_535, 'must be a port, 0 to 65535');
const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine(isPlain, 'must have no user name, password, query or fragment: it is shown to clients')
  .transform((url) => url.replace(/\/+$/, ''));
/** Whether a URL is an address and nothing else; what is no URL at all was refused before. */
function isPlain(text: string): boolean {
  const url = URL.parse(text);
  return url === null || (url.username === '' && url.password === '' && url.search === '' && url.hash === '');
}

const cidrs = z.string().transform((text, context): string[] => {
  const list = text.split(',').map((cidr) => cidr.trim());
  if (list.every((cidr) => ipaddr.isValidCIDR(cidr))) return list;
  context.addIssue('must be CIDRs such as 10.1.0.0/16, with commas between');
  return z.NEVER;
});
const trustProxy = z.string().transform((text, context): false | number | string[] => {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const proxies = text.split(',').map((proxy) => proxy.trim());
  const isAddress = (proxy: string) => ipaddr.isValid(proxy) || ipaddr.isValidCIDR(proxy);
  if (proxies.every(isAddress)) return proxies;
  context.addIssue('must be a number of proxies, or their addresses or CIDRs with commas between');
  return z.NEVER;
});
const encryptionKeys = z.string().transform((text) => text.split(',').map((key) => key.trim()));

const prefix = (kind: keyof Branding) => z.string().refine((text) => isPrefix(kind, text), BRANDING_RULES[kind]);

const environmentSchema = z.object({
  /** PostgreSQL to use. Default: the embedded database in the data directory. */
  DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: 'must be a PostgreSQL URL: postgres://user:password@host:5432/database',
    })
    .optional(),
  /** Folder of the embedded database and of generated key material. Default `.svc/data`, for the demo `.svc/demo`. */
  SVC_DATA_DIR: z.string().min(1).optional(),
  /** Default 4000; 0 picks a free one. */
  SVC_PORT: port.optional(),
  /** Address to listen on. Default 127.0.0.1: opening a port to the network is a decision. */
  SVC_HOST: z.string().min(1).default('127.0.0.1'),
  /** Connections that are open at once; more are closed as they come. Default 2000. */
  SVC_MAX_CONNECTIONS: z.coerce
    .number({ error: 'must be a whole number, 10 to 100000' })
    .int('must be a whole number, 10 to 100000')
    .min(10, 'must be at least 10')
    .max(100_000, 'must be at most 100000')
    .default(2_000),
  /** Address of the API as clients see it. Default: the bound address. */
  SVC_PUBLIC_URL: baseUrl.optional(),
  /** Address of the inbound URLs. Default: SVC_PUBLIC_URL. */
  SVC_SYNC_URL: baseUrl.optional(),
  /** Address of the admin app, for links in remediations. Default: SVC_PUBLIC_URL + /dashboard. */
  SVC_DASHBOARD_URL: baseUrl.optional(),
  /** Address of the reference documentation. Default: SVC_PUBLIC_URL + /docs. */
  SVC_DOCS_URL: baseUrl.optional(),
  /** Base64, 32 bytes; several with commas, the first encrypts. Required with DATABASE_URL, else kept in the data directory. */
  SVC_ENCRYPTION_KEY: encryptionKeys.optional(),
  /** HubSpot's API. Default https://api.hubapi.com; the demo points it at its simulator. */
  SVC_HUBSPOT_URL: baseUrl.default('https://api.hubapi.com'),
  /** Smartlead's API, for its block list. Default https://server.smartlead.ai; the demo points it at its simulator. */
  SVC_SMARTLEAD_URL: baseUrl.default('https://server.smartlead.ai'),
  /** Instantly's API, for its block list. Default https://api.instantly.ai; the demo points it at its simulator. */
  SVC_INSTANTLY_URL: baseUrl.default('https://api.instantly.ai'),
  /** Largest inbound body in bytes. Default 2 MiB. */
  SVC_INBOUND_BODY_LIMIT: z.coerce
    .number()
    .int()
    .min(1024)
    .max(64 * 1024 * 1024)
    .default(INBOUND_BODY_BYTES_MAX),
  /** Days for which received payloads are kept; receipts, syncs and deliveries stay. Default: for ever. */
  SVC_PAYLOAD_DAYS: z.coerce
    .number({ error: 'must be a whole number of days, 2 to 3650' })
    .int('must be a whole number of days, 2 to 3650')
    // What waits for a CRM's daily limit, or for a delayed forwarding, still needs its payload.
    .min(2, 'must be at least 2 days: what waits for a CRM still needs its payload')
    .max(3_650, 'must be at most 3650 days')
    .optional(),
  /** CIDRs that webhooks may call although they are not public, with commas. Default none. */
  SVC_OUTBOUND_ALLOW: cidrs.default([]),
  /** `off` for tests and benchmarks. Default `on`: the specification's limits. */
  SVC_RATE_LIMIT: z.enum(['on', 'off']).default('on'),
  /** Proxies in front, whose `X-Forwarded-For` tells the client's IP: a number of hops, or addresses and CIDRs with commas. Default none. */
  SVC_TRUST_PROXY: trustProxy.default(false),
  /** Bearer token that `/metrics` asks for. Default: none, and `/metrics` answers callers on this machine only, or nobody where the public address is not loopback. */
  SVC_METRICS_TOKEN: z
    .string()
    .regex(
      /^[\x21-\x7e]{16,512}$/,
      'must be 16 to 512 visible ASCII characters, for example from: openssl rand -hex 32',
    )
    .optional(),
  /** How the service's own header names begin, in answers, deliveries and what is forwarded. Default `Service-`. */
  SVC_HEADER_PREFIX: prefix('headerPrefix').optional(),
  /** What API keys begin with. Others are refused, also those that were made under another prefix. Default `osapi_`. */
  SVC_KEY_PREFIX: prefix('keyPrefix').optional(),
  /** What new signing secrets of webhooks begin with; those that there are stay good. Default `oswhsec_`. */
  SVC_SECRET_PREFIX: prefix('secretPrefix').optional(),
  SVC_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
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
  hubspotUrl: string;
  smartleadUrl: string;
  instantlyUrl: string;
  inboundBodyLimitBytes: number;
  /** Undefined: payloads are kept for ever. */
  payloadDays: number | undefined;
  outboundAllowedCidrs: string[];
  hasRateLimits: boolean;
  trustProxy: false | number | string[];
  metricsToken: string | undefined;
  branding: Branding;
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
}

/** The configuration cannot be used; the message names each variable and what it must be. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Of the command line `svc`, set in the same shell as often as not; the last is also where our bin keeps compiled code. */
const VARIABLES_OF_OTHERS = new Set(['SVC_API_KEY', 'SVC_BASE_URL', 'SVC_PROFILE', 'SVC_CONFIG_DIR', 'SVC_CACHE_DIR']);

/** What is wrong with the environment, variable by variable, and those it has that nobody reads. Values are not repeated. */
export function inspectEnvironment(environment: Environment = process.env): {
  problems: { variable: string; message: string }[];
  unknown: string[];
} {
  const parsed = environmentSchema.safeParse(presentOnly(environment));
  const problems = parsed.success
    ? []
    : parsed.error.issues.map((issue) => ({ variable: issue.path.map(String).join('.'), message: issue.message }));
  const isUnknown = (name: string) =>
    name.startsWith('SVC_') && !Object.hasOwn(environmentSchema.shape, name) && !VARIABLES_OF_OTHERS.has(name);
  return { problems, unknown: Object.keys(presentOnly(environment)).filter(isUnknown).sort() };
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
  const parsed = environmentSchema.safeParse(presentOnly(environment));
  if (!parsed.success) {
    const problems = inspectEnvironment(environment).problems.map(
      ({ variable, message }) => `  ${variable}: ${message}`,
    );
    throw new ConfigError(`The configuration is not usable:\n${problems.join('\n')}`);
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
    hubspotUrl: env.SVC_HUBSPOT_URL,
    smartleadUrl: env.SVC_SMARTLEAD_URL,
    instantlyUrl: env.SVC_INSTANTLY_URL,
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
