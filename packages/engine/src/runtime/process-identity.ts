/** Which process this is, so that another one of the same machine can tell for sure that it has ended. */
import { readFileSync, readlinkSync } from 'node:fs';

export interface ProcessIdentity {
  /** The boot of the machine and the namespace of the pids: containers of one machine may have equal pids. */
  machine: string;
  pid: number;
  /** When it began, in ticks since the boot: pids are used again. */
  started: string;
}

/** Returns null where it cannot be known: not on Linux, or without `/proc`. */
export function identifyProcess(pid: number = process.pid): ProcessIdentity | null {
  const machine = readMachine();
  const stat = readStat(pid);
  return machine === null || stat === null ? null : { machine, pid, started: stat.started };
}

/** Returns whether a process has surely ended; false when that cannot be seen from here. */
export function hasEnded({ machine, pid, started }: ProcessIdentity): boolean {
  if (machine !== readMachine()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
  // The pid may belong to another process now, or to a killed one that nobody has waited for.
  const stat = readStat(pid);
  return stat !== null && (stat.started !== started || stat.state === 'Z' || stat.state === 'X');
}

function readMachine(): string | null {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}

/** Returns null for a process that does not exist or is hidden. */
function readStat(pid: number): { state: string; started: string } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may contain anything; what follows are fields 3 and later.
    const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const started = fields[18];
    return state === undefined || started === undefined ? null : { state, started };
  } catch {
    return null;
  }
}
