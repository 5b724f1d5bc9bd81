import { devNull, homedir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { notOneOf } from '../errors/nearest.ts';

/** Environment variables. An empty variable counts as not set. Only this file reads the environment. */
export interface Environment {
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
  readonly profile: string | null;
  /** Prefix of the service's own headers. */
  readonly headerPrefix: string | null;
}

export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  return {
    apiKey: env.SVC_API_KEY || null,
    baseUrl: env.SVC_BASE_URL || null,
    profile: env.SVC_PROFILE || null,
    headerPrefix: env.SVC_HEADER_PREFIX || null,
  };
}

/** Proxy variables. Lower-case names take precedence, as in curl. */
export interface ProxyEnvironment {
  readonly httpProxy: string | null;
  readonly httpsProxy: string | null;
  readonly noProxy: string | null;
}

export function readProxyEnvironment(env: NodeJS.ProcessEnv = process.env): ProxyEnvironment {
  return {
    httpProxy: env.http_proxy || env.HTTP_PROXY || null,
    httpsProxy: env.https_proxy || env.HTTPS_PROXY || null,
    noProxy: env.no_proxy || env.NO_PROXY || null,
  };
}

/** Returns the file with additional certificate authorities, which Node reads at its start. */
export function readExtraCaFile(env: NodeJS.ProcessEnv = process.env): string | null {
  return env.NODE_EXTRA_CA_CERTS || null;
}

/** The home of users without a home folder: a path that cannot exist or be created. */
export const NO_HOME = join(devNull, 'no-home');

/**
 * Returns the same folder as oclif. For users without a home, oclif uses the shared temporary folder, where others could
 * plant a configuration that sends them the key; this function returns a path below `NO_HOME` instead.
 */
export function readFolder(
  category: 'config' | 'cache',
  env: NodeJS.ProcessEnv = process.env,
  findHome: () => string = homedir,
): string {
  const home = readHome(env, findHome);
  const given = env[`SVC_${category.toUpperCase()}_DIR`];
  if (given) return given;
  if (category === 'cache' && process.platform === 'darwin') return join(home, 'Library', 'Caches', 'svc');
  const local = process.platform === 'win32' ? env.LOCALAPPDATA : undefined;
  return join(env[`XDG_${category.toUpperCase()}_HOME`] || local || join(home, `.${category}`), 'svc');
}

/** Returns the folder of the profiles if variables moved it that programs may not pass on to what they start; else null. */
export function readMovedConfigFolder(env: NodeJS.ProcessEnv = process.env): string | null {
  const { SVC_CONFIG_DIR: _own, XDG_CONFIG_HOME: _common, ...others } = env;
  const folder = readFolder('config', env);
  return folder === readFolder('config', others) ? null : folder;
}

function readHome(env: NodeJS.ProcessEnv, findHome: () => string): string {
  if (env.HOME) return env.HOME;
  try {
    return findHome() || NO_HOME;
  } catch {
    // The user has no entry in the user database, which happens in containers.
    return NO_HOME;
  }
}

/** Where other programs keep their files. */
export interface Machine {
  /** Every other system counts as Linux. */
  readonly platform: 'darwin' | 'linux' | 'win32';
  readonly home: string;
  /** Folder in which programs with a window keep their settings. */
  readonly appFolder: string;
  /** The current folder. */
  readonly project: string;
  /** Absolute folders in which the shell looks for programs. */
  readonly programFolders: readonly string[];
  /** The folders that `CODEX_HOME` and `CLAUDE_CONFIG_DIR` set; null: the default. */
  readonly codexFolder: string | null;
  readonly claudeFolder: string | null;
}

export function readMachine(
  env: NodeJS.ProcessEnv = process.env,
  system: string = process.platform,
  project: string = process.cwd(),
): Machine {
  const platform = system === 'darwin' || system === 'win32' ? system : 'linux';
  const paths = platform === 'win32' ? win32 : posix;
  const home = readHome(env, homedir);
  const appFolders = {
    darwin: paths.join(home, 'Library', 'Application Support'),
    linux: env.XDG_CONFIG_HOME || paths.join(home, '.config'),
    win32: env.APPDATA || paths.join(home, 'AppData', 'Roaming'),
  };
  return {
    ...{ platform, home, project, appFolder: appFolders[platform] },
    programFolders: (env.PATH ?? env.Path ?? '').split(paths.delimiter).filter((folder) => paths.isAbsolute(folder)),
    codexFolder: env.CODEX_HOME || null,
    claudeFolder: env.CLAUDE_CONFIG_DIR || null,
  };
}

const LOG_LEVELS = ['debug', 'info', 'warn', 'off'] as const;

/** @throws CliError (exit 2) for an unknown level, which the SDK would take for `info` */
export function readLogLevel(env: NodeJS.ProcessEnv = process.env): (typeof LOG_LEVELS)[number] {
  const text = env.SVC_LOG || 'off';
  const level = LOG_LEVELS.find((known) => known === text);
  if (level === undefined) throw notOneOf('SVC_LOG', text, LOG_LEVELS);
  return level;
}

/** Returns the signing secret of a webhook. White space is part of it. */
export function readWebhookSecret(env: NodeJS.ProcessEnv = process.env): string | null {
  return env.SVC_WEBHOOK_SECRET || null;
}
