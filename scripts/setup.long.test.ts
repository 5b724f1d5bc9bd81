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

/** setup.mjs in a small repository of its own, with an `npm` that brings a pnpm that only pretends to install. */
let folder = '';

const nodePackage = `node-${process.platform}-${process.arch}`;
const pinnedNode = `node_modules/${nodePackage}/bin/node`;
const successful = `mkdir -p node_modules/${nodePackage}/bin node_modules/.bin packages/one/node_modules
printf '#!/bin/sh\\nexec "${process.execPath}" "$@"\\n' > ${pinnedNode}
chmod +x ${pinnedNode}
`;
/** Writes one file, and a line for each run. */
const pretendedGenerator = (file: string) => `
const { appendFileSync, mkdirSync, writeFileSync } = process.getBuiltinModule('node:fs');
const folder: string = import.meta.dirname + '/..';
mkdirSync(folder + '/src/generated', { recursive: true });
writeFileSync(folder + '/src/generated/${file}', 'made');
appendFileSync(folder + '/../../generations', '${file}\\n');
`;
const lockfile = `lockfileVersion: 9

packages:

  pnpm@10.0.1:
    resolution: {integrity: sha512-ab+/==}
`;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc setup '));
  write('package.json', JSON.stringify({ optionalDependencies: { [nodePackage]: '24.0.0' } }));
  write('packages/one/package.json', JSON.stringify({ dependencies: { zod: '4.0.0' } }));
  write('pnpm-lock.yaml', lockfile);
  write('packages/contract/openapi.yaml', 'openapi: 3.1.0');
  write('packages/contract/scripts/generate.ts', pretendedGenerator('openapi.ts'));
  write('packages/mock/scripts/generate-row-types.ts', pretendedGenerator('row-types.ts'));
  write('packages/mock/src/state/world-data.ts', '');
  mkdirSync(join(folder, 'scripts'));
  for (const file of ['setup.mjs', 'generated-files.mjs']) {
    copyFileSync(join(root, 'scripts', file), join(folder, 'scripts', file));
  }
  pretendNpm('mkdir -p node_modules/pnpm/bin && cp ../../pretended-pnpm.cjs node_modules/pnpm/bin/pnpm.cjs');
  write(
    'pretended-pnpm.cjs',
    `process.exit(require('child_process').spawnSync('sh', ['pnpm.sh', ...process.argv.slice(2)], { stdio: 'inherit' }).status)`,
  );
  pretendPnpm(successful);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(join(folder, file, '..'), { recursive: true });
  writeFileSync(join(folder, file), text);
}

/** Runs in the folder that pnpm is installed in. */
function pretendNpm(script: string): void {
  write('bin/npm', `#!/bin/sh\necho "$@" >> ../../npm-calls\n${script}\n`);
  chmodSync(join(folder, 'bin', 'npm'), 0o755);
}

function pretendPnpm(script: string): void {
  write('pnpm.sh', `echo "$@" >> calls\n${script}`);
}

