/** What the generator writes depends on the contract alone. `scripts/setup.long.test.ts` proves that the set-up runs the generator in time. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { openapiJson, openapiYaml } from '../src/generated/document.ts';

const packageDir = join(import.meta.dirname, '..');
const names = ['openapi.ts', 'document.ts', 'answers.ts', 'fields.ts', 'values.ts'];

test('the served document is the contract, byte for byte, and its JSON form is the same content', () => {
  expect(openapiYaml).toBe(readFileSync(join(packageDir, 'openapi.yaml'), 'utf8'));
  expect(JSON.parse(openapiJson)).toEqual(parse(openapiYaml));
  expect(parse(openapiYaml, { version: '1.1' })).toEqual(parse(openapiYaml, { version: '1.2' }));
});

// Each run starts Node and the generator anew.
test('the generator writes the same bytes again, and others after a change', { timeout: 600_000 }, () => {
  const copy = mkdtempSync(join(tmpdir(), 'svc contract '));
  try {
    for (const name of ['scripts', 'openapi.yaml', 'package.json']) {
      cpSync(join(packageDir, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(packageDir, 'node_modules'), join(copy, 'node_modules'), 'dir');
    const generate = (): string[] => {
      execFileSync(process.execPath, [join(copy, 'scripts', 'generate.ts')], { stdio: 'pipe' });
      return names.map((name) => readFileSync(join(copy, 'src', 'generated', name), 'utf8'));
    };
    expect(generate()).toEqual(names.map((name) => readFileSync(join(packageDir, 'src', 'generated', name), 'utf8')));

    const yaml = join(copy, 'openapi.yaml');
    writeFileSync(yaml, readFileSync(yaml, 'utf8').replace('CREATED, FETCHING', 'CREATED, LOADING, FETCHING'));
    expect(generate()[0]).toContain('"LOADING"');
  } finally {
    rmSync(copy, { recursive: true });
  }
});
