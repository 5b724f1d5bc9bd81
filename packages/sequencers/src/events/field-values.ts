import { parseEmail } from '@svc/domain/contacts/contact-identity';
import { canonicalProfileUrl } from '@svc/domain/contacts/profile-url';
import { field, firstOf, isJsonObject, toId, toText } from './json-fields.ts';

export { toInstant } from './instants.ts';

/** Parsers of values that are similar on every platform. They return null for anything else and never throw. */

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;

const LINK_URLS_MAX = 20;
const LINK_URL_MAX_LENGTH = 2048;
const URL_KEYS = ['url', 'link', 'href', 'link_url', 'original_url'];

/**
 * Parses an email address, also in the form `Name <address>`. Uses `parseEmail`, like the contact lookup, so that every stored
 * recipient can be found.
 */
export function toEmailAddress(value: unknown): string | null {
  const text = toText(value, 1_000);
  if (text === null) return null;
  const open = text.lastIndexOf('<');
  try {
    return parseEmail(open >= 0 && text.endsWith('>') ? text.slice(open + 1, -1) : text);
  } catch {
    return null;
  }
}

/** Returns the display name of `Name <address>`, without quotes. */
export function toDisplayName(value: unknown): string | null {
  const text = toText(value, 1_000);
  const open = text?.lastIndexOf('<') ?? -1;
  if (text === null || open <= 0) return null;
  return toText(text.slice(0, open).replaceAll('"', ''));
}

/** Returns the host name of a site or URL in lower case, without `www.`. */
export function toDomain(value: unknown): string | null {
  const text = toText(value, LINK_URL_MAX_LENGTH);
  if (text === null) return null;
  const host = text
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
    .replace(/[/?#:].*$/s, '')
    .replace(/^www\./, '')
    .replace(/\.$/, '');
  return HOST_NAME.test(host) ? host : null;
}

/** Returns the canonical form of a profile URL, as contacts are stored and looked up. */
export function toProfileUrl(value: unknown): string | null {
  const text = toText(value, LINK_URL_MAX_LENGTH);
  if (text === null) return null;
  try {
    return canonicalProfileUrl(text);
  } catch {
    return null;
  }
}

/** Whether a value is a link of Sales Navigator: it names a lead there, and no public profile. */
export function isSalesNavigatorUrl(value: unknown): boolean {
  return /^(?:https?:\/\/)?(?:[a-z-]+\.)?linkedin\.com\/sales\//i.test(toText(value, LINK_URL_MAX_LENGTH) ?? '');
}

/** Splits a full name at its first space. */
export function splitName(value: unknown): { firstName: string | null; lastName: string | null } {
  const name = toText(value);
  if (name === null || name.includes('@')) return { firstName: null, lastName: null };
  const [first = null, ...rest] = name.split(/\s+/, 20);
  return { firstName: first, lastName: rest.length > 0 ? rest.join(' ') : null };
}

/** Returns a phone number as written; null for placeholders such as `0`. */
export function toPhone(value: unknown): string | null {
  const text = toId(value);
  return text !== null && text.length <= 40 && text.replaceAll(/\D/g, '').length >= 5 ? text : null;
}

/** Collects clicked links from a URL, a list of URLs, or a list of objects that hold one. A number is a count of links. */
export function toLinkUrls(values: readonly unknown[]): string[] {
  const urls = new Set<string>();
  for (const value of values) {
    for (const entry of (Array.isArray(value) ? value : [value]).slice(0, LINK_URLS_MAX)) {
      const url = isJsonObject(entry)
        ? firstOf(
            URL_KEYS.map((key) => field(entry, key)),
            toHttpUrl,
          )
        : toHttpUrl(entry);
      if (url !== null && urls.size < LINK_URLS_MAX) urls.add(url);
    }
  }
  return [...urls];
}

function toHttpUrl(value: unknown): string | null {
  const text =
    typeof value === 'string' && value.length <= LINK_URL_MAX_LENGTH ? toText(value, LINK_URL_MAX_LENGTH) : null;
  return text !== null && /^https?:\/\/[^\s<>"]+$/i.test(text) ? text : null;
}
