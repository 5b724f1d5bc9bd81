/** Cookies of the dashboard. The prefixes of their names let a browser refuse one that another host or an unencrypted page has set. */
import type { PublicUrls } from '@svc/engine/config/public-urls';

export interface CookieName {
  readonly name: string;
  /** The folder of the dashboard that reads it; empty for all. A cookie of an https address at the root has none. */
  readonly folder: string;
}

const HEADER_MAX = 16_384;

function placeOf({ dashboard }: PublicUrls, { name, folder }: CookieName) {
  const { protocol, pathname } = new URL(dashboard);
  const path = `${pathname}${folder}`;
  if (protocol !== 'https:') return { name: `svc_${name}`, path, isSecure: false };
  const isAtRoot = pathname.lastIndexOf('/') === 0;
  const end = name === 'session' ? 'svc' : `svc-${name}`;
  return isAtRoot
    ? { name: `__Host-${end}`, path: '/', isSecure: true }
    : { name: `__Secure-${end}`, path, isSecure: true };
}

/** @param cookie.value null deletes it */
export function writeCookie(
  urls: PublicUrls,
  cookie: CookieName & { value: string | null; maxAgeSeconds: number },
): string {
  const { name, path, isSecure } = placeOf(urls, cookie);
  return [
    `${name}=${cookie.value ?? ''}`,
    `Path=${path}`,
    `Max-Age=${cookie.value === null ? 0 : cookie.maxAgeSeconds}`,
    'HttpOnly',
    // Strict would lose it on the way back from a CRM or an OpenID Connect provider.
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');
}

/** @param header the `Cookie` header */
export function readCookie(urls: PublicUrls, cookie: CookieName, header: string | undefined): string | null {
  const { name } = placeOf(urls, cookie);
  const values = (header ?? '')
    .slice(0, HEADER_MAX)
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  // Two of one name come from somebody who sets cookies for this host.
  return values.length === 1 ? (values[0] ?? null) : null;
}
