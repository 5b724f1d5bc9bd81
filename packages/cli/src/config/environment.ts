import { devNull, homedir } from 'node:os';
import { join } from 'node:path';
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

function readHome(env: NodeJS.ProcessEnv, findHome: () => string): string {
  if (env.HOME) return env.HOME;
  try {
    return findHome() || NO_HOME;
  } catch {
    // The user has no entry in the user database, which happens in containers.
    return NO_HOME;
  }
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
