import { readdirSync, readFileSync } from 'node:fs';

/** CPU time and memory of processes, from `/proc`; Linux only. */

const TICKS_PER_SECOND = 100;

/** Returns whether this machine can tell the usage of other processes. */
export const canReadUsage = process.platform === 'linux';

/** Returns the CPU seconds of a process, without its children. */
export function cpuSeconds(pid: number): number {
  return statOf(pid).ownTicks / TICKS_PER_SECOND;
}

/** Returns the CPU seconds of all processes of a PostgreSQL server, ended ones included; `pid` is that of the first one. */
export function postgresCpuSeconds(pid: number): number {
  const own = statOf(pid);
  return (own.ownTicks + own.childTicks + runningChildTicks(pid)) / TICKS_PER_SECOND;
}

/**
 * Returns the megabytes that processes and all their descendants have in memory. A page that several processes share is
 * divided among them, so PostgreSQL's buffers count once.
 */
export function treeMegabytes(roots: readonly number[]): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      parents.set(Number(name), statOf(Number(name)).parent);
    } catch {
      // The process has just ended.
    }
  }
  const isIn = (pid: number | undefined): boolean =>
    pid !== undefined && (roots.includes(pid) || isIn(parents.get(pid)));
  let kilobytes = 0;
  for (const pid of parents.keys()) {
    if (!isIn(pid)) continue;
    try {
      const [, pss] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
      kilobytes += Number(pss);
    } catch {
      // It has just ended, such as a worker of PostgreSQL's autovacuum.
    }
  }
  return kilobytes / 1_024;
}

function runningChildTicks(parent: number): number {
  let sum = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = statOf(Number(name));
      if (stat.parent === parent) sum += stat.ownTicks;
    } catch {
      // The process has just ended, so it counts as an ended one.
    }
  }
  return sum;
}

function statOf(pid: number): { parent: number; ownTicks: number; childTicks: number } {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in parentheses, may contain spaces.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, parent = 0] = fields;
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
  return { parent, ownTicks: user + system, childTicks: childUser + childSystem };
}
