/**
 * What carries the maker's name on the wire: the beginnings of header names, keys and signing secrets. The specification writes
 * them as `Service-`, `osapi_` and `oswhsec_`; an installation that stands in for one with other names has those.
 *
 * 1. One prefix for all headers of the service: request id, the three of webhook deliveries, that of forwarded payloads.
 * 2. A key with another prefix than the installation's is like one that nobody has.
 * 3. World files are written with the specification's prefixes; whoever loads one gives its keys and secrets the installation's.
 * 4. Prefixes of ids (`oswhk_`, `oswhd_`, `osevt_`) are not among them: they are part of what is stored.
 */
import { HEADERS, PREFIXES } from '@svc/contract/vocabulary';
import type { World } from '../world/schema.ts';

export interface Branding {
  /** Without its dash: `Service` in `Service-Request-Id`. */
  readonly headerPrefix: string;
  /** `osapi_` */
  readonly keyPrefix: string;
  /** Of the signing secrets of webhooks: `oswhsec_`. */
  readonly secretPrefix: string;
}

/** As the specification writes them. */
export const DEFAULT_BRANDING: Branding = {
  headerPrefix: 'Service',
  keyPrefix: PREFIXES.apiKey,
  secretPrefix: PREFIXES.webhookSecret,
};

/** What each may be, in the words of an error. */
export const BRANDING_RULES: Readonly<Record<keyof Branding, string>> = {
  headerPrefix:
    'must be the beginning of a header name, such as Service or Acme-: at most 32 letters, digits and dashes, a letter first',
  keyPrefix: 'must be 2 to 32 letters, digits, - or _, and begin with a letter, such as osapi_',
  secretPrefix: 'must be 2 to 32 letters, digits, - or _, and begin with a letter, such as oswhsec_',
};

/** Header names as most software takes them, and text that can stand in a URL, a log line and a regular expression. */
const FORMS: Readonly<Record<keyof Branding, RegExp>> = {
  headerPrefix: /^[a-z](?:[a-z\d-]{0,30}[a-z\d])?-?$/i,
  keyPrefix: /^[a-z][\w-]{1,31}$/i,
  secretPrefix: /^[a-z][\w-]{1,31}$/i,
};

/** Whether a prefix can be one of its kind; if not, `BRANDING_RULES` says what it must be. */
export function isPrefix(kind: keyof Branding, text: string): boolean {
  return FORMS[kind].test(text);
}

/**
 * @param prefixes what is left out is as the specification has it; the header prefix with its dash or without
 * @throws RangeError for a prefix that cannot be one
 */
export function toBranding(prefixes: { readonly [Kind in keyof Branding]?: string | undefined }): Branding {
  const prefixOf = (kind: keyof Branding) => {
    const prefix = prefixes[kind] ?? DEFAULT_BRANDING[kind];
    if (isPrefix(kind, prefix)) return prefix;
    throw new RangeError(`${kind} ${BRANDING_RULES[kind]}`);
  };
  const branding: Branding = {
    headerPrefix: prefixOf('headerPrefix').replace(/-$/, ''),
    keyPrefix: prefixOf('keyPrefix'),
    secretPrefix: prefixOf('secretPrefix'),
  };
  return isDefault(branding) ? DEFAULT_BRANDING : branding;
}

/** A name of `HEADERS`, as the installation has it; other headers are nobody's and stay. */
export function brandHeaderName(name: string, { headerPrefix }: Branding): string {
  return OWN_HEADERS.has(name) ? headerPrefix + name.slice(DEFAULT_BRANDING.headerPrefix.length) : name;
}

const OWN_HEADERS: ReadonlySet<string> = new Set(Object.values(HEADERS));

export function brandHeaders(headers: Readonly<Record<string, string>>, branding: Branding): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [brandHeaderName(name, branding), value]));
}

/** A key of a world file, as the installation has it. */
export function brandKey(token: string, { keyPrefix }: Branding): string {
  return replacePrefix(token, PREFIXES.apiKey, keyPrefix);
}

/** The key as a world file has it, under which tests know it. */
export function unbrandKey(token: string, { keyPrefix }: Branding): string {
  return replacePrefix(token, keyPrefix, PREFIXES.apiKey);
}

/** A world with the installation's keys and secrets; the same world where they are the specification's. */
export function brandWorld(world: World, branding: Branding): World {
  if (isDefault(branding)) return world;
  return {
    ...world,
    apiKeys: world.apiKeys.map((key) => ({ ...key, token: brandKey(key.token, branding) })),
    webhooks: world.webhooks.map((webhook) => ({
      ...webhook,
      secret: replacePrefix(webhook.secret, PREFIXES.webhookSecret, branding.secretPrefix),
    })),
  };
}

/** The contract's document, JSON or YAML, in which headers, keys and secrets are named as the installation has them. */
export function brandDocument(text: string, branding: Branding): string {
  if (isDefault(branding)) return text;
  const { keyPrefix, secretPrefix } = branding;
  const prefixes: Readonly<Record<string, string>> = {
    [PREFIXES.apiKey]: keyPrefix,
    [PREFIXES.webhookSecret]: secretPrefix,
  };
  return text.replaceAll(BRANDED_TEXT, (found) => prefixes[found] ?? brandHeaderName(found, branding));
}

const BRANDED_TEXT = new RegExp([...Object.values(HEADERS), PREFIXES.apiKey, PREFIXES.webhookSecret].join('|'), 'g');

function replacePrefix(text: string, from: string, to: string): string {
  return text.startsWith(from) ? to + text.slice(from.length) : text;
}

function isDefault(branding: Branding): boolean {
  const { headerPrefix, keyPrefix, secretPrefix } = DEFAULT_BRANDING;
  return (
    branding.headerPrefix === headerPrefix && branding.keyPrefix === keyPrefix && branding.secretPrefix === secretPrefix
  );
}
