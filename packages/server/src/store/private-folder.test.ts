import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from '../config.ts';
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

  test('is made for its owner alone, with the folders above it that are missing', async () => {
    expect(await makePrivateFolder(path.join(dir, 'below'))).toBe(false);
    expect([await mode(), await mode(path.join(dir, 'below'))]).toEqual([0o700, 0o700]);
  });

  test.each([0o755, 0o770, 0o777, 0o701])(
    'that others can enter (mode %o) is closed, and that is told',
    async (open) => {
      await mkdir(dir);
      await writeFile(path.join(dir, 'file'), '', { mode: 0o666 });
      await chmod(dir, open);
      expect(await findFolderProblem(dir)).toMatchObject({ kind: 'open', fix: `chmod 700 '${dir}'` });
      expect(await makePrivateFolder(dir)).toBe(true);
      expect(await mode()).toBe(0o700);
      expect(await makePrivateFolder(dir)).toBe(false);
    },
  );

  test.each([
    ['refuses', () => Promise.reject(new Error('EPERM'))],
    ['ignores', async () => {}],
  ])('that stays open, because its file system %s modes, is refused with the command', async (_, changeMode) => {
    await mkdir(dir);
    await chmod(dir, 0o755);
    const refused = makePrivateFolder(dir, changeMode);
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(/data can be entered by other users \(mode 0755\)\. chmod 700 /);
  });

  // Only root may give folders away.
  test.runIf(process.geteuid?.() === 0)('of another user is refused, and left as it is', async () => {
    await mkdir(dir);
    await chmod(dir, 0o755);
    await chown(dir, 12_345, 12_345);
    const refused = makePrivateFolder(dir);
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(/belongs to user 12345 .*chown -R 0 '.*--data-dir '.*data\/svc'$/);
    expect(await mode()).toBe(0o755);
  });
});
