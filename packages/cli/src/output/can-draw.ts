import { readEnvironment } from '../lib/environment.ts';

/** Whether a person watches and can answer: what redraws itself is for them alone. Loads nothing. */
export function canDraw(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && !readEnvironment().isDumbTerminal;
}
