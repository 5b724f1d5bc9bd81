import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openPart, publishPart } from './part-file.ts';

/** Opens a partial file and publishes it on commit. */
async function openPartFile(path: string) {
  const createEncoder = () => ({
    begin: () => '',
    encode: (texts: readonly unknown[]) => texts.join(''),
    end: () => '',
  });
  const part = await openPart({ key: null, path, isPacked: false, from: null, createEncoder });
  return {
    write: (text: string) => part.write([text]),
    async commit() {
      await part.seal();
      await publishPart(path, part.state);
    },
  };
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc atomic '));
});

describe('openPart and publishPart', () => {
  test('the path shows either the old or the complete new file', async () => {
    const path = join(folder, 'rows.csv');
    writeFileSync(path, 'old');
    const sink = await openPartFile(path);
    await sink.write('new ');
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toHaveLength(2);
    await sink.write('rows');
    await sink.commit();
    expect(readFileSync(path, 'utf8')).toBe('new rows');
    expect(readdirSync(folder)).toEqual(['rows.csv']);
  });

  test('publishing again succeeds if the file was already moved', async () => {
    const path = join(folder, 'rows.csv');
    const sink = await openPartFile(path);
    await sink.write('rows');
    await sink.commit();
    const moved = { key: null, rows: 1, bytes: 4, crc: 0, size: 0, isSealed: true };
    await publishPart(path, moved);
    expect(readFileSync(path, 'utf8')).toBe('rows');
    await expect(publishPart(path, { ...moved, bytes: 5 })).rejects.toThrow('is missing or shorter than expected');
  });

  test('a link stays a link, and a file keeps its permissions', async () => {
    const target = join(folder, 'target.csv');
    writeFileSync(target, 'old');
    chmodSync(target, 0o640);
    const link = join(folder, 'link.csv');
    symlinkSync(target, link);
    const sink = await openPartFile(link);
    await sink.write('new');
    await sink.commit();
    expect(readFileSync(target, 'utf8')).toBe('new');
    expect(statSync(target).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder)).toEqual(['link.csv', 'target.csv']);
  });

  test.each([0o600, 0o664, 0o666, 0o777])('keeps mode %o with any umask', async (mode) => {
    const path = join(folder, 'rows.csv');
    writeFileSync(path, 'old');
    chmodSync(path, mode);
    const sink = await openPartFile(path);
    await sink.commit();
    expect(statSync(path).mode & 0o777).toBe(mode);
  });

  test('does not replace a write-protected file', async () => {
    const path = join(folder, 'rows.csv');
    writeFileSync(path, 'old');
    chmodSync(path, 0o444);
    await expect(openPartFile(path)).rejects.toThrow('permission denied');
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['rows.csv']);
  });

  test('creates the missing target of a link', async () => {
    mkdirSync(join(folder, 'data'));
    symlinkSync('data/second.csv', join(folder, 'first.csv'));
    symlinkSync('rows.csv', join(folder, 'data', 'second.csv'));
    const sink = await openPartFile(join(folder, 'first.csv'));
    await sink.write('new');
    await sink.commit();
    expect(readFileSync(join(folder, 'data', 'rows.csv'), 'utf8')).toBe('new');
    expect(lstatSync(join(folder, 'first.csv')).isSymbolicLink()).toBe(true);
    expect(lstatSync(join(folder, 'data', 'second.csv')).isSymbolicLink()).toBe(true);
  });

  test('a broken or circular link is an error', async () => {
    symlinkSync('none/rows.csv', join(folder, 'nowhere.csv'));
    symlinkSync('b.csv', join(folder, 'a.csv'));
    symlinkSync('a.csv', join(folder, 'b.csv'));
    await expect(openPartFile(join(folder, 'nowhere.csv'))).rejects.toThrow('the folder does not exist');
    await expect(openPartFile(join(folder, 'a.csv'))).rejects.toThrow('its links form a circle');
  });

  test('accepts names of the maximum length', async () => {
    const path = join(folder, `${'ü'.repeat(125)}.csv`);
    const sink = await openPartFile(path);
    await sink.commit();
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test.each([
    ['no such folder', 'none/rows.csv', /folder does not exist/],
    ['a folder', '.', /it is a folder/],
    ['a path that ends with /', 'new/', /it is a folder/],
    ['a file as a folder', 'file/rows.csv', /part of the path is not a folder/],
    ['a name that is too long', 'x'.repeat(300), /the name is too long/],
  ])('%s is an error', async (_name, name, message) => {
    writeFileSync(join(folder, 'file'), '');
    await expect(openPartFile(`${folder}/${name}`)).rejects.toThrow(message);
    await expect(openPartFile(`${folder}/${name}`)).rejects.toMatchObject({ exitCode: 2 });
  });
});
