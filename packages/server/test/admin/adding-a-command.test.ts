/** Follows the guide "An administrative command" of CONTRIBUTING with an operation that only tests have. */
import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { anyBackend } from '@svc/engine/test/backends';
import { NOUNS } from '@svc/operations/declared/index';
import { collectOperations } from '@svc/operations/perform';
import { listAudit } from '@svc/operations/implemented/audit';
import { Command } from 'commander';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { commandRows } from '../../scripts/command-rows.ts';
import { defineAdminCommands } from '../../src/admin/cli/index.ts';
import { callAdminSocket } from '../../src/admin/socket/socket-client.ts';
import { listenForAdmin } from '../../src/admin/socket/socket-server.ts';
import { openAdministration } from '../support/admin-harness.ts';
import * as toyOperation from '../support/toy-operation.ts';

const { toys } = toyOperation;

test('an operation that is declared has a command with its flags', () => {
  const program = new Command();
  defineAdminCommands(program, [...NOUNS, toys]);
  const wind = program.commands.find((each) => each.name() === 'toys')?.commands[0];
  expect(wind?.helpInformation()).toContain('wind a toy up');
  expect(wind?.options.map(({ flags, mandatory }) => [flags, mandatory])).toContainEqual(['--turns <number>', true]);
});

test('it has a row in the documentation', () => {
  expect(commandRows([toys])).toEqual([
    '| `toys wind ID --turns <number>` | wind a toy up. It stays wound | `{turns}` |',
  ]);
});

test('it can be called through the socket, and leaves an audit entry without secrets', async () => {
  const admin = await openAdministration(anyBackend);
  onTestFinished(() => admin.close());
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'svc-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const operations = collectOperations(toys.operations, [toyOperation]);
  const socket = await listenForAdmin({ ctx: admin.ctx, dataDir, log: pino({ level: 'silent' }), operations });
  onTestFinished(() => socket.close());

  const address = path.join(dataDir, 'admin.sock');
  const input = { id: 3, turns: 2, key: 'brass' };
  expect(await callAdminSocket(address, 'toys/wind', input)).toEqual({ turns: 2 });
  await expect(callAdminSocket(address, 'toys/wind', { id: 3, turns: 10 })).rejects.toThrow('turns: ');
  const { entries } = await listAudit.run(admin.ctx, {});
  expect(entries).toMatchObject([
    { operation: 'toys/wind', actor: 'socket', input: null, outcome: 'invalid_input' },
    { operation: 'toys/wind', actor: 'socket', input: { id: 3, turns: 2 }, outcome: 'done' },
  ]);
  expect(JSON.stringify(entries)).not.toContain('brass');
});

test('what is missing is said with the file to edit', async () => {
  expect(() => collectOperations(toys.operations, [])).toThrow('packages/operations/src/implemented/toys.ts');
  const listed = new Set(NOUNS.flatMap((noun): readonly object[] => noun.operations));
  const folder = path.join(import.meta.dirname, '../../../operations/src/declared');
  for (const file of globSync('*.ts', { cwd: folder, exclude: ['*.test.ts'] })) {
    const exported = Object.values<unknown>(await import(path.join(folder, file)));
    const unlisted = exported.filter(isDeclaration).filter((each) => !listed.has(each));
    const names = unlisted.map(({ name }) => `list ${name} in the noun of packages/operations/src/declared/${file}`);
    expect(names).toEqual([]);
  }
});

function isDeclaration(value: unknown): value is { name: string } {
  return typeof value === 'object' && value !== null && 'permission' in value && 'name' in value;
}
