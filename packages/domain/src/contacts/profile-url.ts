/**
 * Social profile URLs as identities of a contact (the parameter `profileUrl` of `getContactOutreach`).
 *
 * 1. White space around the URL is dropped. The rest has at most 2048 characters and no white space, control character or
 *    backslash.
 * 2. The scheme is http, https or absent (`host/path` and `//host/path`). There is no user name and no port except the
 *    scheme's default.
 * 3. The host, in any case and with or without a trailing dot, belongs to one of two networks:
 *    professional: linkedin.com, `www.`, `m.`, `mobile.`, `touch.`, and any two-letter country host (`de.`);
 *    short posts: x.com and twitter.com, alone or behind `www.`, `m.`, `mobile.`, and the overlay hosts
 *    fxtwitter.com, vxtwitter.com, fixupx.com, fixvx.com, alone or behind `www.`.
 * 4. Query, hash and empty path segments are dropped. Percent-encoding must be valid UTF-8 and is decoded once.
 * 5. Professional: `/in/<handle>`, or the older `/pub/<name>` with or without its three code segments (`/1a/2b/3c`).
 *    A handle is up to 100 ASCII letters, digits, `-`, `_`, or other letters, marks, numbers, symbols and dashes
 *    (people's names). `/in/me` (the logged-in user) and `/pub/dir` (a directory) are refused. Anything after the handle
 *    (`/details/...`, `/de`) is a page of the same profile and is dropped.
 * 6. Short posts: `/<handle>`, with or without `@`: 1 to 15 letters, digits or `_`, and not the name of one of the site's
 *    own pages. Anything after the handle (`/status/<id>`, `/with_replies`) is dropped.
 * 7. Handles are compared case-insensitively: the canonical handle is NFC and lower case.
 */
import { badRequest } from '../errors/errors.ts';
import { quoteInput } from '../values/quote-input.ts';

export type ProfileNetwork = 'professional' | 'short-post';
export type ProfileKind = 'in' | 'pub' | 'user';

export interface ProfileUrl {
  readonly network: ProfileNetwork;
  /** The form of the path: `/in/`, `/pub/`, or `/<handle>` on the short-post network. */
  readonly kind: ProfileKind;
  /** Decoded, NFC, lower case. For `/pub/` it includes the code segments. */
  readonly handle: string;
  /** The one spelling of this profile: https, no trailing slash, percent-encoded where needed. */
  readonly canonical: string;
}

/** The reasons why a text is not a profile URL, as error messages show them. */
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
const SHORT_POST_DOMAINS = ['x.com', 'twitter.com'];
const OVERLAY_DOMAINS = ['fxtwitter.com', 'vxtwitter.com', 'fixupx.com', 'fixvx.com'];
/** The hosts of profiles without their subdomains. */
export const PROFILE_DOMAINS: readonly string[] = ['linkedin.com', ...SHORT_POST_DOMAINS, ...OVERLAY_DOMAINS];

const anyOf = (domains: readonly string[]) => domains.map((domain) => domain.replaceAll('.', String.raw`\.`)).join('|');
const PROFESSIONAL_HOST = /^(?:(?:www|m|mobile|touch|[a-z]{2})\.)?linkedin\.com$/;
const SHORT_POST_HOST = new RegExp(
  String.raw`^(?:(?:www\.|m\.|mobile\.)?(?:${anyOf(SHORT_POST_DOMAINS)})|(?:www\.)?(?:${anyOf(OVERLAY_DOMAINS)}))$`,
);

const PROFESSIONAL_HANDLE_MAX = 100;
const PROFESSIONAL_HANDLE = /^(?:[a-z0-9_-]|(?![\0-\x7f])[\p{L}\p{M}\p{N}\p{S}\p{Pd}\u200d])+$/u;
const PUB_CODE = /^[0-9a-f]{1,3}$/;
/** A language after the name, which may look like a code: `/pub/jane/de`. */
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
 * Parses a profile URL.
 *
 * @throws ApiError 400 that quotes the text and says what is wrong with it
 */
export function parseProfileUrl(text: string): ProfileUrl {
  const profile = readProfileUrl(text.trim());
  if (typeof profile === 'string') {
    throw badRequest(`profileUrl ${quoteInput(text)} is not a profile URL: ${PROFILE_URL_PROBLEMS[profile]}`);
  }
  return profile;
}

/** Returns the canonical spelling of a profile URL. Throws like `parseProfileUrl`. */
export function canonicalProfileUrl(text: string): string {
  return parseProfileUrl(text).canonical;
}

/** Hosts that a stored URL may have, per network, the canonical one first. */
const STORED_HOSTS = {
  professional: ['www.linkedin.com', 'linkedin.com', 'm.linkedin.com'],
  'short-post': ['x.com', 'www.x.com', 'mobile.x.com', 'twitter.com', 'www.twitter.com', 'mobile.twitter.com'],
} as const satisfies Record<ProfileNetwork, readonly string[]>;

/**
 * Returns every lower-case form in which this profile may be stored in `to_email`: with https, http or no scheme, on each
 * host, with and without a trailing slash, percent-encoded or not. At most 36 strings, each of which parses back to the
 * same profile. Country and overlay hosts are left out, because URLs are canonicalized before they are stored.
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

/** Returns the text as an absolute URL, or null when its scheme is not accepted. */
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
