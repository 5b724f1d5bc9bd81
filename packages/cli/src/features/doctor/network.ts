import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import { CliError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { isLoopback } from '../../config/proxy.ts';
import { DAY_MS } from '../../command/duration.ts';
import { NOT_TLS } from '../../command/map-error.ts';
import { fail, pass, skip, warn } from './check.ts';

/** Certificates are usually renewed a month before they expire. */
const CERTIFICATE_WARN_DAYS = 14;

export function checkAddress(url: URL, source: string) {
  const detail = `${url.href.replace(/\/$/, '')}, from ${source}`;
  if (url.protocol === 'https:' || isLoopback(url)) return pass(detail);
  return warn(`${detail}: the key travels unencrypted`, 'Use https, unless the network is private.');
}

export async function checkDns(url: URL, isProxied: boolean) {
  if (isProxied) return skip('the proxy resolves the name');
  const host = url.hostname.replace(/^\[(.+)\]$/, '$1');
  if (isIP(host) !== 0) return skip(`${host} is an IP address`);
  try {
    const addresses = await lookup(host, { all: true });
    return pass(`${host} is ${addresses.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const reason = code === 'ENOTFOUND' ? 'there is no such name' : code;
    return fail(`${host} cannot be resolved: ${reason}`, 'Check the base URL and the DNS of this machine.');
  }
}

export async function checkTls(url: URL, isProxied: boolean, timeoutMs: number, nowMs: number) {
  if (url.protocol !== 'https:') return skip('the address is not https');
  if (isProxied) return skip('the certificate is checked with each call through the proxy');
  const host = url.hostname.replace(/^\[(.+)\]$/, '$1');
  const socket = await openTls(host, Number(url.port || 443), timeoutMs);
  try {
    return checkCertificate(socket, host, nowMs);
  } finally {
    socket.destroy();
  }
}

/** Connects without rejecting untrusted certificates, so that they can be examined. */
function openTls(host: string, port: number, timeoutMs: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const servername = isIP(host) === 0 ? host : '';
    const socket = connect({ host, port, servername, rejectUnauthorized: false }, () => resolve(socket));
    const stop = (reason: string) => {
      socket.destroy();
      const message = `no TLS connection to ${host}:${port}: ${reason}`;
      reject(new CliError('tls', EXIT_CODES.unavailable, message, 'Check that the address uses https.'));
    };
    socket.setTimeout(timeoutMs, () => stop(`no answer within ${timeoutMs} ms`));
    socket.on('error', ({ message }) => stop(NOT_TLS.test(message) ? 'the server speaks http on this port' : message));
  });
}

function checkCertificate(socket: TLSSocket, host: string, nowMs: number) {
  const certificate = socket.getPeerCertificate();
  const days = daysLeft(certificate, nowMs);
  const name = commonName(certificate);
  if (days < 0)
    return fail(`the certificate of ${name} expired ${-days} days ago`, `The operator of ${host} must renew it.`);
  if (!socket.authorized) {
    return fail(
      `the certificate of ${name} is not trusted: ${String(socket.authorizationError)}`,
      'For a private certificate authority: NODE_EXTRA_CA_CERTS=ca.pem svc ...',
    );
  }
  const detail = `${socket.getProtocol() ?? 'TLS'}, certificate of ${name}, ${days} days left`;
  return days < CERTIFICATE_WARN_DAYS ? warn(detail, `The operator of ${host} must renew it soon.`) : pass(detail);
}

function daysLeft({ valid_to }: PeerCertificate, nowMs: number): number {
  return Math.floor((Date.parse(valid_to) - nowMs) / DAY_MS);
}

function commonName({ subject }: PeerCertificate): string {
  const name = subject?.CN ?? 'an unnamed holder';
  return Array.isArray(name) ? name.join(', ') : name;
}
