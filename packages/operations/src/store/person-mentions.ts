/**
 * Where a text names a person: by an address or a profile URL that the API's own rules take for that person's
 * (`parseEmail`, `parseProfileUrl`), so upper case, Unicode forms and spellings of a URL make no difference.
 *
 * - A text that is nothing but one address or one profile URL is compared as a whole: `o'brien@example.com` is not `brien@example.com`.
 * - Inside of a longer text, letters, digits and marks on either side make it another address. So do `.`, `_`, `%`, `+` and `-` between
 *   them. Any other sign ends an address there, because texts write `to=ann@example.com` and `d'ann@example.com`.
 */
import { type ContactIdentity, parseEmail } from '@svc/domain/contacts/contact-identity';
import { parseProfileUrl, PROFILE_DOMAINS } from '@svc/domain/contacts/profile-url';

export interface Span {
  begin: number;
  end: number;
}

export type FindMentions = (text: string) => Span[];

export function createMentionFinder({ email, profileUrls }: ContactIdentity): FindMentions {
  const profiles = new Set(profileUrls);
  return (text) => {
    const trimmed = text.trim();
    const isHers = readWhole(trimmed, email, profiles);
    if (isHers === false) return [];
    const spans = [
      ...(email === null ? [] : findEmail(text, email)),
      ...(profiles.size === 0 ? [] : findProfiles(text, profiles)),
    ];
    const begin = text.length - text.trimStart().length;
    return spans.length === 0 && isHers === true ? [{ begin, end: begin + trimmed.length }] : spans;
  };
}

const WHOLE_LENGTH_MAX = 2_100;
/** Without the signs that separate an address from something else. */
const WHOLE_EMAIL = /^[\p{L}\p{M}\p{N}._+'&-]+@[\p{L}\p{M}\p{N}.-]+$/u;

/** Returns whether a text is the person's address or profile URL; null when it is neither an address nor a profile URL. */
function readWhole(text: string, email: string | null, profiles: ReadonlySet<string>): boolean | null {
  if (text.length > WHOLE_LENGTH_MAX) return null;
  if (text.includes('/')) {
    const profile = readProfile(text);
    return profile === null ? null : profiles.has(profile);
  }
  if (!WHOLE_EMAIL.test(text)) return null;
  try {
    return parseEmail(text) === email;
  } catch {
    return null;
  }
}

/** As `parseEmail` compares. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** What `parseEmail` makes shorter: up to four units of a decomposed character become one. */
const UNITS_OF_CHARACTER = 4;
const DOMAIN = /[\p{L}\p{M}\p{N}]+(?:(?:-+|\.)[\p{L}\p{M}\p{N}]+)*/uy;

function findEmail(text: string, email: string): Span[] {
  const spans: Span[] = [];
  const split = email.lastIndexOf('@');
  const localPart = email.slice(0, split);
  const domain = email.slice(split + 1);
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const end = endOfDomain(text, at + 1, domain);
    if (end === null) continue;
    const begin = beginOfLocalPart(text, at, localPart);
    if (begin !== null && !isInsideLocalPart(text, begin)) spans.push({ begin, end });
  }
  return spans;
}

function endOfDomain(text: string, begin: number, domain: string): number | null {
  // The longest run, so that `example.com.au` is not taken for `example.com`.
  const near = text.slice(begin, begin + (domain.length + 2) * UNITS_OF_CHARACTER);
  DOMAIN.lastIndex = 0;
  const [run = ''] = DOMAIN.exec(near) ?? [];
  return run !== '' && fold(run) === domain ? begin + run.length : null;
}

function beginOfLocalPart(text: string, at: number, localPart: string): number | null {
  const first = Math.max(0, at - (localPart.length + 2) * UNITS_OF_CHARACTER);
  // Sigma is written in another way at the end of a word, which depends on what is in front.
  const sameSigma = (part: string) => fold(part).replaceAll('ς', 'σ');
  if (!sameSigma(text.slice(first, at)).endsWith(sameSigma(localPart))) return null;
  for (let begin = at - 1; begin >= first; begin -= 1) {
    if (fold(text.slice(begin, at)) === localPart) return begin;
  }
  return null;
}

