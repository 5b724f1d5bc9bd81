/**
 * Social profile URLs as identities of a contact (specification, "Contact outreach" query parameter `profileUrl`, rule 3).
 *
 * 1. White space around the URL is dropped; inside it there is none, nor control characters or backslashes.
 *    At most 2048 characters.
 * 2. The scheme is http or https, or absent (`host/path` and `//host/path`). No user name, no port but the scheme's own.
 * 3. The host, in any case and with or without a trailing dot, belongs to one of two networks:
 *    professional: linkedin.com, `www.`, `m.`, `mobile.`, `touch.`, and any two-letter country host (`de.`);
 *    short posts: x.com and twitter.com, alone or behind `www.`, `m.`, `mobile.`, and the overlay hosts
 *    fxtwitter.com, vxtwitter.com, fixupx.com, fixvx.com, alone or behind `www.`.
 * 4. Query and hash are dropped, empty path segments too; percent-encoding must be valid UTF-8 and is decoded once.
 * 5. Professional: `/in/<handle>`, or the older `/pub/<name>` with or without its three code segments (`/1a/2b/3c`).
 *    A handle is up to 100 ASCII letters, digits, `-`, `_`, or other letters, marks, numbers, symbols and dashes
 *    (people's names). `/in/me` is whoever is logged in; `/pub/dir` is a directory. What follows (`/details/...`, `/de`) is
 *    a page of the same profile and dropped.
 * 6. Short posts: `/<handle>`, with or without `@`, 1 to 15 letters, digits, `_`; not a name of the site's own pages.
 *    What follows (`/status/<id>`, `/with_replies`) belongs to the same profile and is dropped.
 * 7. Handles are compared without regard to case: the canonical one is NFC and lower-case.
 */
import { badRequest } from '../errors/errors.ts';
import { quoteInput } from '../values/quote-input.ts';

export type ProfileNetwork = 'professional' | 'short-post';
export type ProfileKind = 'in' | 'pub' | 'user';

export interface ProfileUrl {
  readonly network: ProfileNetwork;
  /** Which form of address the handle belongs to: `/in/`, `/pub/`, or the short-post network's only one. */
  readonly kind: ProfileKind;
  /** Decoded, NFC, lower-case. For `/pub/` the code segments are part of it. */
  readonly handle: string;
  /** The one spelling of this profile: https, no trailing slash, percent-encoded where needed. */
  readonly canonical: string;
}

/** Why a text is no profile URL. */
const PROFILE_URL_PROBLEMS = {
  empty: 'it is empty',
  too_long: 'it is longer than 2048 characters',
  forbidden_character: 'it contains white space, a control character or a backslash',
  scheme: 'only http:// and https:// are accepted, or no scheme at all',
  unreadable: 'it cannot be read as a URL',
  userinfo: 'it looks like an email address or contains a user name; an email address goes into email',
  port: 'it names a port',
  host: 'its host is not one of the supported profile networks',
  no_profile: 'it names a site, not a profile: send the address of one profile',
  not_a_profile: 'its path is not that of a profile',
  reserved_name: "the name is one of the site's own pages, not a profile",
  encoding: 'its percent-encoding is not valid UTF-8',
  handle_characters: 'the handle contains characters that no profile has',
  handle_length: 'the handle is too long',
  incomplete_pub: 'the code behind the name of a /pub/ address has three parts',
} as const;
type ProfileUrlProblem = keyof typeof PROFILE_URL_PROBLEMS;

const MAX_LENGTH = 2048;
const PROFESSIONAL_HOST = /^(?:(?:www|m|mobile|touch|[a-z]{2})\.)?linkedin\.com$/;
const SHORT_POST_HOST =
  /^(?:(?:www\.|m\.|mobile\.)?(?:x|twitter)\.com|(?:www\.)?(?:fxtwitter|vxtwitter|fixupx|fixvx)\.com)$/;

const PROFESSIONAL_HANDLE_MAX = 100;
const PROFESSIONAL_HANDLE = /^(?:[a-z0-9_-]|(?![\0-\x7f])[\p{L}\p{M}\p{N}\p{S}\p{Pd}\u200d])+$/u;
const PUB_CODE = /^[0-9a-f]{1,3}$/;
/** The language behind a name may look like a code: `/pub/jane/de`. */
const LOCALE = /^[a-z]{2}$/;

const SHORT_POST_HANDLE_MAX = 15;
const SHORT_POST_HANDLE = /^[a-z0-9_]+$/;
/** First path segments that the short-post network uses itself. */
const SHORT_POST_PAGES = new Set(
  (
    'about account bookmarks compose connect_people download explore hashtag home i intent jobs lists login logout ' +
    'messages notifications oauth privacy search settings share signup tos who_to_follow'
  ).split(' '),
);

/**
 * Reads one profile URL, however it was copied.
 *
 * @throws ApiError 400 that quotes the text and says why it is none
 */
export function parseProfileUrl(text: string): ProfileUrl {
  const profile = readProfileUrl(text.trim());
  if (typeof profile === 'string') {
    throw badRequest(`profileUrl ${quoteInput(text)} is not a profile URL: ${PROFILE_URL_PROBLEMS[profile]}`);
  }
  return profile;
}

