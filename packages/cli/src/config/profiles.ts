import { CliError, usageError } from '../errors/cli-error.ts';
import { prepareConfigDir, readConfigFile, writeConfigFile } from './config-files.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';
import { isRecord } from '../format/fields.ts';

/** A key and the address it is for, kept under a name. */
export interface Profile {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** How the service's own headers begin there; left out where they begin as in the specification. */
  readonly headerPrefix?: string | undefined;
}

export interface ProfileStore {
  /** The profile used when none is named. */
  readonly active: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const STORE_NAME = 'profiles';

/** What this version does not know in the file is kept, and written again with the rest. */
export function readProfiles(configDir: string): ProfileStore {
  const read = readConfigFile(configDir, STORE_NAME);
  if (read.text === null) return { active: null, profiles: {} };
  try {
    return parseStore(JSON.parse(read.text));
  } catch {
    // The parser's own message quotes the text, and the text holds keys.
    const hint = 'Remove the file and run `svc login` again.';
    throw new CliError('profiles_unreadable', EXIT_CODES.unexpected, `${read.file} is not a profile file`, hint);
  }
}

/** @throws CliError where nothing can be stored */
export function prepareProfiles(configDir: string): void {
  prepareConfigDir(configDir, STORE_NAME);
}

/** Written atomically, readable by its owner only. */
export async function writeProfiles(configDir: string, store: ProfileStore): Promise<void> {
  prepareProfiles(configDir);
  await writeConfigFile(configDir, STORE_NAME, store);
}

/** The first profile becomes the one that is used when none is named. */
export async function saveProfile(configDir: string, name: string, profile: Profile): Promise<void> {
  const store = readProfiles(configDir);
  const { active, profiles } = store;
  await writeProfiles(configDir, { ...store, active: active ?? name, profiles: { ...profiles, [name]: profile } });
}

/** Those that are there are left out; nothing is used by default when that one goes. */
export async function removeProfiles(configDir: string, names: readonly string[]): Promise<void> {
  const store = readProfiles(configDir);
  const { active, profiles } = store;
  const kept = Object.entries(profiles).filter(([name]) => !names.includes(name));
  await writeProfiles(configDir, {
    ...store,
    active: active !== null && names.includes(active) ? null : active,
    profiles: Object.fromEntries(kept),
  });
}

/** @throws CliError (exit 2) when there is none of that name */
export async function useProfile(configDir: string, name: string): Promise<void> {
  const store = readProfiles(configDir);
  requireProfile(store, name);
  await writeProfiles(configDir, { ...store, active: name });
}

/**
 * @param namedBy what the message says it was named by: `--profile`
 * @throws CliError (exit 2) that lists those there are
 */
export function requireProfile(store: ProfileStore, name: string, namedBy: string | null = null): Profile {
  const profile = Object.hasOwn(store.profiles, name) ? store.profiles[name] : undefined;
  if (profile !== undefined) return profile;
  const names = Object.keys(store.profiles);
  const known = names.length === 0 ? 'There are none yet' : `There are: ${names.join(', ')}`;
  const problem = namedBy === null ? `There is no profile ${name}` : `${namedBy} names a profile that does not exist`;
  throw usageError(`${problem}. ${known}.`, `svc login --profile ${name}`);
}

function parseStore(value: unknown): ProfileStore {
  if (!isRecord(value) || !isRecord(value.profiles)) throw new TypeError('no profiles');
  const profiles: Record<string, Profile> = {};
  for (const [name, profile] of Object.entries(value.profiles)) {
    if (!isRecord(profile) || typeof profile.apiKey !== 'string' || typeof profile.baseUrl !== 'string') {
      throw new TypeError('not a profile');
    }
    const { apiKey, baseUrl, headerPrefix, ...others } = profile;
    profiles[name] = { ...others, apiKey, baseUrl, ...(typeof headerPrefix === 'string' ? { headerPrefix } : {}) };
  }
  return { ...value, active: typeof value.active === 'string' ? value.active : null, profiles };
}
