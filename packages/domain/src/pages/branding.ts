/**
 * Branding: the prefixes of header names, API keys and signing secrets. The contract uses `Service-`, `osapi_` and
 * `oswhsec_`; an installation may configure others.
 *
 * 1. One prefix applies to all headers of the service: request id, event id, delivery id, signature, payload id.
 * 2. A key with another prefix is an unknown key.
 * 3. World files use the contract's prefixes. Loading one changes its keys and secrets to the installation's.
 * 4. Prefixes of ids (`oswhk_`, `oswhd_`, `osevt_`) cannot be changed, because they are stored.
 */
import { HEADERS, PREFIXES } from '@svc/contract/vocabulary';
import type { World } from '../world/schema.ts';

export interface Branding {
  /** Without its dash: `Service` in `Service-Request-Id`. */
  readonly headerPrefix: string;
  /** `osapi_` */
  readonly keyPrefix: string;
  /** Prefix of the webhooks' signing secrets: `oswhsec_`. */
  readonly secretPrefix: string;
}

/** The prefixes of the contract. */
export const DEFAULT_BRANDING: Branding = {
  headerPrefix: 'Service',
  keyPrefix: PREFIXES.apiKey,
  secretPrefix: PREFIXES.webhookSecret,
};

/** Error texts that say which form each prefix must have. */
export const BRANDING_RULES: Readonly<Record<keyof Branding, string>> = {
  headerPrefix:
    'must be the beginning of a header name, such as Service or Acme-: at most 32 letters, digits and dashes, a letter first',
  keyPrefix: 'must be 2 to 32 letters, digits, - or _, and begin with a letter, such as osapi_',
  secretPrefix: 'must be 2 to 32 letters, digits, - or _, and begin with a letter, such as oswhsec_',
};

/** Forms that are safe in header names, URLs, log lines and regular expressions. */
const FORMS: Readonly<Record<keyof Branding, RegExp>> = {
  headerPrefix: /^[a-z](?:[a-z\d-]{0,30}[a-z\d])?-?$/i,
  keyPrefix: /^[a-z][\w-]{1,31}$/i,
  secretPrefix: /^[a-z][\w-]{1,31}$/i,
};

/** Whether a text is a valid prefix of its kind; `BRANDING_RULES` describes the form. */
export function isPrefix(kind: keyof Branding, text: string): boolean {
  return FORMS[kind].test(text);
}

/**
 * Creates a branding. Omitted prefixes are those of the contract.
 *
 * @param prefixes the header prefix may end in a dash
 * @throws RangeError for an invalid prefix
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

/** Changes the prefix of a header of the service (`HEADERS`). Other header names are returned unchanged. */
export function brandHeaderName(name: string, { headerPrefix }: Branding): string {
  return OWN_HEADERS.has(name) ? headerPrefix + name.slice(DEFAULT_BRANDING.headerPrefix.length) : name;
}

const OWN_HEADERS: ReadonlySet<string> = new Set(Object.values(HEADERS));

export function brandHeaders(headers: Readonly<Record<string, string>>, branding: Branding): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [brandHeaderName(name, branding), value]));
}

/** Changes a key of a world file to the installation's prefix. */
function brandKey(token: string, { keyPrefix }: Branding): string {
  return replacePrefix(token, PREFIXES.apiKey, keyPrefix);
}

/** Changes a key back to the prefix that world files use. */
export function unbrandKey(token: string, { keyPrefix }: Branding): string {
  return replacePrefix(token, keyPrefix, PREFIXES.apiKey);
}

/** Changes the keys and secrets of a world to the installation's prefixes. */
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

/** Changes the prefixes in the contract's document, JSON or YAML. */
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
