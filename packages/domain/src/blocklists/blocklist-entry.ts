/**
 * One entry of a block list, in the one form in which it is stored, compared and pushed.
 *
 * - An address: without spaces around it or in it, in lower case, with one @, a host of at least two labels, at most 254 characters.
 * - A domain: in lower case and ASCII (`münchen.example` becomes `xn--mnchen-3ya.example`), without scheme, path, port or a
 *   leading `www.`, of at least two labels; no IP address.
 *
 * Whatever has no such form is no entry: a sequencer would refuse it, and some refuse its whole batch.
 */
const ADDRESS_MAX_LENGTH = 254;
const ADDRESS = /^[^\s\p{C}@,;:<>()[\]"\\]+@([^\s@]+)$/u;
const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+(?:xn--[a-z0-9-]{1,59}|[a-z]{2,63})$/;
const IN_URL = /^(?:[a-z][a-z0-9+.-]*:)?\/\//i;

/** The address in its stored form, or null when the text is none. */
export function toBlockedAddress(text: string): string | null {
  const address = text.trim().toLowerCase();
  const host = ADDRESS.exec(address)?.[1];
  if (host === undefined || address.length > ADDRESS_MAX_LENGTH) return null;
  const domain = toAsciiHost(host);
  return domain === null ? null : address.slice(0, -host.length) + domain;
}

/** The domain in its stored form, or null when the text is none. */
export function toBlockedDomain(text: string): string | null {
  const rest = text.trim().replace(IN_URL, '');
  const host = rest.split(/[/?#]/, 1)[0]?.replace(/:\d+$/, '').replace(/\.$/, '') ?? '';
  return toAsciiHost(host.toLowerCase().replace(/^www\.(?=[^.]+\.)/, ''));
}

function toAsciiHost(host: string): string | null {
  if (host === '' || /[@:/?#\\%\s]/.test(host)) return null;
  const ascii = URL.parse(`http://${host}`)?.hostname ?? '';
  return DOMAIN.test(ascii) ? ascii : null;
}