/** The canonical spelling of a profile URL; parsing it again gives the same one. Throws like `parseProfileUrl`. */
export function canonicalProfileUrl(text: string): string {
  return parseProfileUrl(text).canonical;
}

/** Hosts that a stored address may carry, per network, the canonical one first. */
const STORED_HOSTS = {
  professional: ['www.linkedin.com', 'linkedin.com', 'm.linkedin.com'],
  'short-post': ['x.com', 'www.x.com', 'mobile.x.com', 'twitter.com', 'www.twitter.com', 'mobile.twitter.com'],
} as const satisfies Record<ProfileNetwork, readonly string[]>;

/**
 * Every lower-case form in which this profile may stand in a stored `to_email`: with https, http or no scheme, on each
 * host, with and without a trailing slash, and, where the two differ, percent-encoded or not. At most 36 strings,
 * each of which parses back to the same profile. Country and overlay hosts are left out: whoever stores an address
 * canonicalizes it first.
 */
export function storedVariants(profile: ProfileUrl): string[] {
  const encodedPath = profilePath(profile);
  const paths = new Set([encodedPath.toLowerCase(), decodeURIComponent(encodedPath)]);
  const variants: string[] = [];
  for (const scheme of ['https://', 'http://', '']) {
    for (const host of STORED_HOSTS[profile.network]) {
      for (const path of paths) variants.push(`${scheme}${host}${path}`, `${scheme}${host}${path}/`);
    }
  }
  return variants;
}

function readProfileUrl(text: string): ProfileUrl | ProfileUrlProblem {
  if (text === '') return 'empty';
  if (text.length > MAX_LENGTH) return 'too_long';
  if (/[\s\p{Cc}\\]/u.test(text)) return 'forbidden_character';
  const absolute = withScheme(text);
  if (absolute === null) return 'scheme';
  if (!URL.canParse(absolute)) return 'unreadable';
  const url = new URL(absolute);
  if (url.username !== '' || url.password !== '') return 'userinfo';
  if (url.port !== '') return 'port';

  const segments = decodeSegments(url.pathname);
  const host = url.hostname.replace(/\.$/, '');
  if (PROFESSIONAL_HOST.test(host)) return segments === null ? 'encoding' : readProfessional(segments);
  if (SHORT_POST_HOST.test(host)) return segments === null ? 'encoding' : readShortPost(segments);
  return 'host';
}

/** The text as an absolute URL, or null when it has a scheme that is not accepted. */
function withScheme(text: string): string | null {
  if (/^https?:\/\//i.test(text)) return text;
  if (text.startsWith('//')) return `https:${text}`;
  // `mailto:a@b` and `ftp://host` have a scheme; `host:443/path` has a port.
  return /^[a-z][a-z0-9+-]*:/i.test(text) ? null : `https://${text}`;
}

function decodeSegments(pathname: string): string[] | null {
  try {
    return pathname
      .split('/')
      .filter((segment) => segment !== '')
      .map((segment) => decodeURIComponent(segment).normalize('NFC').toLowerCase().normalize('NFC'));
  } catch {
    return null;
  }
}

function readProfessional([kind, name, ...rest]: string[]): ProfileUrl | ProfileUrlProblem {
  if (kind === undefined) return 'no_profile';
  if (kind !== 'in' && kind !== 'pub') return 'not_a_profile';
  if (name === undefined) return 'no_profile';
  if (name === (kind === 'in' ? 'me' : 'dir')) return 'reserved_name';
  if ([...name].length > PROFESSIONAL_HANDLE_MAX) return 'handle_length';
  if (!PROFESSIONAL_HANDLE.test(name)) return 'handle_characters';
  if (kind === 'in') return toProfile('professional', 'in', name);

  const codes = rest.slice(0, 3);
  if (codes.length === 3 && codes.every((code) => PUB_CODE.test(code))) {
    return toProfile('professional', 'pub', [name, ...codes].join('/'));
  }
  const [first] = rest;
  if (first !== undefined && !LOCALE.test(first) && PUB_CODE.test(first)) return 'incomplete_pub';
  return toProfile('professional', 'pub', name);
}

function readShortPost([first]: string[]): ProfileUrl | ProfileUrlProblem {
  if (first === undefined) return 'no_profile';
  const handle = first.replace(/^@/, '');
  if (SHORT_POST_PAGES.has(handle)) return 'reserved_name';
  if (!SHORT_POST_HANDLE.test(handle)) return 'handle_characters';
  if (handle.length > SHORT_POST_HANDLE_MAX) return 'handle_length';
  return toProfile('short-post', 'user', handle);
}

function toProfile(network: ProfileNetwork, kind: ProfileKind, handle: string): ProfileUrl {
  return { network, kind, handle, canonical: `https://${STORED_HOSTS[network][0]}${profilePath({ kind, handle })}` };
}

function profilePath({ kind, handle }: Pick<ProfileUrl, 'kind' | 'handle'>): string {
  const encoded = handle.split('/').map(encodeURIComponent).join('/');
  return kind === 'user' ? `/${encoded}` : `/${kind}/${encoded}`;
}
