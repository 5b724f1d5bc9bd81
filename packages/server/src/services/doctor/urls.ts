import { addressOfHostname } from '@svc/domain/public-address';
import ipaddr from 'ipaddr.js';
import type { PublicUrls } from '../../context.ts';
import { type Check, pass, warn } from './check.ts';

const VARIABLES = {
  api: 'SVC_PUBLIC_URL',
  sync: 'SVC_SYNC_URL',
  dashboard: 'SVC_DASHBOARD_URL',
  docs: 'SVC_DOCS_URL',
} as const satisfies Record<keyof PublicUrls, string>;

/** Whether the addresses that clients and sequencers are told can be used as they are. Nothing is called. */
export function checkUrls(urls: PublicUrls): Check[] {
  const names = ['api', 'sync', 'dashboard', 'docs'] as const;
  const plain = names.filter((name) => new URL(urls[name]).protocol === 'http:' && !isLoopback(urls[name]));
  if (plain.length > 0) {
    const list = plain.map((name) => `${VARIABLES[name]} ${urls[name]}`).join(', ');
    const fix = 'Put a proxy with a certificate in front and name its https:// address.';
    return [warn('public URLs', `without https off this machine, keys and events travel in clear text: ${list}`, fix)];
  }
  if (isLoopback(urls.sync)) {
    const fix = 'Set SVC_PUBLIC_URL, or SVC_SYNC_URL, to the https:// address that they can reach.';
    return [warn('public URLs', `sequencers elsewhere cannot post to ${urls.sync}`, fix)];
  }
  return [pass('public URLs', `API at ${urls.api}, inbound at ${urls.sync}`)];
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  const address = addressOfHostname(hostname);
  if (address === null) return hostname === 'localhost' || hostname.endsWith('.localhost');
  return ipaddr.process(address).range() === 'loopback';
}
