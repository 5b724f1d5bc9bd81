import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkCommitSubjects, SUBJECT_LENGTH_MAX } from './commit-subjects.ts';

const SHORT = 'x'.repeat(SUBJECT_LENGTH_MAX);
const LONG = 'x'.repeat(SUBJECT_LENGTH_MAX + 1);
let folder: string;
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Kim', '-c', 'user.email=kim@example.com', ...args], {
    cwd: folder,
    stdio: 'pipe',
  });
const commit = (subject: string) => git('commit', '--quiet', '--allow-empty', '--message', `${subject}\n\n${LONG}`);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-subjects-'));
  git('init', '--quiet');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a subject has at most 72 characters; a body may have longer lines', async () => {
  commit(SHORT);
  expect(await checkCommitSubjects(folder)).toMatchObject({ ok: true, note: '1 commits' });
  commit(LONG);
  expect(await checkCommitSubjects(folder)).toMatchObject({ ok: false, output: expect.stringContaining(`${LONG}\n`) });
});

test('only commits since the last tag count', async () => {
  commit(LONG);
  git('tag', 'v1');
  expect(await checkCommitSubjects(folder)).toMatchObject({ ok: true, note: '0 commits' });
  commit(SHORT);
  expect(await checkCommitSubjects(folder)).toMatchObject({ ok: true, note: '1 commits' });
});

test('a shallow clone with a detached head is checked as far as it goes', async () => {
  commit(LONG);
  commit(SHORT);
  commit(LONG);
  const clone = join(folder, 'clone');
  git('clone', '--quiet', '--depth', '1', pathToFileURL(folder).href, clone);
  execFileSync('git', ['checkout', '--quiet', '--detach'], { cwd: clone });
  expect(await checkCommitSubjects(clone)).toMatchObject({ ok: false, note: '1 commits' });
});

test('a folder without a commit has nothing to check', async () => {
  expect(await checkCommitSubjects(folder)).toMatchObject({ ok: true, note: 'no repository' });
});
