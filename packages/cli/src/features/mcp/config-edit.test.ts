import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { replaceConfigText } from './config-edit.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-config-edit-'));
  file = join(folder, 'claude.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Saves the file as its program does, whenever the disk is written to. */
async function saveAtEachSync(text: string): Promise<void> {
  const handle = await open(join(folder, 'x'), 'w');
  await handle.close();
  rmSync(join(folder, 'x'));
  vi.spyOn(Object.getPrototypeOf(handle), 'sync').mockImplementation(() => {
    writeFileSync(join(folder, 'saved'), text);
    renameSync(join(folder, 'saved'), file);
  });
}

test.each(['{"history":[]}', null])('what a program saves meanwhile stays (before: %s)', async (before) => {
  if (before !== null) writeFileSync(file, before);
  await saveAtEachSync('{"history":["typed"]}');
  await expect(replaceConfigText(file, before, '{"mcpServers":{}}')).rejects.toMatchObject({
    code: 'file_changed',
    exitCode: 6,
    message: `${file} was changed meanwhile`,
  });
  expect(readFileSync(file, 'utf8')).toBe('{"history":["typed"]}');
  expect(readdirSync(folder)).toEqual(['claude.json']);
});

test('the old text is kept beside the new one', async () => {
  writeFileSync(file, 'old');
  expect(await replaceConfigText(file, 'old', 'new')).toBe(`${file}.svc-backup`);
  expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['new', 'old']);
});
