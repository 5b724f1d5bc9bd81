import type { PublicUrls } from '@svc/engine/config/public-urls';
import { isLoopbackUrl, needsMetricsToken } from '@svc/engine/config/public-urls';
import { type Check, pass, warn } from './check.ts';

/** What a server logs, and the doctor shows, after a request through a proxy that is not configured. */
export const UNTRUSTED_PROXY = {
  message:
    'requests arrive with X-Forwarded-For or Forwarded headers that are not trusted: all clients of a proxy in front share one limit per IP',
  fix: 'Make the proxy send X-Forwarded-For, and set SVC_TRUST_PROXY to the number of proxies in front (1 for a single one) or to their addresses. Without a proxy in front, a client forged the headers, and nothing needs to be done.',
};

const VARIABLES = {
  api: 'SVC_PUBLIC_URL',
  sync: 'SVC_SYNC_URL',
  dashboard: 'SVC_DASHBOARD_URL',
  docs: 'SVC_DOCS_URL',
} as const satisfies Record<keyof PublicUrls, string>;

/** Checks the URLs given to clients and sequencers without calling them. */
export function checkUrls(urls: PublicUrls): Check[] {
  const names = ['api', 'sync', 'dashboard', 'docs'] as const;
  const plain = names.filter((name) => new URL(urls[name]).protocol === 'http:' && !isLoopbackUrl(urls[name]));
  if (plain.length > 0) {
    const list = plain.map((name) => `${VARIABLES[name]} ${urls[name]}`).join(', ');
    const fix = 'Put a proxy with a certificate in front and use its https:// address.';
    return [warn('public URLs', `without https off this machine, keys and events travel in clear text: ${list}`, fix)];
  }
  if (isLoopbackUrl(urls.sync)) {
    const fix = 'Set SVC_PUBLIC_URL, or SVC_SYNC_URL, to the https:// address that they can reach.';
    return [warn('public URLs', `sequencers elsewhere cannot post to ${urls.sync}`, fix)];
  }
  return [pass('public URLs', `API at ${urls.api}, inbound at ${urls.sync}`)];
}

/** Checks who may read `/metrics`. @param token `SVC_METRICS_TOKEN` */
export function checkMetricsToken(urls: PublicUrls, token: string | undefined): Check {
  const name = 'metrics';
  if (token !== undefined) return pass(name, '/metrics requires SVC_METRICS_TOKEN');
  if (!needsMetricsToken(urls)) return pass(name, '/metrics answers callers on this machine');
  const fix = 'Set SVC_METRICS_TOKEN, for example to the output of: openssl rand -hex 32';
  return warn(name, '/metrics is closed: this server has a public address, and SVC_METRICS_TOKEN is not set', fix);
}
