/** Command lines of policies that need no database. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { CommanderError } from 'commander';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { defineAdminCommands } from './index.ts';
import { StrictCommand } from './strict-command.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'svc-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function fileWith(text: string, name = 'policy.yaml'): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, text);
  return file;
}

/** Runs a command line. @returns what it printed */
async function run(...args: string[]): Promise<{ out: string; err: string }> {
  const printed = { out: '', err: '' };
  const capture = (stream: 'stdout' | 'stderr', to: 'out' | 'err') => {
    const spy = vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      printed[to] += String(text);
      return true;
    });
    onTestFinished(() => spy.mockRestore());
  };
  capture('stdout', 'out');
  capture('stderr', 'err');
  const program = new StrictCommand('svc-server').exitOverride();
  defineAdminCommands(program);
  await program.parseAsync(args, { from: 'user' });
  return printed;
}

test('check: reads YAML and JSON, without a server or a database', async () => {
  const valid = await run('sources', 'policy', 'check', await fileWith('create: never\n'));
  expect(valid).toEqual({ out: 'The write policy is valid.\n', err: '' });
  const json = await fileWith(
    '{"$schema": "write-policy.schema.json", "create": {"onCategory": ["Interested"]}}',
    'p.json',
  );
  const printed = await run('sources', 'policy', 'check', json, '--json');
  expect(JSON.parse(printed.out)).toEqual({ policy: { create: { onCategory: ['Interested'] } }, notices: [] });
});

test('check: says what is surely not meant, and still ends well', async () => {
  const file = await fileWith('events:\n  - when: {types: [EMAIL_OPENED]}\n    write: []\n');
  const { out, err } = await run('sources', 'policy', 'check', file);
  expect(out).toBe('The write policy is valid, but:\n');
  expect(err).toContain('did you mean EMAIL_OPEN?');
});

test.each([
  ['crate: never', 'policy.crate: is no key here: did you mean create?'],
  ['events:\n  - when: {mailboxes: [*@acme.example]}\n    write: []', 'A text that begins with * needs quotes.'],
  ['create: [', 'is neither JSON nor YAML: '],
  ['create: never\ncreate: always', 'Map keys must be unique at line 2'],
  ['', 'policy: must be an object with keys'],
])('check: %j is refused with the place', async (text, message) => {
  const file = await fileWith(text);
  await expect(run('sources', 'policy', 'check', file)).rejects.toThrow(message);
});

test('set: an empty file does not remove the policy, and a file together with --remove is refused', async () => {
  const empty = await fileWith('# nothing yet\n');
  await expect(run('sources', 'policy', 'set', '1', empty)).rejects.toThrow('The file has no policy: --remove removes');
  const both = run('sources', 'policy', 'set', '1', await fileWith('create: never'), '--remove');
  await expect(both).rejects.toBeInstanceOf(CommanderError);
  const missing = run('connections', 'policy', 'set', '1', path.join(folder, 'no-file.yaml'));
  await expect(missing).rejects.toThrow('The file cannot be read: ENOENT');
});
