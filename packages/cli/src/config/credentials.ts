import { CliError, usageError } from '../errors/cli-error.ts';
import type { Environment } from './environment.ts';
import { parseHttpUrl } from './http-url.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';
import { headerPrefix } from './header-prefix.ts';
import { type Profile, type ProfileStore, requireProfile } from './profiles.ts';
import type { Settings } from './settings.ts';
import { toShellWord } from '../format/shell-quote.ts';

export const DEFAULT_BASE_URL = 'http://127.0.0.1:4000';
export const DEFAULT_PROFILE = 'default';

/** The key and address in use, and where each comes from. */
export interface Credentials {
  /** Null if there is no key, or if the profile's key is for another address. */
  readonly apiKey: string | null;
  /** The address that the profile's key is for, if it is not `baseUrl`; null if the key may be sent. */
  readonly keyIsFor: string | null;
  readonly baseUrl: string;
  /** For messages: "SVC_API_KEY", "profile staging (--profile)", ... */
  readonly keySource: string | null;
  readonly baseUrlSource: string;
  /** Prefix of the service's own headers. */
  readonly headerPrefix: string;
  /** The default range of the profile or `svc config`. */
  readonly range?: string | null;
}

export interface CredentialFlags {
  readonly profile?: string | undefined;
  readonly 'base-url'?: string | undefined;
}

/**
 * Resolves key and address. The key comes from the first of: the profile of `--profile`; `SVC_API_KEY`; the profile of
 * `SVC_PROFILE`; the active profile. The address: `--base-url`; the profile of `--profile`; `SVC_BASE_URL`; the profile
 * that the key came from; `svc config set base-url`; port 4000 of this machine.
 *
 * A key from the environment is never sent to a profile's address, and a profile's key only to the origin it was stored
 * for. The profiles are read only if one is needed.
 */
export function resolveCredentials(
  flags: CredentialFlags,
  environment: Environment,
  readStore: () => ProfileStore,
  settings: Settings = {},
): Credentials {
  const named = flags.profile === undefined ? null : nameProfile(readStore(), flags.profile, '--profile');
  const profile = named ?? (environment.apiKey === null ? defaultProfile(environment, readStore()) : null);
  const key = keyFrom(environment, profile);

  const candidates = [
    [flags['base-url'] ?? null, '--base-url'],
    [named?.profile.baseUrl ?? null, `profile ${named?.name}`],
    [environment.baseUrl, 'SVC_BASE_URL'],
    [profile?.profile.baseUrl ?? null, `profile ${profile?.name}`],
    [settings['base-url'] ?? null, 'svc config'],
  ] as const;
  const address = firstAddress(candidates);
  const keyIsFor = profile === null || hasOrigin(profile.profile, address.baseUrl) ? null : profile.profile.baseUrl;
  return {
    ...key,
    apiKey: keyIsFor === null ? key.apiKey : null,
    keyIsFor,
    ...address,
    headerPrefix: headerPrefix(environment, profile?.profile ?? null, settings),
    range: profile?.profile.range ?? settings.range ?? null,
  };
}

function hasOrigin(profile: Profile, baseUrl: string): boolean {
  return URL.canParse(profile.baseUrl) && new URL(profile.baseUrl).origin === new URL(baseUrl).origin;
}

/** Resolves the address for which `svc login` stores a key. */
export function resolveLoginAddress(
  flags: CredentialFlags,
  environment: Environment,
  store: ProfileStore,
  settings: Settings = {},
): Pick<Credentials, 'baseUrl' | 'baseUrlSource' | 'headerPrefix'> {
  const name = flags.profile ?? DEFAULT_PROFILE;
  const profile = Object.hasOwn(store.profiles, name) ? store.profiles[name] : undefined;
  const candidates = [
    [flags['base-url'] ?? null, '--base-url'],
    [environment.baseUrl, 'SVC_BASE_URL'],
    [profile?.baseUrl ?? null, `profile ${name}`],
    [settings['base-url'] ?? null, 'svc config'],
  ] as const;
  return { ...firstAddress(candidates), headerPrefix: headerPrefix(environment, profile ?? null, settings) };
}

export const NO_KEY_HINT = 'Set SVC_API_KEY, or run `svc login` to store a key.';

/** @throws CliError (exit 4) if there is no key for this address */
export function requireKey(credentials: Credentials): void {
  if (credentials.apiKey !== null) return;
  const { message, hint } = explainNoKey(credentials);
  const code = credentials.keyIsFor === null ? 'no_api_key' : 'key_for_other_address';
  throw new CliError(code, EXIT_CODES.notAuthenticated, message, hint);
}

/** Explains why no key is sent and how to fix it. */
export function explainNoKey({ keyIsFor, keySource, baseUrl, baseUrlSource }: Credentials) {
  if (keyIsFor === null) return { message: 'No API key is configured', hint: NO_KEY_HINT };
  return {
    message: `The key of ${keySource} is for ${keyIsFor} and is not sent to ${baseUrl}, the address from ${baseUrlSource}`,
    hint: `For this address, set SVC_API_KEY (without --profile), or store a key: svc login --profile NAME --base-url ${toShellWord(baseUrl)}`,
  };
}

interface NamedProfile {
  readonly name: string;
  /** `--profile` or `SVC_PROFILE`; null for the default profile. */
  readonly source: string | null;
  readonly profile: Profile;
}

function keyFrom(environment: Environment, profile: NamedProfile | null): Pick<Credentials, 'apiKey' | 'keySource'> {
  if (profile !== null) {
    const source = profile.source === null ? '' : ` (${profile.source})`;
    return { apiKey: profile.profile.apiKey, keySource: `profile ${profile.name}${source}` };
  }
  return { apiKey: environment.apiKey, keySource: environment.apiKey === null ? null : 'SVC_API_KEY' };
}

function defaultProfile(environment: Environment, store: ProfileStore): NamedProfile | null {
  if (environment.profile !== null) return nameProfile(store, environment.profile, 'SVC_PROFILE');
  const profile = store.active === null ? undefined : store.profiles[store.active];
  return store.active === null || profile === undefined ? null : { name: store.active, source: null, profile };
}

function nameProfile(store: ProfileStore, name: string, source: string): NamedProfile {
  return { name, source, profile: requireProfile(store, name, source) };
}

function firstAddress(
  candidates: readonly (readonly [baseUrl: string | null, source: string])[],
): Pick<Credentials, 'baseUrl' | 'baseUrlSource'> {
  for (const [baseUrl, baseUrlSource] of candidates) {
    if (baseUrl !== null) {
      return { baseUrl: parseAddress(baseUrl, `The base URL from ${baseUrlSource}`), baseUrlSource };
    }
  }
  return { baseUrl: DEFAULT_BASE_URL, baseUrlSource: 'the default' };
}

/**
 * Checks an address, so that the message can say where it comes from.
 *
 * @param name names the address in the message
 * @throws CliError (exit 2)
 */
export function parseAddress(typed: string, name: string): string {
  const text = parseHttpUrl(typed, name, 'For example https://sync.example.com.');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw usageError(`${name} has a user name or password in it`);
  if (url.search !== '' || url.hash !== '') throw usageError(`${name} has a query or fragment`);
  const base = /^(.*)\/api\/v1\/*$/.exec(url.href)?.[1];
  if (base === undefined) return text;
  throw usageError(`${name} must not include /api/v1; it is added automatically`, `Use ${base}`);
}
