import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { root } from './processes.ts';

/** setup.mjs in a small repository of its own, with an `npx` that only pretends to install. */
let folder = '';

const successful = `mkdir -p node_modules/node/bin node_modules/.bin packages/one/node_modules
printf '#!/bin/sh\\nexit 0\\n' > node_modules/node/bin/node
chmod +x node_modules/node/bin/node
`;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc setup '));
  write('package.json', JSON.stringify({ devDependencies: { node: '24.0.0' } }));
  write('packages/one/package.json', JSON.stringify({ dependencies: { zod: '4.0.0' } }));
  write('pnpm-lock.yaml', 'lockfileVersion: 9');
  write('scripts/.keep', '');
  copyFileSync(join(root, 'scripts', 'setup.mjs'), join(folder, 'scripts', 'setup.mjs'));
  pretendNpx(successful);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(join(folder, file, '..'), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function pretendNpx(script: string): void {
  write('bin/npx', `#!/bin/sh\necho "$@" >> calls\n${script}`);
  chmodSync(join(folder, 'bin', 'npx'), 0o755);
}

function setup(): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'scripts', 'setup.mjs')], {
    cwd: '/',
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}` },
  });
  return { code: status, stdout, stderr };
}

const calls = () =>
  existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n').length : 0;

describe('installs', () => {
  test('once: quietly, frozen, with one line before and one after; then not again', () => {
    const first = setup();
    expect(first.code).toBe(0);
    expect(first.stdout).toBe('');
    expect(first.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^Installing dependencies with pnpm@/),
      expect.stringMatching(/^Dependencies installed in \d+ s\.$/),
    ]);
    expect(readFileSync(join(folder, 'calls'), 'utf8')).toMatch(/^-y pnpm@\S+ install --frozen-lockfile/);
    expect(setup()).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(calls()).toBe(1);
  });

  test.each(['package.json', 'packages/one/package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'])(
    'again when %s changes',
    (file) => {
      setup();
      write(file, file.endsWith('.json') ? JSON.stringify({ devDependencies: { node: '24.1.0' } }) : 'changed');
      expect(setup().code).toBe(0);
      expect(calls()).toBe(2);
    },
  );

  test.each(['node_modules', 'node_modules/node', 'packages/one/node_modules'])('again when %s was deleted', (path) => {
    setup();
    rmSync(join(folder, path), { recursive: true });
    setup();
    expect(calls()).toBe(2);
  });
});

describe('a failed installation', () => {
  test.each([
    ['npm error code EAI_AGAIN', 'registry could not be reached'],
    ['ERR_PNPM_ENOSPC ENOSPC: no space left on device', 'disk is full'],
    ['ERR_PNPM_OUTDATED_LOCKFILE', 'changed without the lockfile'],
    ['EACCES: permission denied', 'No permission'],
    ['something never seen', 'delete'],
  ])('shows what was said (%s), explains it, and is tried again', (said, explained) => {
    pretendNpx(`echo "${said}" >&2\nexit 1\n`);
    const result = setup();
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(said);
    expect(result.stderr).toContain(explained);
    pretendNpx(successful);
    expect(setup().code).toBe(0);
    expect(calls()).toBe(2);
  });

  test('that says it succeeded but left no Node is a failure', () => {
    pretendNpx('exit 0\n');
    expect(setup().code).toBe(1);
    expect(existsSync(join(folder, 'node_modules', '.svc-setup'))).toBe(false);
  });

  test('leaves no node in node_modules/.bin that cannot run, because npm would start it next', () => {
    pretendNpx('mkdir -p node_modules/.bin && touch node_modules/.bin/node\nexit 1\n');
    setup();
    expect(existsSync(join(folder, 'node_modules', '.bin', 'node'))).toBe(false);
  });
});
