import { cp, mkdtemp, realpath, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findOrigin, settleDataDir } from './data-dir-home.ts';
import { makePrivateFolder } from './private-folder.ts';

describe('the home of a data directory', () => {
  let root: string;
  let data: string;
  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(os.tmpdir(), 'svc home ')));
    data = path.join(root, 'data');
    await makePrivateFolder(data);
  });
  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  test('a folder without a home, such as that of an earlier release, is no copy', async () => {
    expect(await findOrigin(data)).toBeNull();
    expect(await findOrigin(path.join(root, 'absent'))).toBeNull();
    await settleDataDir(data);
    expect(await findOrigin(data)).toBeNull();
  });

  test('a copy elsewhere names its origin until it is settled, also when the origin is gone', async () => {
    await settleDataDir(data);
    const copy = path.join(root, 'copy');
    await cp(data, copy, { recursive: true });
    expect(await findOrigin(copy)).toBe(data);
    expect(await findOrigin(data)).toBeNull();
    await rm(data, { recursive: true });
    expect(await findOrigin(copy)).toBe(data);
    await settleDataDir(copy);
    expect(await findOrigin(copy)).toBeNull();
  });

  test('a renamed folder is no copy', async () => {
    await settleDataDir(data);
    const renamed = path.join(root, 'renamed');
    await rename(data, renamed);
    expect(await findOrigin(renamed)).toBeNull();
  });

  test('a restore in the same place is no copy', async () => {
    await settleDataDir(data);
    const backup = path.join(root, 'backup');
    await cp(data, backup, { recursive: true });
    await rename(data, path.join(root, 'data.old'));
    await cp(backup, data, { recursive: true });
    expect(await findOrigin(data)).toBeNull();
  });
});
