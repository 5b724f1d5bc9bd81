/** The one place that reads the environment. An empty variable counts as not set. */
export interface Environment {
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
  readonly profile: string | null;
  readonly noColor: boolean;
  /** `FORCE_COLOR`: true or false where it decides, null where it does not. */
  readonly forceColor: boolean | null;
  readonly isDumbTerminal: boolean;
}

export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const force = env.FORCE_COLOR;
  return {
    apiKey: env.SVC_API_KEY || null,
    baseUrl: env.SVC_BASE_URL || null,
    profile: env.SVC_PROFILE || null,
    noColor: Boolean(env.NO_COLOR),
    forceColor: force === undefined ? null : force !== '0' && force !== 'false',
    isDumbTerminal: env.TERM === 'dumb',
  };
}
