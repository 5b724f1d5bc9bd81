import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { ReaderGoneError } from '../../errors/write-error.ts';
import { isSpecialFile, openSpecialFile } from './special-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc special '));
});

test('a full disk is an error', async () => {
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

describe('a named pipe', () => {
  let pipe: string;
  beforeEach(() => {
    pipe = join(folder, 'pipe');
    execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
  });

  /** Opens the pipe for reading, like `cat pipe`. */
  const read = () => createReadStream(pipe, 'utf8');

  async function openWhenRead() {
    for (;;) {
      const sink = await openSpecialFile(pipe).catch(() => null);
      if (sink !== null) return sink;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  test('a pipe without a reader fails at once', async () => {
    await expect(openSpecialFile(pipe)).rejects.toMatchObject({
      message: `Cannot write to ${pipe}: no process reads from it`,
      exitCode: 2,
    });
  });

  test('a pipe takes more data than its buffer, in order', async () => {
    const reader = read();
    let text = '';
    reader.on('data', (chunk) => {
      text += chunk;
    });
    const done = once(reader, 'end');
    const sink = await openWhenRead();
    const pages = Array.from({ length: 20 }, (_unused, page) => `${page}`.repeat(30_000));
    for (const page of pages) await sink.write(page);
    await sink.write('');
    await sink.commit();
    await done;
    expect(text).toBe(pages.join(''));
  });

  test('a pipe that its reader has closed throws ReaderGoneError', async () => {
    const reader = read();
    const sink = await openWhenRead();
    const closed = once(reader, 'close');
    reader.destroy();
    await closed;
    await expect(sink.write('x')).rejects.toThrow(ReaderGoneError);
    await sink.discard();
  });

  test('a pipe whose reader reads nothing can be discarded', async () => {
    const reader = read();
    const sink = await openWhenRead();
    const writing = sink.write('x'.repeat(1_000_000)).catch(() => 'given up');
    await sink.discard();
    expect(await writing).toBe('given up');
    reader.destroy();
  });
});
