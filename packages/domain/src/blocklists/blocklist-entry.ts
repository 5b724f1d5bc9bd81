/**
 * Normalizes the entries of a block list to the form in which they are stored, compared and pushed.
 *
 * - An address is in lower case, has no white space, one @ and a host of at least two labels, and at most 254 characters.
 * - A domain is in lower case and ASCII (`münchen.example` becomes `xn--mnchen-3ya.example`), has at least two labels and
 *   no scheme, path, port or leading `www.`, and is not an IP address.
 *
 * Everything else is dropped: a sequencer would refuse the entry, and some refuse the whole batch.
 */
const ADDRESS_MAX_LENGTH = 254;
const ADDRESS = /^[^\s\p{C}@,;:<>()[\]"\\]+@([^\s@]+)$/u;
const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+(?:xn--[a-z0-9-]{1,59}|[a-z]{2,63})$/;
const IN_URL = /^(?:[a-z][a-z0-9+.-]*:)?\/\//i;

/** Returns the address in its stored form, or null when the text is not an address. */
export function toBlockedAddress(text: string): string | null {
  const address = text.trim().toLowerCase();
  const host = ADDRESS.exec(address)?.[1];
  if (host === undefined || address.length > ADDRESS_MAX_LENGTH) return null;
  const domain = toAsciiHost(host);
  return domain === null ? null : address.slice(0, -host.length) + domain;
}

/** Returns the domain in its stored form, or null when the text is not a domain. */
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
