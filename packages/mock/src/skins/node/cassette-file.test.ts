import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openCassetteFile } from './cassette-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc cassette '));
  path = join(folder, 'cassette.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a write that fails', () => {
  /** Opens a file whose folder exists only from the second write on. */
  const openTooEarly = () => {
    let writes = 0;
    path = join(folder, 'later', 'cassette.json');
    return openCassetteFile(path, () => {
      writes += 1;
      if (writes > 1) mkdirSync(join(folder, 'later'), { recursive: true });
      return 'whole';
    });
  };

  test('is made good at the end', async () => {
    const file = openTooEarly();
    file.save();
    await file.close();
    expect(readFileSync(path, 'utf8')).toBe('whole');
  });

  test('is forgotten when a later one succeeds', async () => {
    const file = openTooEarly();
    const saved = () => {
      file.save();
      return existsSync(path);
    };
    await expect.poll(saved).toBe(true);
    await file.close();
    expect(readdirSync(join(folder, 'later'))).toEqual(['cassette.json']);
  });
});

test('what another recorder has written is not replaced', async () => {
  const [first, second] = ['first', 'second'].map((text) => openCassetteFile(path, () => text));
  first?.save();
  await first?.close();
  second?.save();
  await expect(second?.close()).rejects.toThrow(`${path} has been changed by another program`);
  expect(readFileSync(path, 'utf8')).toBe('first');

  const third = openCassetteFile(path, () => 'third');
  third.save();
  await third.close();
  first?.save();
  await expect(first?.close()).rejects.toThrow('Give each recorder a file of its own.');
  expect(readFileSync(path, 'utf8')).toBe('third');
});