const WORD_AT_END = /[\p{L}\p{M}\p{N}]$/u;

function isInsideLocalPart(text: string, begin: number): boolean {
  let index = begin;
  while (index > 0 && '._%+-'.includes(text[index - 1] ?? '')) index -= 1;
  // No address has two dots in a row.
  if (text.slice(index, begin).includes('..')) return false;
  return WORD_AT_END.test(text.slice(Math.max(0, index - 2), index));
}

const DOMAINS = PROFILE_DOMAINS.map((domain) => domain.replace('.', String.raw`\.`)).join('|');
/** A host of profiles in front of a path, without its subdomain. It may have a port. */
const HOST = new RegExp(String.raw`(?<![a-z0-9-])(${DOMAINS})\.?(?::\d{1,5})?(?=/)`, 'gi');
const IN_FRONT_OF_HOST = /(?:https?:)?(?:\/\/)?(?:[a-z0-9-]{1,20}\.){0,5}$/i;
const IN_FRONT_LENGTH_MAX = 115;
/** The path of a profile has no other signs of ASCII. */
const PATH = /[a-z0-9_%@/\-\u0080-\u{10ffff}]*/iuy;

function findProfiles(text: string, profiles: ReadonlySet<string>): Span[] {
  const spans: Span[] = [];
  for (const { 0: found, 1: host = '', index } of text.matchAll(HOST)) {
    const inFront = IN_FRONT_OF_HOST.exec(text.slice(Math.max(0, index - IN_FRONT_LENGTH_MAX), index))?.[0] ?? '';
    const begin = index - inFront.length;
    // A host with letters of other scripts.
    if (!inFront.includes('/') && WORD_AT_END.test(text.slice(Math.max(0, begin - 2), begin))) continue;
    const pathBegin = index + found.length;
    PATH.lastIndex = 0;
    const [path = ''] = PATH.exec(text.slice(pathBegin, pathBegin + WHOLE_LENGTH_MAX)) ?? [];
    const length = lengthOfProfile(host, path, profiles);
    if (length !== null) spans.push({ begin, end: pathBegin + length });
  }
  return spans;
}

/** A sign or an emoji behind a URL may be a part of it or not. */
const NO_WORD = /[^\p{L}\p{M}\p{N}_%@/-]/u;
/** Where percent-encoding of a character begins. */
const ENCODED = /%(?![89ab])/gi;

/** Returns how much of a path belongs to the URL of the profile; null when it is another one's. */
function lengthOfProfile(host: string, path: string, profiles: ReadonlySet<string>): number | null {
  const profileAt = (end: number) => readProfile(`${host}${path.slice(0, end)}`);
  const isHers = (profile: string | null) => profile !== null && profiles.has(profile);
  const words = NO_WORD.exec(path)?.index ?? path.length;
  const profile = profileAt(words);
  if (isHers(profile)) return words;
  if (isHers(profileAt(path.length))) return path.length;
  if (profile !== null) return null;
  // Encoded characters behind it may be none of a profile: the longest part that is one decides.
  const ends = [...path.slice(0, words).matchAll(ENCODED)].map(({ index }) => index);
  let [longest, shortest] = [ends.length, 0];
  while (shortest < longest) {
    const middle = Math.floor((shortest + longest) / 2);
    if (profileAt(ends[middle] ?? 0) === null) longest = middle;
    else shortest = middle + 1;
  }
  const end = ends[shortest - 1] ?? 0;
  return isHers(profileAt(end)) ? end : null;
}

function readProfile(text: string): string | null {
  try {
    return parseProfileUrl(text).canonical;
  } catch {
    return null;
  }
}
