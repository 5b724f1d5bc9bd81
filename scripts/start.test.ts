import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './processes.ts';

describe('npm start --', () => {
  const start = (...args: string[]) =>
    spawnSync(process.execPath, [join(root, 'scripts', 'start.ts'), ...args], { encoding: 'utf8' });

  test('--help lists the options', () => {
    const { status, stdout } = start('--help');
    expect(status).toBe(0);
    for (const option of ['--once', '--port <number>', '--data-dir <dir>']) expect(stdout).toContain(option);
  });

  test.each([
    [['--onse'], 'Did you mean --once?'],
    [['--port', 'abc'], "argument 'abc' is invalid. It must be a port, 0 to 65535."],
    [['once'], 'too many arguments'],
  ])('%j is refused before anything is built', (args, text) => {
    const { status, stdout, stderr } = start(...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(text);
    expect(stderr).toContain('npm start -- --help');
  });
});
