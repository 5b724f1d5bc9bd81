/** Which copies of earlier backups the next one removes, and which refuse it. */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anyBackend } from '@svc/engine/test/backends';
import { identifyProcess } from '@svc/engine/runtime/process-identity';
import { openPglite } from '@svc/engine/store/database/pglite';
import { performAdmin } from '@svc/operations/perform';
import { type Administration, openAdministration } from '../support/admin-harness.ts';

let dir: string;
let admin: Administration;
beforeAll(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'svc copies '));
  admin = await openAdministration({ ...anyBackend, open: () => openPglite(dir) });
});
afterAll(async () => {
  await admin.close();
  await rm(dir, { recursive: true });
});

const reader = process.ppid;
const perform = (name: 'backup/copy' | 'backup/finish', input: object) =>
  performAdmin({ ...admin.ctx, dataDir: dir }, name, input, 'a test');
const copies = async () => (await readdir(dir)).filter((name) => name.startsWith('backup-copy'));

test('that of a running process refuses the next backup, which leaves it alone', async () => {
  await perform('backup/copy', { pid: reader });
  const [copy] = await copies();
  await expect(perform('backup/copy', { pid: process.pid })).rejects.toThrow(
    `Process ${reader} is making a backup of ${dir}.`,
  );
  expect(await copies()).toEqual([copy]);
  await perform('backup/finish', { pid: reader, isWritten: true });
  expect(await copies()).toEqual([]);
});

test.runIf(identifyProcess() !== null)(
  'that of a killed process is removed, although another process has its pid',
  async () => {
    await mkdir(path.join(dir, `backup-copy-${reader}-1`));
    await perform('backup/copy', { pid: process.pid });
    expect(await copies()).toEqual([`backup-copy-${process.pid}-${identifyProcess()?.started}`]);
    await perform('backup/finish', { pid: process.pid, isWritten: false });
  },
);

test('that of a process that has ended is removed, also if only its pid is known', async () => {
  await mkdir(path.join(dir, `backup-copy-${2 ** 22 + 1}`));
  await perform('backup/copy', { pid: process.pid });
  await perform('backup/finish', { pid: process.pid, isWritten: false });
  expect(await copies()).toEqual([]);
});
