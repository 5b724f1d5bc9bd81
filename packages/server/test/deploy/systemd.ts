/** Reads `deploy/systemd/`, and what it means on this machine. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEPLOY } from './compose.ts';
import { must } from './image.ts';

export const UNIT = join(DEPLOY, 'systemd', 'svc-server@.service');

/** The values of a setting, in order. */
export function settingsOf(name: string): string[] {
  const lines = readFileSync(UNIT, 'utf8').split('\n');
  return lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
}

/** The system calls that the unit allows, groups resolved. */
export async function allowedSystemCalls(): Promise<string[]> {
  const allowed = new Set<string>();
  for (const value of settingsOf('SystemCallFilter')) {
    const isDenied = value.startsWith('~');
    for (const name of value.replace('~', '').split(' ')) {
      for (const call of await expand(name)) {
        if (isDenied) allowed.delete(call);
        else allowed.add(call);
      }
    }
  }
  // systemd always allows them.
  return [...allowed, 'execve', 'exit', 'exit_group', 'getrlimit', 'rt_sigreturn', 'sigreturn'];
}

async function expand(name: string): Promise<string[]> {
  if (!name.startsWith('@')) return [name];
  const { stdout } = await must('systemd-analyze', ['syscall-filter', '--no-pager', name]);
  const members = stdout.split('\n').filter((line) => /^ {4}[@\w]/.test(line));
  return (await Promise.all(members.map((line) => expand(line.trim())))).flat();
}
