/** Exit codes of checks, and the files they leave. */
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sized } from '../../../../scripts/vitest/size.ts';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli, runCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';

let service: MockService;
let folder: string;
beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
  service.mock.snapshot('before');
});
afterAll(() => service.close());
beforeEach(() => {
  service.mock.restore('before');
  service.mock.journal.clear();
  folder = mkdtempSync(join(tmpdir(), 'svc-check-'));
});

const save = (name: string, text: string | Buffer) => writeFileSync(join(folder, name), text);
const check = (argv: readonly string[], options: Parameters<MockService['run']>[1] = {}) =>
  service.run(['outreach', 'check', ...argv], { cwd: folder, ...options });
const lookUps = () => service.mock.journal.find({ operation: 'getContactOutreach' }).length;
const rowsOf = (ndjson: string) =>
  ndjson
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

async function both(argv: readonly string[], options: Parameters<typeof check>[1] = {}) {
  const plain = await check(argv, options);
  const json = await check([...argv, '--json'], options);
  expect(json.code).toBe(plain.code);
  return { plain, json };
}

test.each([
  ['0: all contacts were looked up, blocked or not', 'email\nbounced@example.com\n\n', 0],
  ['0: a row without identity', 'email,name\n,x\n', 0],
  ['2: all rows are invalid', 'email\nnope\nkim@\n', 2],
  ['10: some rows are invalid', 'email\nnope\nkim@example.org\n', 10],
])('%s', async (_name, text, code) => {
  save('list.csv', text);
  const { plain, json } = await both(['list.csv']);
  expect(plain.code).toBe(code);
  expect(JSON.parse(json.stdout)).toHaveLength(plain.stdout.trimEnd().split('\n').length - 1);
});

test.each([
  ['a missing file', 2, ['nope.csv'], 'Cannot read nope.csv: there is no such file'],
  ['a folder', 2, ['.'], 'Cannot read .: it is a folder'],
  ['no file argument', 2, [], 'FILE is missing'],
  ['an unknown column', 2, ['list.csv', '--email-column', 'Mail'], 'There is no column Mail'],
  ['an unknown field', 2, ['list.csv', '--fields', 'blocklists.matched'], 'Unknown field: blocklists.matched'],
  ['an unknown result', 2, ['list.csv', '--only', 'invalid'], '--only'],
  ['a row with too many cells', 2, ['bad.csv'], 'bad.csv, line 3: 2 cells, but the header has 1'],
  ['a binary file', 2, ['bad.bin', '-o', 'x.csv'], 'bad.bin is not UTF-8 text'],
  ['a spreadsheet', 2, ['list.xlsx'], 'list.xlsx is a spreadsheet, not a CSV file'],
  ['a compressed file', 2, ['list.csv.gz'], 'list.csv.gz is compressed'],
  ['a JSON file', 2, ['list.json'], 'list.json is not a CSV file'],
  [
    'an unknown extension of the output',
    2,
    ['list.csv', '-o', 'x.xlsx'],
    'x.xlsx: .xlsx is not the extension of a format',
  ],
  ['Parquet', 2, ['list.csv', '-o', 'x.parquet'], 'A check cannot be written as Parquet'],
  ['the input file as output', 2, ['list.csv', '-o', './list.csv'], '--output is the input file, ./list.csv'],
  ['a missing folder', 2, ['list.csv', '-o', 'no/x.csv'], 'Cannot write to no/x.csv'],
])('%s: %i', async (_name, code, argv, message) => {
  save('list.csv', 'email\nkim@example.org\n');
  save('bad.csv', 'email\na@example.org\nkim@example.org,2\n');
  for (const name of ['list.xlsx', 'list.csv.gz', 'list.json']) save(name, 'email\n');
  save('bad.bin', Buffer.from([0x50, 0x4b, 3, 4, 0xff, 0xfe, 0]));
  const { plain, json } = await both(argv);
  expect([plain.code, plain.stdout, json.stdout]).toEqual([code, '', '']);
  expect(plain.stderr).toContain(message);
  expect(JSON.parse(json.stderr).error.message).toContain(message);
  expect([lookUps(), readdirSync(folder).length]).toEqual([0, 6]);
});

test.each([
  [401, 4],
  [403, 5],
])('%i at the first look-up stops the check and leaves no files', async (status, code) => {
  save('list.csv', `email\n${Array.from({ length: 200 }, (_unused, n) => `${n}@example.com\n`).join('')}`);
  service.mock.faults.add({ operations: ['getContactOutreach'], effect: { kind: 'status', status } });
  const { plain, json } = await both(['list.csv']);
  expect([plain.code, plain.stdout, json.stdout, lookUps()]).toEqual([code, '', '', 2]);
  const filed = await both(['list.csv', '-o', 'out.csv']);
  expect([filed.plain.code, lookUps(), readdirSync(folder)]).toEqual([code, 4, ['list.csv']]);
});

test('4 for a wrong key; 8 if nothing answers', async () => {
  save('list.csv', 'email\nkim@example.org\n');
  expect((await both(['list.csv'], { apiKey: 'osapi_wrong' })).plain.code).toBe(4);
  const env = { SVC_BASE_URL: 'http://127.0.0.1:9' };
  expect((await both(['list.csv', '--max-retries', '0'], { env })).plain.code).toBe(8);
});

test('a service error is reported in its row; five in a row end the check with 8', async () => {
  save('list.csv', `email\n${Array.from({ length: 120 }, (_unused, n) => `${n}@example.com\n`).join('')}`);
  const fail = { operations: ['getContactOutreach'], effect: { kind: 'status', status: 503 } } as const;
  service.mock.faults.add({ ...fail, nth: 3, times: 1 });
  const some = await check(['list.csv', '--format', 'ndjson', '--max-retries', '0']);
  expect(some.code).toBe(10);
  expect(some.stderr).toContain('Checked 120 rows: 119 contactable, 1 with a service error\n');
  const failed = rowsOf(some.stdout).filter(({ outreach }) => outreach.result === 'error');
  expect(failed).toMatchObject([{ outreach: { error: expect.stringMatching(/./), doNotContact: null } }]);

  service.mock.faults.add({ ...fail, nth: 80 });
  const all = await check(['list.csv', '-o', 'out.csv', '--max-retries', '0']);
  expect(all.code).toBe(8);
  expect(all.stderr).toContain(
    '\n  50 rows are kept; to resume: svc outreach check list.csv --output out.csv --resume\n',
  );
});

test('memory does not grow with the file', async () => {
  const count = sized(100_000);
  const lines = Array.from(
    { length: count },
    (_unused, n) => `Kim ${n},${'x'.repeat(450)},${n % 500 === 0 ? `kim${n}@example.org` : ''}\n`,
  );
  save('list.csv', `name,note,email\n${lines.join('')}`);
  // The heap is smaller than the rows.
  const env = { NODE_OPTIONS: '--max-old-space-size=40' };
  const { code, stderr } = await runCli(['outreach', 'check', 'list.csv', '-o', 'out.csv', '--json'], {
    ...{ server: service, cwd: folder, env, timeoutMs: 600_000 },
  });
  expect([code, stderr]).toEqual([0, '']);
  expect(lookUps()).toBe(count / 500);
}, 600_000);
