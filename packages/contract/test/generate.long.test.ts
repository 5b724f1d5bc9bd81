/** The generated files are up to date, and `--check` detects stale ones. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openapiJson, openapiYaml } from '../src/generated/document.ts';

const packageDir = join(import.meta.dirname, '..');

test('the served document is the contract, byte for byte, and its JSON form is the same content', () => {
  expect(openapiYaml).toBe(readFileSync(join(packageDir, 'openapi.yaml'), 'utf8'));
  expect(JSON.parse(openapiJson)).toEqual(parse(openapiYaml));
  expect(parse(openapiYaml, { version: '1.1' })).toEqual(parse(openapiYaml, { version: '1.2' }));
});

// Each run starts Node and the generator anew.
describe('scripts/generate.ts', { timeout: 600_000 }, () => {
  let copy: string;

  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'svc contract '));
    for (const name of ['scripts', 'src', 'openapi.yaml', 'package.json']) {
      cpSync(join(packageDir, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(packageDir, 'node_modules'), join(copy, 'node_modules'), 'dir');
  });
  afterEach(() => {
    rmSync(copy, { recursive: true });
  });

  function generate(...args: string[]): { status: number | null; stderr: string } {
    return spawnSync(process.execPath, [join(copy, 'scripts', 'generate.ts'), ...args], {
      cwd: copy,
      encoding: 'utf8',
    });
  }

  test('--check passes on fresh files, names each stale or missing one, and writes nothing', () => {
    expect(generate('--check')).toMatchObject({ status: 0, stderr: '' });

    const types = join(copy, 'src', 'generated', 'openapi.ts');
    appendFileSync(types, '// edited by hand\n');
    const edited = generate('--check');
    expect(edited.status).toBe(1);
    expect(edited.stderr).toContain(join('src', 'generated', 'openapi.ts'));
    expect(edited.stderr).not.toContain('document.ts');
    expect(readFileSync(types, 'utf8')).toContain('// edited by hand');

    rmSync(join(copy, 'src', 'generated'), { recursive: true });
    expect(generate('--check').stderr).toMatch(/openapi\.ts[^]*document\.ts[^]*answers\.ts/);
  });

  test('writes the same bytes again, and different ones after a change of the contract', () => {
    const read = (name: string): string => readFileSync(join(copy, 'src', 'generated', name), 'utf8');
    const before = [read('openapi.ts'), read('document.ts'), read('answers.ts')];
    rmSync(join(copy, 'src', 'generated'), { recursive: true });
    expect(generate().status).toBe(0);
    expect([read('openapi.ts'), read('document.ts'), read('answers.ts')]).toEqual(before);

    const yaml = join(copy, 'openapi.yaml');
    writeFileSync(yaml, readFileSync(yaml, 'utf8').replace('CREATED, FETCHING', 'CREATED, LOADING, FETCHING'));
    expect(generate('--check').status).toBe(1);
    expect(generate().status).toBe(0);
    expect(read('openapi.ts')).toContain('"LOADING"');
  });
});
