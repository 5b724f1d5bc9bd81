/** Environment variables of the terminal. */
export interface TerminalEnvironment {
  readonly noColor: boolean;
  /** `FORCE_COLOR`; null if it is not set. */
  readonly forceColor: boolean | null;
  readonly isDumbTerminal: boolean;
}

export function readTerminalEnvironment(env: NodeJS.ProcessEnv = process.env): TerminalEnvironment {
  const force = env.FORCE_COLOR;
  return {
    noColor: Boolean(env.NO_COLOR),
    forceColor: force === undefined ? null : force !== '0' && force !== 'false',
    isDumbTerminal: env.TERM === 'dumb',
  };
}

/** Whether stdin and stdout are a terminal that can be redrawn. */
export function canDraw(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && !readTerminalEnvironment().isDumbTerminal;
}

/** How to open a web page. */
export interface BrowserEnvironment {
  /** `BROWSER`: a program and its arguments; null for the default browser. */
  readonly command: string | null;
  /** Whether there is a desktop that a browser could appear on. */
  readonly hasDisplay: boolean;
}

export function readBrowserEnvironment(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): BrowserEnvironment {
  const isDesktop = platform === 'darwin' || platform === 'win32';
  return {
    command: env.BROWSER?.trim() || null,
    hasDisplay: isDesktop || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME),
  };
}
