import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { hasEnded, identifyProcess } from './process-identity.ts';

const own = identifyProcess();

describe.skipIf(own === null)('the identity of a process', () => {
  const self = own ?? expect.fail();

  test('a running process has not ended', () => {
    expect(hasEnded(self)).toBe(false);
  });

  test('a process that was killed has ended', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)']);
    const identity = identifyProcess(child.pid) ?? expect.fail();
    expect(hasEnded(identity)).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(hasEnded(identity)).toBe(true);
  });

  test('a process whose pid another one has now has ended', () => {
    expect(hasEnded({ ...self, started: '1' })).toBe(true);
  });

  test('nothing is known of processes of another machine, another boot or another container, whatever their pid', () => {
    expect(hasEnded({ ...self, machine: 'other', started: '1' })).toBe(false);
  });
});
