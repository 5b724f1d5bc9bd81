import { devNull, homedir } from 'node:os';
import { join } from 'node:path';

/** The one place that reads the environment. An empty variable counts as not set. */
export interface Environment {
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
  readonly profile: string | null;
  /** How the service's own headers begin. */
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

/** Which calls go through a proxy, as curl and others have it: the lower-case names come first. */
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

/** File with certificates that Node trusts beside its own, read by Node itself at its start. */
export function readExtraCaFile(env: NodeJS.ProcessEnv = process.env): string | null {
  return env.NODE_EXTRA_CA_CERTS || null;
}

/** Stands for the home of a user without one: nothing can exist below it, and nothing can be made there. */
export const NO_HOME = join(devNull, 'no-home');

/**
 * Where oclif has its folders, whose configuration is loaded for help only. For a user without a home it is a folder that cannot
 * exist: in the temporary folder, as oclif has it, others could leave a configuration that sends our key to them.
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
    // A user without an entry in the list of users, as containers have them.
    return NO_HOME;
  }
}

/** The signing secret of a webhook, as it is: white space in it would be part of it. */
export function readWebhookSecret(env: NodeJS.ProcessEnv = process.env): string | null {
  return env.SVC_WEBHOOK_SECRET || null;
}
