import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findCommand } from './find-command.ts';

let root: string;
let folder: URL;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'svc commands '));
  for (const file of [
    'outside.js',
    'commands/status.js',
    'commands/syncs/list.js',
    'commands/metrics.js',
    'commands/metrics/days.js',
  ]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  folder = pathToFileURL(join(root, 'commands/'));
});
afterAll(() => rmSync(root, { recursive: true }));

const find = (line: string) => {
  const found = findCommand(line === '' ? [] : line.split(' '), folder);
  return found === null ? null : `${found.id} | ${found.argv.join(' ')}`;
};

test.each([
  ['status', 'status | '],
  ['status --json', 'status | --json'],
  ['syncs list --limit 5', 'syncs:list | --limit 5'],
  // The parser reports surplus words.
  ['status twice', 'status | twice'],
  ['syncs list 12 -- --help', 'syncs:list | 12 -- --help'],
  ['syncs --json list', 'syncs:list | --json'],
  ['syncs --profile list --jq=.[0] list --limit 5', 'syncs:list | --profile list --jq=.[0] --limit 5'],
  ['status --profile syncs list', 'status | --profile syncs list'],
  ['metrics --json 7 days', 'metrics | --json 7 days'],
  // The longer name wins.
  ['metrics days', 'metrics:days | '],
  ['metrics 7', 'metrics | 7'],
])('%s', (line, expected) => {
  expect(find(line)).toBe(expected);
});

test.each([
  [''],
  ['syncs'],
  ['syncs nothing'],
  ['nothing'],
  ['--json status'],
  ['syncs:list'],
  ['Status'],
  ['../outside'],
  ['..'],
  ['status --help'],
  ['syncs list --json --help'],
  ['syncs --limit 5 list'],
])('%s is left to oclif', (line) => {
  expect(find(line)).toBe(null);
});
