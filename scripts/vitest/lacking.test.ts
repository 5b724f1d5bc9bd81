import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findProgram, hasProgram, LACKING_FILE, lackingLines, leaveOut } from './lacking.ts';

const lacking = { what: 'tmux', untested: 'screens', remedy: 'apt-get install tmux' };
const line = 'NOT TESTED: screens, because tmux is missing here. To test it: apt-get install tmux.';
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-lacking-'));
  file = join(folder, 'lacking');
  vi.stubEnv(LACKING_FILE, file);
  vi.stubEnv('CI', '');
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

test('what is left out is listed once, however many files say it', () => {
  leaveOut(lacking);
  leaveOut({ ...lacking, untested: 'a second thing' });
  leaveOut(lacking);
  expect(lackingLines(readFileSync(file, 'utf8'))).toEqual([line.replace('screens', 'a second thing'), line]);
});

test('in CI it is an error, unless CI may lack it', () => {
  vi.stubEnv('CI', 'true');
  expect(() => leaveOut(lacking)).toThrow(line);
  leaveOut(lacking, { mayLackInCi: true });
  expect(readFileSync(file, 'utf8')).toBe(`${line}\n`);
});

test('a program is found by name or path; a missing one is reported with its package', () => {
  expect(findProgram('sh')).toMatch(/\/sh$/);
  expect(hasProgram(process.execPath, 'nothing')).toBe(true);
  expect(hasProgram('svc-no-such-program', 'nothing', { install: 'no-such-package' })).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe(
    'NOT TESTED: nothing, because svc-no-such-program is missing here. To test it: apt-get install no-such-package.\n',
  );
});
