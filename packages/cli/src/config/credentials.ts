import { CliError, usageError } from '../errors/cli-error.ts';
import type { Environment } from './environment.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';
import { headerPrefix } from './header-prefix.ts';
import { type Profile, type ProfileStore, requireProfile } from './profiles.ts';
import type { Settings } from './settings.ts';
import { toShellWord } from '../format/shell-quote.ts';

export const DEFAULT_BASE_URL = 'http://127.0.0.1:4000';
export const DEFAULT_PROFILE = 'default';

/** Which key is used, for which address, and where each of them came from. */
export interface Credentials {
  /** Null where there is none, and where the profile's key is for another address than this. */
  readonly apiKey: string | null;
  /** The address that the profile's key is for, where it is another one; null where the key may be sent. */
  readonly keyIsFor: string | null;
  readonly baseUrl: string;
  /** For messages: "SVC_API_KEY", "profile staging (--profile)", ... */
  readonly keySource: string | null;
  readonly baseUrlSource: string;
  /** How the service's own headers begin. */
  readonly headerPrefix: string;
}

export interface CredentialFlags {
  readonly profile?: string | undefined;
  readonly 'base-url'?: string | undefined;
}

/**
 * Key, first that is there: the profile named by `--profile`; `SVC_API_KEY`; the profile named by `SVC_PROFILE`;
 * the active profile. Address: `--base-url`; the profile named by `--profile`; `SVC_BASE_URL`; the address of the
 * profile the key came from; the default that `svc config set base-url` made; this machine's port 4000.
 *
 * A key from the environment never goes to a profile's address: it was not stored for it. A profile's key goes to the
 * origin it was stored for and to no other, whatever names another address. The profiles are read only when one is needed.
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
  };
}

function hasOrigin(profile: Profile, baseUrl: string): boolean {
  return URL.canParse(profile.baseUrl) && new URL(profile.baseUrl).origin === new URL(baseUrl).origin;
}

/** Where a key that is about to be stored under a name is for. */
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

/** What to do where there is no key. */
export const NO_KEY_HINT = 'Set SVC_API_KEY, or run `svc login` to store a key.';

/** @throws CliError (exit 4) that says how to give one */
export function requireKey(credentials: Credentials): void {
  if (credentials.apiKey !== null) return;
  const { message, hint } = explainNoKey(credentials);
  const code = credentials.keyIsFor === null ? 'no_api_key' : 'key_for_other_address';
  throw new CliError(code, EXIT_CODES.notAuthenticated, message, hint);
}

/** Why no key is sent, and what to do about it. */
export function explainNoKey({ keyIsFor, keySource, baseUrl, baseUrlSource }: Credentials) {
  if (keyIsFor === null) return { message: 'No API key is configured', hint: NO_KEY_HINT };
  return {
    message: `The key of ${keySource} is for ${keyIsFor} and is not sent to ${baseUrl}, the address from ${baseUrlSource}`,
    hint: `For this address, set SVC_API_KEY (without --profile), or store a key: svc login --profile NAME --base-url ${toShellWord(baseUrl)}`,
  };
}

interface NamedProfile {
  readonly name: string;
  /** `--profile` or `SVC_PROFILE`; null for the default one. */
  readonly namedBy: string | null;
  readonly profile: Profile;
}

function keyFrom(environment: Environment, profile: NamedProfile | null): Pick<Credentials, 'apiKey' | 'keySource'> {
  if (profile !== null) {
    const namedBy = profile.namedBy === null ? '' : ` (${profile.namedBy})`;
    return { apiKey: profile.profile.apiKey, keySource: `profile ${profile.name}${namedBy}` };
  }
  return { apiKey: environment.apiKey, keySource: environment.apiKey === null ? null : 'SVC_API_KEY' };
}

function defaultProfile(environment: Environment, store: ProfileStore): NamedProfile | null {
  if (environment.profile !== null) return nameProfile(store, environment.profile, 'SVC_PROFILE');
  const profile = store.active === null ? undefined : store.profiles[store.active];
  return store.active === null || profile === undefined ? null : { name: store.active, namedBy: null, profile };
}

function nameProfile(store: ProfileStore, name: string, namedBy: string): NamedProfile {
  return { name, namedBy, profile: requireProfile(store, name, namedBy) };
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
 * What the client would refuse is refused here, where it is known whose address it is. It is not quoted.
 *
 * @param name begins the message
 * @throws CliError (exit 2)
 */
export function parseAddress(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw usageError(`${name} is not an http or https address`);
  if (url.username !== '' || url.password !== '') throw usageError(`${name} has a user name or password in it`);
  if (url.search !== '' || url.hash !== '') throw usageError(`${name} has a query or fragment`);
  const base = /^(.*)\/api\/v1\/*$/.exec(url.href)?.[1];
  if (base === undefined) return text;
  throw usageError(`${name} holds /api/v1, which is added`, `Use ${base}`);
}
