import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRowEncoder } from '../../format/row-encoder.ts';
import { openExportFiles } from './files.ts';
import { chooseTarget } from './target.ts';
import { findCheckpoint, lockOutput } from './interrupted.ts';

const SOUGHT = { command: 'svc syncs export', name: 'syncs export', rowsName: 'syncs' };
/** Files that a process may leave if it is killed before its first checkpoint. */
const LEFT = ['rows.csv.svc-partial', 'rows-2026-01-14.csv.svc-partial', 'rows-2026-01-14.csv.svc-parquet'];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc export '));
});
afterEach(() => rm(folder, { recursive: true }));

const flags = () => ({
  json: false,
  output: join(folder, 'rows.csv'),
  resume: true,
  restart: false,
  timeout: 30,
  'max-retries': 3,
});

async function begin() {
  const head = { command: 'syncs export', origin: { baseUrl: '', accountId: 1, connectionId: null }, asked: {} };
  return openExportFiles<{ id: number }>({
    target: await chooseTarget(flags()),
    columns: ['id'],
    head: { ...head, range: { from: '2026-01-01T00:00:00.000Z', to: '2026-01-15T00:00:00.000Z' } },
    from: null,
    keyOf: () => null,
    createEncoder: (format, rowsBefore) => createRowEncoder(format, null, ['id'], rowsBefore),
  });
}

test('deletes partial files only when an export begins', async () => {
  for (const name of LEFT) await writeFile(join(folder, name), 'id\n7\n');
  await writeFile(join(folder, 'rows-of-mine.csv.svc-partial'), '');
  expect(await findCheckpoint(flags(), SOUGHT)).toBeNull();
  expect((await readdir(folder)).sort()).toEqual([...LEFT, 'rows-of-mine.csv.svc-partial'].sort());

  const sink = await begin();
  expect((await readdir(folder)).sort()).toEqual([
    'rows-of-mine.csv.svc-partial',
    'rows.csv.svc-export.json',
    'rows.csv.svc-partial',
  ]);
  await sink.writePage([{ id: 1 }], null);
  await sink.finish();
  expect((await readdir(folder)).sort()).toEqual(['rows-of-mine.csv.svc-partial', 'rows.csv']);
});

test('of two exports that start at once, the second fails and does not disturb the first', async () => {
  await lockOutput(flags(), async () => {
    await expect(lockOutput(flags(), begin)).rejects.toMatchObject({ code: 'busy', exitCode: 6 });
    const first = await begin();
    await first.writePage([{ id: 1 }], null);
    await first.finish();
  });
  expect(await readdir(folder)).toEqual(['rows.csv']);
});
