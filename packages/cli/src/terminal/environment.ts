/** What the environment says about the terminal. */
export interface TerminalEnvironment {
  readonly noColor: boolean;
  /** `FORCE_COLOR`: true or false where it decides, null where it is not set. */
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

/** Whether a person watches and can answer: only they get output that redraws itself. */
export function canDraw(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && !readTerminalEnvironment().isDumbTerminal;
}
