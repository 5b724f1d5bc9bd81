import { chmodSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { isSpecialFile, openAtomicFile, openSpecialFile } from './atomic-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc atomic '));
});

describe('openAtomicFile', () => {
  test('the name shows the whole file or what was there before', async () => {
    const path = join(folder, 'rows.csv');
    writeFileSync(path, 'old');
    const sink = await openAtomicFile(path);
    await sink.write('new ');
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toHaveLength(2);
    await sink.write('rows');
    await sink.commit();
    expect(readFileSync(path, 'utf8')).toBe('new rows');
    expect(readdirSync(folder)).toEqual(['rows.csv']);
  });

  test('discarded: nothing is left', async () => {
    const sink = await openAtomicFile(join(folder, 'rows.csv'));
    await sink.write('x');
    await sink.discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a link stays a link, and a file keeps its permissions', async () => {
    const target = join(folder, 'target.csv');
    writeFileSync(target, 'old');
    chmodSync(target, 0o600);
    const link = join(folder, 'link.csv');
    symlinkSync(target, link);
    const sink = await openAtomicFile(link);
    await sink.write('new');
    await sink.commit();
    expect(readFileSync(target, 'utf8')).toBe('new');
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['link.csv', 'target.csv']);
  });

  test.each([
    ['no such folder', 'none/rows.csv', /folder does not exist/],
    ['a folder', '.', /it is a folder/],
  ])('%s is an error before anything is fetched', async (_name, name, message) => {
    await expect(openAtomicFile(join(folder, name))).rejects.toThrow(message);
    await expect(openAtomicFile(join(folder, name))).rejects.toMatchObject({ exitCode: 2 });
  });
});

test('a full disk is said to be full', async () => {
  const sink = await openSpecialFile('/dev/full');
  await expect(sink.write('x')).rejects.toMatchObject({
    code: 'ENOSPC',
    exitCode: 1,
    message: 'Cannot write to /dev/full: there is no space left on the device',
  });
  await sink.discard();
});

test('isSpecialFile', async () => {
  writeFileSync(join(folder, 'file'), '');
  expect(await isSpecialFile(join(folder, 'file'))).toBe(false);
  expect(await isSpecialFile(join(folder, 'new'))).toBe(false);
  expect(await isSpecialFile(folder)).toBe(false);
  expect(await isSpecialFile('/dev/null')).toBe(true);
});
