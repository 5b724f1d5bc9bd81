/** The values of environment variables: each says in its message what it must be. */
import { parseMailAddress } from '@svc/domain/relays/mail-address';
import { type Branding, BRANDING_RULES, isPrefix } from '@svc/domain/pages/branding';
import { isLoopbackHost } from '@svc/domain/network/loopback';
import { completeUrl } from '@svc/domain/values/complete-url';
import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import { splitDatabaseUrl, splitHosts } from './database-hosts.ts';
import { parseRoles, ROLES_RULE } from './roles.ts';
import { parseSmtpUrl, SMTP_URL_RULE } from './mail-config.ts';

/** @param message says what the number counts and its range, for every wrong value */
export function wholeNumber(message: string, { min, max }: { min: number; max: number }) {
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
}

export const port = wholeNumber('must be a port, 0 to 65535', { min: 0, max: 65_535 });
export const baseUrl = z
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

export const databaseUrl = z
  .string()
  .refine(
    (text) => splitDatabaseUrl(text) !== null,
    'must be a PostgreSQL URL of hosts that accept writes: postgres://user:password@host:5432/database, with several hosts postgres://user:password@host1:5432,host2:5432/database',
  );

export const readUrl = z
  .string()
  .refine(
    (text) => splitHosts(text) !== null,
    'must be a PostgreSQL URL: postgres://user:password@host:5432/database, with several hosts postgres://user:password@host1:5432,host2:5432/database',
  );

export const clientId = z
  .string()
  .regex(/^[\x21-\x39\x3b-\x7e]{1,512}$/, 'must be at most 512 visible ASCII characters without a colon');
export const clientSecret = z.string().regex(/^[\x21-\x7e]{1,1024}$/, 'must be at most 1024 visible ASCII characters');

/** @param hosts of the vendor: another one would get codes and secrets */
export function loginUrl(...hosts: string[]) {
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

/** Compared with the provider's own text, so a slash at its end stays. */
export const issuerUrl = z.string().refine((text) => {
  const url = URL.parse(text);
  if (url === null || !isPlain(text)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.host));
}, 'must be an https URL, or one on this machine, without user name, password, query and fragment');

export const cidrs = z.string().transform((text, context): string[] => {
  const list = text.split(',').map((cidr) => cidr.trim());
  if (list.every((cidr) => ipaddr.isValidCIDR(cidr))) return list;
  context.addIssue('must be CIDRs such as 10.1.0.0/16, separated by commas');
  return z.NEVER;
});
export const trustProxy = z.string().transform((text, context): false | number | string[] => {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const proxies = text.split(',').map((proxy) => proxy.trim());
  const isAddress = (proxy: string) => ipaddr.isValid(proxy) || ipaddr.isValidCIDR(proxy);
  if (proxies.every(isAddress)) return proxies;
  context.addIssue('must be a number of proxies, or their addresses or CIDRs separated by commas');
  return z.NEVER;
});
export const encryptionKeys = z.string().transform((text) => text.split(',').map((key) => key.trim()));

export const roles = z.string().transform((text, context) => {
  const parsed = parseRoles(text);
  if (parsed !== null) return parsed;
  context.addIssue(ROLES_RULE);
  return z.NEVER;
});

const SHARE_RULE = 'must be a share, 0.01 to 1';
export const share = z
  .string()
  .regex(/^(0\.\d{1,4}|1(\.0{1,4})?)$/, SHARE_RULE)
  .transform(Number)
  .refine((value) => value >= 0.01, SHARE_RULE);

/** Parts that amqplib reads are checked when it connects; the message repeats none, because the URL contains a password. */
export const amqpUrl = z
  .string()
  .refine(
    (text) => /^amqps?:\/\/[^/]/i.test(text) && URL.canParse(text),
    'must be an AMQP URL: amqps://user:password@host:5671/vhost',
  );

export const smtpServer = z.string().transform((text, context) => {
  const server = parseSmtpUrl(text);
  if (server !== null) return server;
  context.addIssue(SMTP_URL_RULE);
  return z.NEVER;
});
export const mailAddress = z.string().transform((text, context) => {
  const address = parseMailAddress(text);
  if (address !== null) return address;
  context.addIssue('must be an address such as relay@example.com or Replies <relay@example.com>');
  return z.NEVER;
});

export const prefix = (kind: keyof Branding) => z.string().refine((text) => isPrefix(kind, text), BRANDING_RULES[kind]);
