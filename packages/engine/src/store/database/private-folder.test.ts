import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from '../../config/config.ts';
import { findFolderProblem, makePrivateFolder } from './private-folder.ts';

describe.skipIf(process.platform === 'win32')('the data directory', () => {
  let parent: string;
  let dir: string;
  beforeEach(async () => {
    parent = await mkdtemp(path.join(os.tmpdir(), 'svc private '));
    dir = path.join(parent, 'data');
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));
  const mode = async (folder = dir) => (await stat(folder)).mode & 0o777;

  test('is created for its owner only, with missing parent folders', async () => {
    expect(await makePrivateFolder(path.join(dir, 'below'))).toBe(false);
    expect([await mode(), await mode(path.join(dir, 'below'))]).toEqual([0o700, 0o700]);
  });

  test('is refused in one sentence when a file is in its place or in its path', async () => {
    await writeFile(dir, '');
    await expect(makePrivateFolder(dir)).rejects.toThrow(
      `The data directory ${dir} cannot be created: a file has this`,
    );
    await expect(makePrivateFolder(path.join(dir, 'x'))).rejects.toThrow('a part of the path is a file');
  });

  // Root may write anywhere.
  test.skipIf(process.getuid?.() === 0)('is refused in one sentence where the user may not create it', async () => {
    await mkdir(dir, { mode: 0o500 });
    await expect(makePrivateFolder(path.join(dir, 'x'))).rejects.toThrow('this user may not write there');
  });

  test.each([
    [0o755, ['encryption.key', 'server.log']],
    [0o701, ['pglite', 'pglite.complete']],
    [0o755, ['lost+found']],
    [0o755, []],
    [0o777, []],
  ])('that others can enter (mode %o, with %j) is closed and reported', async (open, names) => {
    await mkdir(dir);
    for (const name of names) await writeFile(path.join(dir, name), '', { mode: 0o666 });
    await chmod(dir, open);
    expect(await findFolderProblem(dir)).toMatchObject({ kind: 'open', fix: `chmod 700 '${dir}'` });
    expect(await makePrivateFolder(dir)).toBe(true);
    expect(await mode()).toBe(0o700);
    expect(await makePrivateFolder(dir)).toBe(false);
  });

  test.each([
    [0o777, ['encryption.key'], /they could write to it\. Check .* then chmod 700 /],
    [0o775, ['pglite.complete'], /they could write to it\. Check .* then chmod 700 /],
    [0o755, ['notes.txt'], /not svc-server's\. If only svc-server uses it: chmod 700 .*--data-dir '.*data\/svc'$/],
    [0o1777, [], /mode 1777\) and is shared with them \(sticky\)\. Name a subfolder .*--data-dir '.*data\/svc'$/],
  ])('that may be shared (mode %o, with %j) is refused and left unchanged', async (open, names, message) => {
    await mkdir(dir);
    for (const name of names) await writeFile(path.join(dir, name), '');
    await chmod(dir, open);
    expect(await findFolderProblem(dir)).toMatchObject({ kind: 'unsafe' });
    const refused = makePrivateFolder(dir);
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(message);
    expect((await stat(dir)).mode & 0o7777).toBe(open);
  });

  test('is refused and left open if a file is added before it is closed', async () => {
    await mkdir(dir);
    await chmod(dir, 0o777);
    const refused = makePrivateFolder(dir, async (folder, mode) => {
      await writeFile(path.join(dir, 'encryption.key'), '');
      await chmod(folder, mode);
    });
    await expect(refused).rejects.toThrow(/they could write to it/);
    expect(await mode()).toBe(0o777);
  });

  test.each([
    ['refuses', () => Promise.reject(new Error('EPERM'))],
    ['ignores', async () => {}],
  ])(
    'that stays open because its file system %s modes is refused, and the error names the command',
    async (_, changeMode) => {
      await mkdir(dir);
      await chmod(dir, 0o755);
      const refused = makePrivateFolder(dir, changeMode);
      await expect(refused).rejects.toThrow(ConfigError);
      await expect(refused).rejects.toThrow(/data can be entered by other users \(mode 0755\)\. chmod 700 /);
    },
  );

  // Only root may change the owner of files.
  test.runIf(process.geteuid?.() === 0)('with a file of another user is refused', async () => {
    await mkdir(dir);
    for (const name of ['encryption.key', 'pglite.complete']) await writeFile(path.join(dir, name), '');
    await chmod(dir, 0o755);
    await chown(path.join(dir, 'encryption.key'), 12_345, 12_345);
    await expect(makePrivateFolder(dir)).rejects.toThrow(/encryption\.key in it belongs to user 12345/);
    expect(await mode()).toBe(0o755);
  });

  // Only root may change the owner of folders.
  test.runIf(process.geteuid?.() === 0)('of another user is refused and left unchanged', async () => {
    await mkdir(dir);
    await chmod(dir, 0o755);
    await chown(dir, 12_345, 12_345);
    const refused = makePrivateFolder(dir);
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(/belongs to user 12345, .*chown -R 0 '.*--data-dir '.*data\/svc'$/);
    expect(await mode()).toBe(0o755);
  });
});
