/** The settings of the mail server that reply relays use. */
import { isLoopbackHost } from '@svc/domain/network/loopback';
import { type MailAddress, parseMailAddress } from '@svc/domain/relays/mail-address';

export interface SmtpServer {
  host: string;
  port: number;
  /** `implicit`: from the first byte. `starttls`: before anything is sent; without it nothing is. */
  tls: 'implicit' | 'starttls' | 'none';
  login: { user: string; password: string } | null;
}

export interface MailConfig {
  smtp: SmtpServer;
  from: MailAddress;
}

/** Makes the settings from valid texts, such as those of a simulator. */
export function toMailConfig({ smtpUrl, from }: { smtpUrl: string; from: string }): MailConfig | null {
  const [smtp, address] = [parseSmtpUrl(smtpUrl), parseMailAddress(from)];
  return smtp === null || address === null ? null : { smtp, from: address };
}

const DEFAULT_PORTS = { 'smtps:': 465, 'smtp:': 587 } as const;
export const SMTP_URL_RULE =
  'must be smtps://USER:PASSWORD@HOST:PORT, or smtp:// for STARTTLS, with percent-encoded user and password';

/**
 * Parses `SVC_SMTP_URL`; null when it is not valid. `smtp` demands STARTTLS, except on this machine, or with `?tls=off` for a
 * mail server in a network of your own.
 */
export function parseSmtpUrl(text: string): SmtpServer | null {
  const url = URL.parse(text);
  if (url === null || url.hostname === '' || (url.pathname !== '' && url.pathname !== '/') || url.hash !== '')
    return null;
  const { protocol } = url;
  if (protocol !== 'smtp:' && protocol !== 'smtps:') return null;
  const isOff = url.search === '?tls=off';
  if (url.search !== '' && !(isOff && protocol === 'smtp:')) return null;
  const login = readLogin(url);
  if (login === undefined) return null;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isPlain = isOff || isLoopbackHost(url.host);
  return {
    host,
    port: url.port === '' ? DEFAULT_PORTS[protocol] : Number(url.port),
    tls: protocol === 'smtps:' ? 'implicit' : isPlain ? 'none' : 'starttls',
    login,
  };
}

/** Returns undefined for half a login, or one that is not percent-encoded. */
function readLogin({ username, password }: URL): SmtpServer['login'] | undefined {
  if (username === '' && password === '') return null;
  if (username === '' || password === '') return undefined;
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}
