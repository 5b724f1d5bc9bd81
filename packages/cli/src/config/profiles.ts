import { CliError, usageError } from '../errors/cli-error.ts';
import { changeConfigFile, prepareConfigDir, readConfigFile } from './config-files.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';
import { findNearest } from '../errors/nearest.ts';
import { isRecord } from '../format/fields.ts';

/** A stored key and the address that it is for. */
export interface Profile {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Prefix of the service's own headers, if it is not the default. */
  readonly headerPrefix?: string | undefined;
  /** Default start of ranges, such as `30d`, or `all`. */
  readonly range?: string | undefined;
}

export interface ProfileStore {
  /** The default profile. */
  readonly active: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const STORE_NAME = 'profiles';

/** Reads the profiles. Unknown entries are kept, so that they are written back. */
export function readProfiles(configDir: string): ProfileStore {
  const read = readConfigFile(configDir, STORE_NAME);
  if (read.text === null) return { active: null, profiles: {} };
  try {
    return parseStore(JSON.parse(read.text));
  } catch {
    // The parser's message would quote the file, which contains keys.
    const hint = 'Remove the file and run `svc login` again.';
    throw new CliError('profiles_unreadable', EXIT_CODES.unexpected, `${read.file} is not a profile file`, hint);
  }
}

/** @throws CliError if nothing can be stored */
export function prepareProfiles(configDir: string): void {
  prepareConfigDir(configDir, STORE_NAME);
}

/** Changes the profiles, which no other process changes meanwhile. */
async function changeProfiles(configDir: string, change: (store: ProfileStore) => ProfileStore): Promise<void> {
  await changeConfigFile(configDir, STORE_NAME, () => change(readProfiles(configDir)));
}

/**
 * Stores a profile. The first one becomes the default.
 *
 * @param make is given the stored profiles, so that the profile can keep parts of an old one
 */
export async function saveProfile(
  configDir: string,
  name: string,
  make: (store: ProfileStore) => Profile,
): Promise<void> {
  await changeProfiles(configDir, (store) => {
    const { active, profiles } = store;
    return { ...store, active: active ?? name, profiles: { ...profiles, [name]: make(store) } };
  });
}

/** Removes profiles. If the default is removed, there is no default. */
export async function removeProfiles(configDir: string, names: readonly string[]): Promise<void> {
  await changeProfiles(configDir, (store) => {
    const { active, profiles } = store;
    const kept = Object.entries(profiles).filter(([name]) => !names.includes(name));
    return {
      ...store,
      active: active !== null && names.includes(active) ? null : active,
      profiles: Object.fromEntries(kept),
    };
  });
}

/**
 * @param name null: no profile is the default
 * @throws CliError (exit 2) if the profile does not exist
 */
export async function useProfile(configDir: string, name: string | null): Promise<void> {
  await changeProfiles(configDir, (store) => {
    if (name !== null) requireProfile(store, name);
    return { ...store, active: name };
  });
}

/**
 * @param source the flag or variable with the name, for the message
 * @throws CliError (exit 2) if the profile does not exist; the message lists the profiles that do
 */
export function requireProfile(store: ProfileStore, name: string, source: string | null = null): Profile {
  const profile = Object.hasOwn(store.profiles, name) ? store.profiles[name] : undefined;
  if (profile !== undefined) return profile;
  const names = Object.keys(store.profiles);
  const known = names.length === 0 ? 'No profiles are stored' : `Profiles: ${names.join(', ')}`;
  const problem = `There is no profile ${name}${source === null ? '' : ` (from ${source})`}`;
  const nearest = findNearest(name, names);
  const suggestion = nearest === null ? '' : `Did you mean ${nearest}? `;
  throw usageError(`${problem}. ${known}.`, `${suggestion}\`svc login --profile ${name}\` creates it.`);
}

function parseStore(value: unknown): ProfileStore {
  if (!isRecord(value) || !isRecord(value.profiles)) throw new TypeError('no profiles');
  const profiles: Record<string, Profile> = {};
  for (const [name, profile] of Object.entries(value.profiles)) {
    if (!isRecord(profile) || typeof profile.apiKey !== 'string' || typeof profile.baseUrl !== 'string') {
      throw new TypeError('not a profile');
    }
    const { apiKey, baseUrl, headerPrefix, range, ...others } = profile;
    profiles[name] = {
      ...{ ...others, apiKey, baseUrl },
      ...(typeof headerPrefix === 'string' ? { headerPrefix } : {}),
      ...(typeof range === 'string' ? { range } : {}),
    };
  }
  return { ...value, active: typeof value.active === 'string' ? value.active : null, profiles };
}
