import type { Manifest } from '@svc/operations/declared/backup';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { zstdCompressSync } from 'node:zlib';
import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { packTar } from 'modern-tar';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readArchive, writeArchive } from './archive.ts';
import { verifyBackup } from './restore-backup.ts';

const manifest: Manifest = {
  ...{ release: '1.2.3', schema: 5, createdAt: '2026-11-23T10:00:00.000Z', host: 'laptop', dataDir: '/data' },
  ...{ waitingJobs: 7, hasKey: true },
};
/** More than one chunk of age, which are 64 KiB, and not compressible. */
const big = randomBytes(200_000);
let folder = '';
let file = '';
let encrypter: Encrypter;
let decrypter: Decrypter;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'svc-archive-'));
  await mkdir(path.join(folder, 'from', 'pglite', 'pg_notify'), { recursive: true });
  await writeFile(path.join(folder, 'from', 'encryption.key'), 'key\n');
  await writeFile(path.join(folder, 'from', 'pglite', 'PG_VERSION'), big);
  const identity = await generateIdentity();
  encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(identity));
  decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  file = path.join(folder, 'backup.svc');
  await writeArchive(file, {
    from: path.join(folder, 'from'),
    manifest,
    encrypter,
    signal: new AbortController().signal,
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function recorder() {
  const files = new Map<string, Buffer>();
  const folders: string[] = [];
  return {
    files,
    folders,
    manifest: () => {},
    folder: async (name: string) => void folders.push(name),
    file: async (name: string, body: Readable) => void files.set(name, Buffer.concat(await body.toArray())),
  };
}

/** A backup with any content, encrypted for the key of this test. */
async function craft(files: readonly (readonly [name: string, content: string])[]): Promise<string> {
  const entries = files.map(([name, body]) => ({ header: { name, size: Buffer.byteLength(body) }, body }));
  const crafted = path.join(folder, `crafted-${crypto.randomUUID()}`);
  await writeFile(crafted, await encrypter.encrypt(zstdCompressSync(await packTar(entries))));
  return crafted;
}

const own = (changes: object) => ['backup.json', JSON.stringify({ format: 1, ...manifest, ...changes })] as const;

test('what is read is what was written, empty folders included', async () => {
  const found = recorder();
  expect(await readArchive(file, decrypter, found)).toEqual(manifest);
  expect(found.folders).toEqual(['pglite', 'pglite/pg_notify']);
  expect([...found.files.keys()]).toEqual(['encryption.key', 'pglite/PG_VERSION']);
  expect(found.files.get('encryption.key')?.toString()).toBe('key\n');
  expect(found.files.get('pglite/PG_VERSION')?.equals(big)).toBe(true);
});

test('only its owner can read the file', async () => {
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('another identity and a damaged file cause different errors', async () => {
  const other = new Decrypter();
  other.addIdentity(await generateIdentity());
  await expect(readArchive(file, other, recorder())).rejects.toThrow(
    'cannot be opened with this passphrase or identity',
  );
});

describe('a damaged backup is refused', () => {
  test('truncated anywhere, at the borders of chunks too', async () => {
    const whole = await readFile(file);
    const chunk = 64 * 1024 + 16;
    const lengths = [whole.length - 1, whole.length - 16, whole.length - 17, whole.length - 70_000];
    const headerBytes = whole.indexOf('\n', whole.indexOf('\n---') + 1) + 1 + 16;
    const borders = [1, 2].map((chunks) => headerBytes + chunks * chunk);
    expect(whole.length).toBeGreaterThan(borders.at(-1) ?? 0);
    for (const length of [...lengths, ...borders, 300, 10, 0]) {
      const cut = path.join(folder, 'cut');
      await writeFile(cut, whole.subarray(0, length));
      await expect(readArchive(cut, decrypter, recorder())).rejects.toThrow(/damaged|not a backup/);
    }
  });

  test('with one changed bit', async () => {
    const whole = await readFile(file);
    for (const place of [250, 1_000, 100_000, whole.length - 1]) {
      const changed = path.join(folder, 'changed');
      await writeFile(changed, whole.with(place, (whole[place] ?? 0) ^ 1));
      await expect(readArchive(changed, decrypter, recorder())).rejects.toThrow(/damaged|not a backup/);
    }
  });
});

test.each(['../outside', '/etc/passwd', 'pglite/../../outside', 'pglite/./x', 'other', 'encryption.key/x'])(
  'a file named %s is refused',
  async (target) => {
    const crafted = await craft([own({}), [target, 'x']]);
    const found = recorder();
    await expect(readArchive(crafted, decrypter, found)).rejects.toThrow(/not a backup|damaged/);
    expect([...found.files.keys()]).toEqual([]);
  },
);

test('an archive of something else is refused', async () => {
  const crafted = await craft([['readme', 'x']]);
  await expect(readArchive(crafted, decrypter, recorder())).rejects.toThrow('not a backup of svc-server');
});

test('a backup of a later format or schema names the release that reads it', async () => {
  const later = await craft([own({ format: 2, release: '9.0.0' })]);
  await expect(readArchive(later, decrypter, recorder())).rejects.toThrow('newer release, 9.0.0');
  const newer = await craft([own({ schema: 9_999, release: '9.0.0' })]);
  await expect(verifyBackup(newer, decrypter)).rejects.toThrow('use release 9.0.0 or a newer one');
});
