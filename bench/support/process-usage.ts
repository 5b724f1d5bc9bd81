import { readdirSync, readFileSync } from 'node:fs';

/** CPU time of processes, from `/proc`; Linux only. */

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