function setup(): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'scripts', 'setup.mjs')], {
    cwd: '/',
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}` },
  });
  return { code: status, stdout, stderr };
}

const read = (file: string) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : '');
const calls = (file = 'calls') => read(file).split('\n').length - 1;

describe('installs', () => {
  test('once: quietly, frozen, with one line before and one after; then not again', () => {
    const first = setup();
    expect(first.code).toBe(0);
    expect(first.stdout).toBe('');
    expect(first.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^Installing dependencies with pnpm@/),
      expect.stringMatching(/^Dependencies installed in \d+ s\.$/),
    ]);
    expect(read('calls')).toMatch(/^install --frozen-lockfile/);
    expect(setup()).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(calls()).toBe(1);
  });

  test.each(['package.json', 'packages/one/package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'])(
    'again when %s changes',
    (file) => {
      setup();
      write(file, file.endsWith('.json') ? JSON.stringify({ dependencies: { zod: '4.0.1' } }) : `${lockfile}changed`);
      expect(setup().code).toBe(0);
      expect(calls()).toBe(2);
    },
  );

  test.each(['node_modules', `node_modules/${nodePackage}`, 'packages/one/node_modules'])(
    'again when %s was deleted',
    (path) => {
      setup();
      rmSync(join(folder, path), { recursive: true });
      setup();
      expect(calls()).toBe(2);
    },
  );
});

describe('the generated files that git does not hold', () => {
  const types = 'packages/contract/src/generated/openapi.ts';
  const rows = 'packages/mock/src/generated/row-types.ts';
  const generations = () => read('generations').split('\n').slice(0, -1);

  test('are made with the first installation, by the Node that it installed, and not again', () => {
    expect(setup().code).toBe(0);
    expect([read(types), read(rows)]).toEqual(['made', 'made']);
    expect(setup()).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(generations()).toEqual(['openapi.ts', 'row-types.ts']);
  });

  test.each<[string, string[], () => void]>([
    [
      'the contract changes',
      ['openapi.ts', 'row-types.ts'],
      () => write('packages/contract/openapi.yaml', 'openapi: 3.1.1'),
    ],
    ['a part of a generator changes', ['openapi.ts'], () => write('packages/contract/scripts/render-types.ts', '')],
    ['one of them is edited', ['openapi.ts'], () => write(types, 'edited')],
    ['their folder is deleted', ['row-types.ts'], () => rmSync(join(folder, rows, '..'), { recursive: true })],
    ['a schema changes', ['row-types.ts'], () => write('packages/domain/src/world/schema.ts', '')],
  ])('are made again, without an installation, when %s', (_what, again, change) => {
    setup();
    write('generations', '');
    change();
    expect(setup().code).toBe(0);
    expect([read(types), read(rows), calls()]).toEqual(['made', 'made', 1]);
    expect(generations()).toEqual(again);
  });

  test.each([
    ['contract/scripts/generate.ts', 'packages/contract/src/generated', 'packages/contract/openapi.yaml', 'openapi.ts'],
    [
      'mock/scripts/generate-row-types.ts',
      'packages/mock/src/generated',
      'packages/mock/src/state/world-data.ts',
      'row-types.ts',
    ],
  ])('that cannot be made are a failure that shows why, and are tried again: %s', (script, made, from, file) => {
    write(`packages/${script}`, "throw new Error('line 7 is wrong')");
    const { code, stderr } = setup();
    expect(code).toBe(1);
    expect(stderr).toContain(`${made} could not be made from ${from}`);
    expect(stderr).toContain('line 7 is wrong');
    write(`packages/${script}`, pretendedGenerator(file));
    expect(setup().code).toBe(0);
  });
});

describe('pnpm itself', () => {
  test('is fetched by npm against the hash of the lockfile, once, and without its scripts', () => {
    setup();
    expect(JSON.parse(read('.cache/setup/package-lock.json')).packages['node_modules/pnpm']).toEqual({
      version: '10.0.1',
      integrity: 'sha512-ab+/==',
    });
    write('pnpm-workspace.yaml', 'changed');
    setup();
    expect(read('npm-calls')).toBe('ci --ignore-scripts\n');
    write('pnpm-lock.yaml', lockfile.replace('ab+', 'cd+'));
    setup();
    expect([calls('npm-calls'), calls()]).toEqual([2, 3]);
  });

  test('is not run when npm finds another hash', () => {
    pretendNpm('echo "npm error code EINTEGRITY" >&2\nexit 1');
    const { code, stderr } = setup();
    expect(code).toBe(1);
    expect(stderr).toContain('not the one that pnpm-lock.yaml pins');
    expect(calls()).toBe(0);
    expect(existsSync(join(folder, 'node_modules', '.svc-setup'))).toBe(false);
  });

  test('must be in the lockfile', () => {
    write('pnpm-lock.yaml', 'lockfileVersion: 9');
    expect(setup()).toMatchObject({ code: 1, stderr: expect.stringContaining('pins no pnpm') });
  });
});

test('every package of the lockfile has a hash and comes from whatever registry is configured', () => {
  const resolutions = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8').match(/^ {4}resolution: .*/gm) ?? [];
  expect(resolutions.length).toBeGreaterThan(500);
  expect(resolutions.filter((line) => !/^ {4}resolution: \{integrity: sha512-[\w+/]+={0,2}\}$/.test(line))).toEqual([]);
});

describe('a failed installation', () => {
  test.each([
    ['npm error code EAI_AGAIN', 'registry could not be reached'],
    ['ERR_PNPM_ENOSPC ENOSPC: no space left on device', 'disk is full'],
    ['ERR_PNPM_OUTDATED_LOCKFILE', 'changed without the lockfile'],
    ['EACCES: permission denied', 'No permission'],
    ['ERR_PNPM_TARBALL_INTEGRITY  Got unexpected checksum', 'not the one that pnpm-lock.yaml pins'],
    ['something never seen', 'delete'],
  ])('shows what was said (%s), explains it, and is tried again', (said, explained) => {
    pretendPnpm(`echo "${said}" >&2\nexit 1\n`);
    const result = setup();
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(said);
    expect(result.stderr).toContain(explained);
    pretendPnpm(successful);
    expect(setup().code).toBe(0);
    expect(calls()).toBe(2);
  });

  test('that says it succeeded but left no Node is a failure', () => {
    pretendPnpm('exit 0\n');
    expect(setup().code).toBe(1);
    expect(existsSync(join(folder, 'node_modules', '.svc-setup'))).toBe(false);
  });

  test('leaves no node in node_modules/.bin that cannot run, because npm would start it next', () => {
    pretendPnpm('mkdir -p node_modules/.bin && touch node_modules/.bin/node\nexit 1\n');
    setup();
    expect(existsSync(join(folder, 'node_modules', '.bin', 'node'))).toBe(false);
  });
});
