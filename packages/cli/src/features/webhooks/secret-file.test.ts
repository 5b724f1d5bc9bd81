import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSecretFile } from './secret-file.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-secret-'));
  file = join(folder, 'hook.secret');
});
afterEach(() => rmSync(folder, { recursive: true }));

test.each([false, true])(
  'of two commands that write a secret to one file, the second is refused (replaces: %s)',
  async (replaces) => {
    if (replaces) writeFileSync(file, 'old\n');
    const first = await openSecretFile(file, { replaces });
    await expect(openSecretFile(file, { replaces })).rejects.toMatchObject({
      code: 'busy',
      exitCode: 6,
      message: `Process ${process.pid} is writing a secret to ${file}`,
    });
    await first.write('whsec_1', 'oswhk_1');
    expect(readFileSync(file, 'utf8')).toBe('whsec_1\n');
    expect(readdirSync(folder)).toEqual(['hook.secret']);
  },
);

test('after a request that failed, the file can be used again', async () => {
  await (await openSecretFile(file, { replaces: false })).discard();
  expect(readdirSync(folder)).toEqual([]);
  await (await openSecretFile(file, { replaces: false })).write('whsec_1', 'oswhk_1');
  await expect(openSecretFile(file, { replaces: false })).rejects.toMatchObject({ exitCode: 2 });
  expect(readdirSync(folder)).toEqual(['hook.secret']);
});

test('a file that somebody creates meanwhile stays, and the secret is kept beside it', async () => {
  const secretFile = await openSecretFile(file, { replaces: false });
  writeFileSync(file, 'mine');
  const failure: unknown = await secretFile.write('whsec_1', 'oswhk_1').catch((error: unknown) => error);
  const [partial = '', ...others] = readdirSync(folder);
  expect(failure).toMatchObject({
    exitCode: 6,
    message: `${file} was created meanwhile and stays as it is. The secret of oswhk_1 is in ${join(folder, partial)}`,
  });
  expect(others).toEqual(['hook.secret']);
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(readFileSync(join(folder, partial), 'utf8')).toBe('whsec_1\n');
  expect(statSync(join(folder, partial)).mode & 0o777).toBe(0o600);
});
