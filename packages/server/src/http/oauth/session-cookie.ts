/** The cookie that binds a consent to the browser that began it. */
import type { PublicUrls } from '@svc/engine/config/public-urls';

const NAME = 'svc_consent';
const MAX_AGE_SECONDS = 600;

/** @param value null deletes it */
export function sessionCookie({ api }: PublicUrls, value: string | null): string {
  const { pathname, protocol } = new URL(`${api}/oauth`);
  return [
    `${NAME}=${value ?? ''}`,
    `Path=${pathname}`,
    `Max-Age=${value === null ? 0 : MAX_AGE_SECONDS}`,
    'HttpOnly',
    // The CRM redirects to the callback from another site.
    'SameSite=Lax',
    ...(protocol === 'https:' ? ['Secure'] : []),
  ].join('; ');
}

/** @param header the `Cookie` header */
export function readSessionCookie(header: string | undefined): string | null {
  const cookies = (header ?? '')
    .slice(0, 16_384)
    .split(';')
    .map((cookie) => cookie.trim());
  const value = cookies.find((cookie) => cookie.startsWith(`${NAME}=`))?.slice(NAME.length + 1);
  return value === undefined || value === '' ? null : value;
}
