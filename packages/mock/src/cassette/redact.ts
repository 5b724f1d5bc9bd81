/**
 * Removes secrets from what is recorded. A value that identifies something (a source's URL, a customer's URL, an address) becomes
 * a pseudonym: the same value always gets the same one, in every cassette, so that requests still match.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { SECRET_NAME } from '@svc/domain/values/secret-names';

export interface Redactor {
  readonly text: (text: string) => string;
  /** Redacts the value of a field or query parameter by its name and content. */
  readonly value: (name: string, value: string) => string;
  readonly json: (value: unknown) => unknown;
  readonly path: (path: string) => string;
}

export interface RedactorOptions {
  /** Replaces email addresses by pseudonyms. */
  readonly redactEmails: boolean;
  /** Keys that were sent; none of them is recorded. */
  readonly keys: ReadonlySet<string>;
}

/** Keeps everything. */
export const NO_REDACTOR: Redactor = {
  text: (text) => text,
  value: (_name, value) => value,
  json: (value) => value,
  path: (path) => path,
};

const REDACTED = 'REDACTED';

/** Keys and signing secrets of the contract's form. Their prefix is kept. */
const OWN_SECRETS = /\b(osapi_|oswhsec_)[\w-]+/g;
const AUTHORIZATION = /\b(Bearer|Basic) +[\w.~+/=-]{8,}/gi;
const JSON_WEB_TOKEN = /\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g;
const URL_CREDENTIALS = /\b(https?:\/\/)[^\s/?#@"'<>]+@/gi;
const QUERY_PARAMETER = /(^|[?&;\s"'])([\w.%-]+)=([^&;#\s"'<>]+)/g;
/** Names that `SECRET_NAME` does not have, of URLs that cloud storages sign. */
const SIGNED_NAME = /^x-(amz|goog)-|^(sig|signature|se|sp|sv|skoid|policy|key-pair-id|expires|hmac)$/i;
/** A source's URL: who knows it can post events. `/api/v1/webhooks` is not one. */
const SOURCE_PATH = /(?<!\/api\/v1)\/webhooks\/([\w%~-](?:[\w.%~/-]*[\w%~-])?)/g;
/** Fields with URLs of customers, which often are secrets as a whole. */
const CUSTOMER_URL = /^(url|destinationUrl)$/;
/** Addresses, also percent-encoded ones in URLs. */
const EMAIL =
  /(?:[\p{L}\p{N}_.+'-]|%2B)+(@|%40)[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?)+/giu;
const PSEUDONYM_DOMAIN = 'redacted.example';

export function createRedactor({ redactEmails, keys }: RedactorOptions): Redactor {
  const text = (input: string): string => {
    let output = input;
    for (const key of keys) output = output.replaceAll(key, REDACTED);
    output = output
      .replaceAll(OWN_SECRETS, `$1${REDACTED}`)
      .replaceAll(AUTHORIZATION, `$1 ${REDACTED}`)
      .replaceAll(JSON_WEB_TOKEN, REDACTED)
      .replaceAll(URL_CREDENTIALS, `$1${REDACTED}@`)
      .replaceAll(QUERY_PARAMETER, (pair: string, separator: string, name: string) =>
        SECRET_NAME.test(name) || SIGNED_NAME.test(name) ? `${separator}${name}=${REDACTED}` : pair,
      )
      .replaceAll(SOURCE_PATH, (_match, code: string) => `/webhooks/${toCode(code)}`);
    return redactEmails ? output.replaceAll(EMAIL, toAddress) : output;
  };

  const value = (name: string, input: string): string => {
    if (SECRET_NAME.test(name)) return `${/^oswhsec_/.exec(input)?.[0] ?? ''}${REDACTED}`;
    if (CUSTOMER_URL.test(name)) return toCustomerUrl(text(input));
    // A receipt's path is the code of its source's URL.
    if (name === 'path' && !input.startsWith('/')) return toCode(input);
    return text(input);
  };

  const field = (name: string, input: unknown): unknown => {
    if (typeof input === 'string') return value(name, input);
    return Array.isArray(input) ? input.map((each) => field(name, each)) : json(input);
  };

  const json = (input: unknown): unknown => {
    if (typeof input === 'string') return text(input);
    if (Array.isArray(input)) return input.map(json);
    if (typeof input !== 'object' || input === null) return input;
    return Object.fromEntries(Object.entries(input).map(([name, each]) => [text(name), field(name, each)]));
  };

  return {
    text,
    value,
    json,
    path: (path) => (SOURCE_PART.test(path) ? text(path) : encoded(path, text)),
  };
}

const SOURCE_PART = /^\/webhooks\//;
const REDACTED_SOURCE = /^webhooks\/redacted-[\da-f]{10}$/;

/** Redacts the segments of a path, which may be percent-encoded. */
function encoded(path: string, redact: (text: string) => string): string {
  return path
    .split('/')
    .map((segment) => {
      const plain = decode(segment);
      const redacted = redact(plain);
      return redacted === plain ? segment : encodeURIComponent(redacted);
    })
    .join('/');
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Digits of a pseudonym: enough to be unique in a cassette. */
const DIGITS = 10;

function digest(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text))).slice(0, DIGITS);
}

function toCode(code: string): string {
  return /^redacted-[\da-f]{10}$/.test(code) ? code : `redacted-${digest(code)}`;
}

function toAddress(address: string, at: string): string {
  const plain = decode(address).toLowerCase();
  return plain.endsWith(`@${PSEUDONYM_DOMAIN}`) ? address : `person-${digest(plain)}${at}${PSEUDONYM_DOMAIN}`;
}

/** Keeps the origin; the rest becomes a pseudonym. */
function toCustomerUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname, search, hash } = new URL(url);
  const rest = `${pathname.slice(1)}${search}${hash}`;
  if (origin === 'null' || rest === '' || REDACTED_SOURCE.test(rest)) return url;
  return `${origin}/${toCode(rest)}`;
}
