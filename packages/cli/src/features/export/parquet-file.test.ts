import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PartState } from './checkpoint.ts';
import { publishParquet, columnKind } from './parquet-file.ts';
import { deliverySchema, requestReceiptSchema, syncSchema } from '@svc/contract/schemas';

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'svc parquet ')), 'requests.parquet');
});

/** Writes rows to the partial file. */
function writePartial(rows: readonly object[]): PartState {
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  writeFileSync(`${path}.svc-partial`, text);
  return { key: null, rows: rows.length, bytes: Buffer.byteLength(text), crc: 0, size: 0, isSealed: true };
}
const publish = (part: PartState) =>
  publishParquet({ path, part, columns: ['id', 'path'], command: 'requests export' });

describe('publishParquet', () => {
  test('text may contain other line separators', async () => {
    const rows = ['a\u2028b', 'a\u2029b', 'a\u0085b', 'a\r\nb', 'å'.repeat(70_000)].map((text, id) => ({
      id,
      path: text,
    }));
    await publish(writePartial(rows));
    const read = await parquetReadObjects({ file: await asyncBufferFromFile(path) });
    expect(read).toEqual(rows.map(({ id, path: text }) => ({ id: BigInt(id), path: text })));
    expect(existsSync(`${path}.svc-partial`)).toBe(false);
  });

  test('does nothing if the file was already published', async () => {
    const part = writePartial([{ id: 1, path: '/' }]);
    await publish(part);
    await publish(part);
    expect(await parquetReadObjects({ file: await asyncBufferFromFile(path) })).toHaveLength(1);
  });

  test('a value of the wrong kind is an error', async () => {
    await expect(publish(writePartial([{ id: 'one', path: '/' }]))).rejects.toMatchObject({
      code: 'wrong_value',
      message: 'The service sent a value for id that is not integer',
    });
  });

  test('the file of an earlier export is not mistaken for it if the rows are lost', async () => {
    await publish(writePartial([{ id: 1, path: '/' }]));
    const lost = { key: null, rows: 2, bytes: 50, crc: 0, size: 0, isSealed: true };
    await expect(publish(lost)).rejects.toMatchObject({ code: 'partial_lost' });
    writeFileSync(path, 'no Parquet at all');
    await expect(publish(lost)).rejects.toMatchObject({ code: 'partial_lost' });
  });
});

interface Field {
  safeParse(value: unknown): { success: boolean };
}

/** Derives the kind from the values that the contract accepts. */
function kindOf(field: Field): string {
  const takes = (value: unknown) => field.safeParse(value).success;
  if (takes({ any: 'thing' })) return 'json';
  if (takes(200)) return 'integer';
  return takes('2026-01-31T08:00:00.000Z') && !takes('x') ? 'timestamp' : 'text';
}

test.each([
  ['syncs export', syncSchema],
  ['requests export', requestReceiptSchema],
  ['deliveries export', deliverySchema],
])('%s: the kinds match the contract', (command, schema) => {
  const fields: Readonly<Record<string, Field>> = schema.shape;
  expect(Object.keys(fields).length).toBeGreaterThan(4);
  for (const [name, field] of Object.entries(fields)) {
    expect([name, columnKind(command, name)]).toEqual([name, kindOf(field)]);
  }
});

test('the value of a field may be anything', () => {
  expect(columnKind('syncs export', 'error.code')).toBe('json');
});
