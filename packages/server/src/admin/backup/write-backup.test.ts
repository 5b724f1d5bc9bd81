import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import type { Encrypter } from 'age-encryption';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '@svc/engine/config/config';
import { writeBackup } from './write-backup.ts';

const manifest = {
  ...{ release: '1.2.3', schema: 5, createdAt: '2026-11-23T10:00:00.000Z', host: 'laptop', dataDir: '/data' },
  ...{ waitingJobs: 0, hasKey: false },
};
const KILLED = 'backup.svc.part-3c8f1c1e-58c5-4f4b-9b47-0d6a3f0a2c11';

let folder = '';
let data = '';
let file = '';
/** Answers `backup/copy` as a server does, which makes one copy at a time. */
let server: ReturnType<typeof createServer>;
let isAskedAgain = Promise.withResolvers<void>();
let mayRefuse = Promise.withResolvers<void>();

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'svc-backup-'));
  [data, file] = [path.join(folder, 'data'), path.join(folder, 'backup.svc')];
  const copy = path.join(data, 'backup-copy-1');
  await mkdir(path.join(copy, 'pglite'), { recursive: true });
  await writeFile(path.join(copy, 'pglite', 'PG_VERSION'), '18\n');
  [isAskedAgain, mayRefuse] = [Promise.withResolvers(), Promise.withResolvers()];
  let isBusy = false;
  const answer = async (operation: string) => {
    const wasBusy = isBusy;
    isBusy = operation === 'backup/copy';
    if (!isBusy) return { result: {} };
    if (!wasBusy) return { result: { folder: copy, manifest } };
    isAskedAgain.resolve();
    await mayRefuse.promise;
    return { error: { code: 'conflict', message: 'Process 1 is making a backup.' } };
  };
  server = createServer((request, response) => {
    request.resume();
    void answer((request.url ?? '').slice('/admin/'.length)).then((body) => response.end(JSON.stringify(body)));
  });
  await new Promise<void>((resolve) => server.listen(path.join(data, 'admin.sock'), resolve));
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

/** @param encrypts the backup ends after it */
function begin(encrypts: Promise<void>) {
  // Encrypts nothing, and lets the first bytes through at once, so that the draft is open.
  const waits = new TransformStream({ flush: () => encrypts });
  const encrypter = { encrypt: async (stream: ReadableStream) => stream.pipeThrough(waits) } as unknown as Encrypter;
  return writeBackup(readConfig({ SVC_DATA_DIR: data }), file, { encrypter, signal: new AbortController().signal });
}

const drafts = async () => (await readdir(folder)).filter((name) => name.startsWith('backup.svc.part'));

test.each(['before', 'after'])(
  'a backup that is refused %s another one of this file ends leaves that one alone',
  async (when) => {
    await writeFile(file, 'of yesterday');
    const mayEnd = Promise.withResolvers<void>();
    const first = begin(mayEnd.promise);
    const sizes = async () =>
      (await Promise.all((await drafts()).map((name) => stat(path.join(folder, name))))).map(({ size }) => size);
    await expect.poll(sizes).toEqual([expect.toSatisfy((size: number) => size > 0)]);
    const second = begin(Promise.resolve()).catch(String);
    await isAskedAgain.promise;
    if (when === 'before') {
      mayRefuse.resolve();
      await second;
    }
    mayEnd.resolve();
    expect(await first).toEqual(manifest);
    mayRefuse.resolve();
    expect(await second).toContain('Process 1 is making a backup.');
    expect(zstdDecompressSync(await readFile(file)).toString()).toContain('PG_VERSION');
    expect(await drafts()).toEqual([]);
  },
);

test('what a killed backup has left is removed by the next one that is not refused', async () => {
  const similar = ['backup.svc.part-2', `other-${KILLED}`];
  for (const name of [KILLED, ...similar]) await writeFile(path.join(folder, name), '');
  const mayEnd = Promise.withResolvers<void>();
  const running = begin(mayEnd.promise);
  await expect.poll(drafts).not.toContain(KILLED);
  await writeFile(path.join(folder, KILLED), '');
  mayRefuse.resolve();
  await expect(begin(Promise.resolve())).rejects.toThrow('Process 1 is making a backup.');
  expect(await drafts()).toContain(KILLED);
  mayEnd.resolve();
  await running;
  expect(await readdir(folder)).toEqual(expect.arrayContaining(similar));
});
