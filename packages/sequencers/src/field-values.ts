import { parseEmail } from '@svc/domain/contacts/contact-identity';
import { field, firstOf, isJsonObject, toId, toText } from './json-fields.ts';

/** Values that look alike on every platform: addresses, instants, domains, names, links. All total. */

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;

const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);
/** Unix times below this are seconds: as milliseconds they would lie in 1970. */
const SECONDS_BELOW = 100_000_000_000;

const LINK_URLS_MAX = 20;
const LINK_URL_MAX_LENGTH = 2048;
const URL_KEYS = ['url', 'link', 'href', 'link_url', 'original_url'];

/**
 * The address in the form in which contacts are looked up (`parseEmail`), also out of `Name <address>`; null when it is
 * none. By the look-up's own rule, so that every stored recipient can be found again.
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

/** The display name of `Name <address>`, without quotes. */
export function toDisplayName(value: unknown): string | null {
  const text = toText(value, 1_000);
  const open = text?.lastIndexOf('<') ?? -1;
  if (text === null || open <= 0) return null;
  return toText(text.slice(0, open).replaceAll('"', ''));
}

/** An instant from ISO-8601 text or a Unix time in seconds or milliseconds; null outside 2000 to 2100. */
export function toInstant(value: unknown): Date | null {
  const ms = toEpochMs(value);
  return Number.isFinite(ms) && ms >= EARLIEST_MS && ms < LATEST_MS ? new Date(ms) : null;
}

function toEpochMs(value: unknown): number {
  const text = typeof value === 'string' ? value.trim() : value;
  const number = typeof text === 'string' && /^\d{9,13}(?:\.\d{1,6})?$/.test(text) ? Number(text) : text;
  if (typeof number === 'number') return Math.trunc(Math.abs(number) < SECONDS_BELOW ? number * 1000 : number);
  // Only text that begins as a date: `Date.parse` also takes "1" and "Lead 2".
  return typeof text === 'string' && text.length <= 40 && /^\d{4}-\d{2}-\d{2}/.test(text)
    ? Date.parse(toUtc(text))
    : NaN;
}

/** Text without an offset means UTC here; `Date.parse` would take it as the machine's local time. */
function toUtc(text: string): string {
  const iso = text.replace(' ', 'T');
  return iso.length > 10 && !/(?:z|[+-]\d{2}:?\d{2})$/i.test(iso) ? `${iso}Z` : iso;
}

/** The host name of a site or URL, lower case, without `www.`; null when it is none. */
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

/** A full name split at its first space: good enough for a CRM field that is only filled when blank. */
export function splitName(value: unknown): { firstName: string | null; lastName: string | null } {
  const name = toText(value);
  // An address in the place of a name says nothing about the name.
  if (name === null || name.includes('@')) return { firstName: null, lastName: null };
  const [first = null, ...rest] = name.split(/\s+/, 20);
  return { firstName: first, lastName: rest.length > 0 ? rest.join(' ') : null };
}

/** A phone number as it was written; placeholders such as `0` are none. */
export function toPhone(value: unknown): string | null {
  const text = toId(value);
  return text !== null && text.length <= 40 && text.replaceAll(/\D/g, '').length >= 5 ? text : null;
}

/** Clicked links: a URL, a list of URLs, or a list of objects that hold one; a number is a count and has none. */
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
