import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from './cli-error.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { guardWrite, toWriteError } from './output-streams.ts';

/** A key and the address it is for, kept under a name. */
export interface Profile {
  readonly apiKey: string;
  readonly baseUrl: string;
}

export interface ProfileStore {
  /** The profile used when none is named. */
  readonly active: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const STORE_NAME = 'profiles';

function profilesFile(configDir: string): string {
  return join(configDir, `${STORE_NAME}.json`);
}

/** Read without the `conf` package, which costs more than most commands have left to spend on starting up. */
export function readProfiles(configDir: string): ProfileStore {
  const file = profilesFile(configDir);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return { active: null, profiles: {} };
    throw new CliError('profiles_unreadable', EXIT_CODES.unexpected, `Cannot read ${file}`, null, error);
  }
  try {
    return parseStore(JSON.parse(text));
  } catch {
    // The parser's own message quotes the text, and the text holds keys.
    const hint = 'Remove the file and run `svc login` again.';
    throw new CliError('profiles_unreadable', EXIT_CODES.unexpected, `${file} is not a profile file`, hint);
  }
}

/**
 * Makes the folder, one level after the other: where one cannot be made (`/proc`), Node's own way of making several
 * at once never ends.
 *
 * @throws CliError
 */
export function prepareProfiles(configDir: string): void {
  const makeFolder = (folder: string): void => {
    if (existsSync(folder)) return;
    makeFolder(dirname(folder));
    mkdirSync(folder, { mode: 0o700 });
  };
  try {
    makeFolder(configDir);
    accessSync(configDir, constants.W_OK);
  } catch (error) {
    throw toWriteError(error, profilesFile(configDir));
  }
}

/** Writes atomically, readable by its owner only. `prepareProfiles` comes first. */
export async function saveProfile(configDir: string, name: string, profile: Profile): Promise<void> {
  const { default: Conf } = await import('conf');
  const store = new Conf<{ active: string | null; profiles: Record<string, Profile> }>({
    cwd: configDir,
    configName: STORE_NAME,
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    defaults: { active: null, profiles: {} },
  });
  await guardWrite(profilesFile(configDir), async () => {
    store.store = {
      active: store.get('active') ?? name,
      profiles: { ...store.get('profiles'), [name]: profile },
    };
  });
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

function parseStore(value: unknown): ProfileStore {
  if (!isRecord(value) || !isRecord(value.profiles)) throw new TypeError('no profiles');
  const profiles: Record<string, Profile> = {};
  for (const [name, profile] of Object.entries(value.profiles)) {
    if (!isRecord(profile) || typeof profile.apiKey !== 'string' || typeof profile.baseUrl !== 'string') {
      throw new TypeError('not a profile');
    }
    profiles[name] = { apiKey: profile.apiKey, baseUrl: profile.baseUrl };
  }
  return { active: typeof value.active === 'string' ? value.active : null, profiles };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
