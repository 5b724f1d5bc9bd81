/** The bins beside a `dist` that only says where Node keeps compiled code: no build is needed, and all three are tried. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { root } from './processes.ts';

const bins = [
  ['cli', 'run.js', 'run.js'],
  ['mock', 'svc-mock.js', 'main.js'],
  ['server', 'svc-server.js', 'main.js'],
] as const;

let folder = '';
let home = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc compiled '));
  const compileCache = stripTypeScriptTypes(readFileSync(join(root, 'scripts', 'compile-cache.ts'), 'utf8'));
  for (const [name, bin, entry] of bins) {
    const write = (file: string, text: string) => {
      mkdirSync(dirname(join(folder, name, file)), { recursive: true });
      writeFileSync(join(folder, name, file), text);
    };
    write('package.json', '{ "type": "module" }');
    write('dist/compile-cache.js', compileCache);
    write(`dist/${entry}`, "console.log((await import('node:module')).getCompileCacheDir() ?? 'none');");
    mkdirSync(join(folder, name, 'bin'));
    copyFileSync(join(root, 'packages', name, 'bin', bin), join(folder, name, 'bin', bin));
  }
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  home = mkdtempSync(join(folder, 'home '));
});

/** Where Node keeps what it compiled; null where it keeps nothing. */
function whereKept(name: string, env: Record<string, string> = {}): string | null {
  const bin = bins.find(([it]) => it === name)?.[1] ?? '';
  const kept = execFileSync(process.execPath, [join(folder, name, 'bin', bin), 'status'], {
    env: { HOME: home, ...env },
    encoding: 'utf8',
  }).trim();
  // Node adds a folder that is named after its version.
  return kept === 'none' ? null : dirname(kept);
}

const caches = () => join(home, process.platform === 'darwin' ? 'Library/Caches' : '.cache');

describe.each(bins)('%s', (name) => {
  test('keeps compiled code in a folder of the user, and nothing below the temporary folder of all', () => {
    const temporary = mkdtempSync(join(folder, 'tmp '));
    expect(whereKept(name, { TMPDIR: temporary })).toBe(join(caches(), 'svc', 'compiled'));
    expect(statSync(join(caches(), 'svc', 'compiled')).mode & 0o777).toBe(0o700);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('keeps none in a folder that others can write to', () => {
    mkdirSync(join(caches(), 'svc', 'compiled'), { recursive: true });
    chmodSync(join(caches(), 'svc', 'compiled'), 0o777);
    expect(whereKept(name)).toBeNull();
  });
});

describe('nothing is kept', () => {
  const compiled = () => join(caches(), 'svc', 'compiled');
  beforeEach(() => mkdirSync(compiled(), { recursive: true, mode: 0o700 }));

  test('behind a link', () => {
    rmSync(compiled(), { recursive: true });
    mkdirSync(join(home, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(home, 'elsewhere'), compiled());
    expect(whereKept('server')).toBeNull();
  });

  test('below a folder in which others can put another in its place, unless that is sticky', () => {
    chmodSync(dirname(compiled()), 0o777);
    expect(whereKept('server')).toBeNull();
    chmodSync(dirname(compiled()), 0o1777);
    expect(basename(whereKept('server') ?? '')).toBe('compiled');
  });

  // Only root may give folders away.
  test.runIf(process.getuid?.() === 0)('in or below a folder of another user', () => {
    chownSync(compiled(), 12_345, 12_345);
    expect(whereKept('server')).toBeNull();
    chownSync(compiled(), 0, 0);
    chownSync(home, 12_345, 12_345);
    expect(whereKept('server')).toBeNull();
  });
});
