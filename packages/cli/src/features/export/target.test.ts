import { describe, expect, test } from 'vitest';
import { EXPORT_FORMATS } from './flags.ts';
import { assertKnownExtension, chooseTarget, partKeyOf, partPath } from './target.ts';

const flags = { json: false, resume: false, restart: false };

describe('chooseTarget', () => {
  test.each([
    ['rows.csv', 'csv', false],
    ['rows.NDJSON', 'ndjson', false],
    ['rows.jsonl.GZ', 'ndjson', true],
    ['rows.json.gz', 'json', true],
    ['rows.parquet', 'parquet', false],
    ['rows', 'csv', false],
    ['rows.gz', 'csv', true],
    ['a.json/rows', 'csv', false],
  ])('%s is %s', async (output, format, isPacked) => {
    expect(await chooseTarget({ ...flags, output })).toMatchObject({ kind: 'file', format, isPacked });
  });

  test('--format overrides the extension', async () => {
    expect(await chooseTarget({ ...flags, output: 'rows.json', format: 'ndjson' })).toMatchObject({ format: 'ndjson' });
  });

  test('stdout: --json is its format', async () => {
    expect(await chooseTarget({ ...flags, json: true })).toMatchObject({ kind: 'stdout', format: 'json' });
    await expect(chooseTarget({ ...flags, json: true, format: 'csv' })).rejects.toThrow(
      'Use either --json or --format csv, not both',
    );
  });
});

describe('assertKnownExtension', () => {
  const check = async (output: string, format?: 'csv') =>
    assertKnownExtension(await chooseTarget({ ...flags, output, format }), format, EXPORT_FORMATS);

  test.each(['rows.csv', 'rows.jsonl.gz', 'rows', 'rows.gz', 'rows-v1.2', 'rows.2026-01-31', '/dev/null', '-'])(
    '%s is fine',
    async (output) => {
      await expect(check(output)).resolves.toBeUndefined();
    },
  );

  test.each([
    ['rows.xlsx', '.xlsx'],
    ['a/rows.TXT', '.txt'],
    ['rows.csv.zip', '.zip'],
    ['rows.tsv.gz', '.tsv'],
  ])('%s needs --format', async (output, extension) => {
    await expect(check(output)).rejects.toMatchObject({
      exitCode: 2,
      message: `${output}: ${extension} is not the extension of a format`,
      hint: 'Use .csv, .ndjson, .json or .parquet, with .gz to compress (not .parquet); or choose the format with --format.',
    });
    await expect(check(output, 'csv')).resolves.toBeUndefined();
  });
});

test.each([
  ['rows.csv', 'rows-2026-01.csv'],
  ['a.b/rows.csv.gz', 'a.b/rows-2026-01.csv.gz'],
  ['rows', 'rows-2026-01'],
  ['.rows', '.rows-2026-01'],
])('partPath: %s', (path, name) => {
  expect(partPath(path, '2026-01')).toBe(name);
  expect(partPath(path, null)).toBe(path);
});

test.each([
  ['2026-01-31T23:59:59.999Z', '2026-01-31', '2026-01'],
  ['2026-02-01T00:30:00+01:00', '2026-01-31', '2026-01'],
])('partKeyOf: %s, by UTC', (createdAt, day, month) => {
  expect([partKeyOf(createdAt, 'day'), partKeyOf(createdAt, 'month'), partKeyOf(createdAt, null)]).toEqual([
    day,
    month,
    null,
  ]);
});
