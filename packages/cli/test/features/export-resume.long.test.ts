import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSyncLog, ME, NOW_MS } from '../support/contract-answers.ts';
import { type ContractServer, refusal, startContractServer } from '../support/contract-server.ts';
import { BIN, buildCli, cliEnvironment, collectResult, spawnCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';

const DAY = 24 * 60 * 60 * 1000;
const RANGE = ['--from', new Date(NOW_MS - 40 * DAY).toISOString(), '--to', new Date(NOW_MS).toISOString()];
const SYNCS_PATH = '/api/v1/syncs';
const CHECKPOINT = '.svc-export.json';
const PARTIAL = '.svc-partial';

const syncs = createSyncLog(3000, NOW_MS, 40 * DAY);

let server: ContractServer;
let folder: string;
beforeAll(async () => {
  await buildCli();
  server = await startContractServer({ syncs });
});
afterAll(() => server.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc resume '));
});
afterEach(() => {
  server.reactions.clear();
  server.requests.length = 0;
});

const svc = (...argv: string[]) => runInProcess(['syncs', 'export', ...argv], { server, cwd: folder });
const read = (name: string) => readFileSync(join(folder, name));

/** Refuses every request after the next `pages`. */
function refuseAfter(pages: number, answer = refusal(403, 'no more')): void {
  let count = 0;
  server.reactions.set(SYNCS_PATH, () => {
    count += 1;
    return count > pages ? answer : null;
  });
}

async function interrupt(output: string, ...flags: string[]): Promise<void> {
  refuseAfter(3);
  expect((await svc(...RANGE, '--output', output, ...flags)).code).toBe(5);
  server.reactions.clear();
}

/** Returns the files of an uninterrupted export by name. */
async function whole(output: string, ...flags: string[]): Promise<Record<string, string>> {
  const other = mkdtempSync(join(tmpdir(), 'svc whole '));
  expect(
    (await runInProcess(['syncs', 'export', ...RANGE, '--output', output, ...flags], { server, cwd: other })).code,
  ).toBe(0);
  return filesOf(other);
}

function filesOf(place: string): Record<string, string> {
  return Object.fromEntries(readdirSync(place).map((name) => [name, readFileSync(join(place, name), 'base64')]));
}

describe('--resume', () => {
  test.each([
    ['csv', 'rows.csv', []],
    ['csv with columns', 'rows.csv', ['--fields', 'id,error.code']],
    ['ndjson', 'rows.ndjson', []],
    ['json', 'rows.json', []],
    ['compressed csv', 'rows.csv.gz', []],
    ['compressed json', 'rows.json.gz', []],
    ['parquet', 'rows.parquet', []],
    ['split by month', 'rows.csv', ['--split', 'month']],
    ['split by day, compressed', 'rows.ndjson.gz', ['--split', 'day']],
    ['split by day, parquet', 'rows.parquet', ['--split', 'day']],
  ])('%s: same bytes as without interruption', async (_name, output, flags) => {
    await interrupt(output, ...flags);
    const { code, stdout, stderr } = await svc('--output', output, '--resume');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^Resuming after [\d,]+ syncs\nExported [\d,]+ syncs to /);
    expect(filesOf(folder)).toEqual(await whole(output, ...flags));
  });

  test('rows after the checkpoint are not duplicated, and an incomplete checkpoint line is ignored', async () => {
    await interrupt('rows.csv');
    appendFileSync(join(folder, `rows.csv${PARTIAL}`), '999,half a ro');
    appendFileSync(join(folder, `rows.csv${CHECKPOINT}`), '{"version":1,"rows":');
    expect((await svc('--output', 'rows.csv', '--resume')).code).toBe(0);
    expect(filesOf(folder)).toEqual(await whole('rows.csv'));
  });

  test('requests only the missing pages', async () => {
    await interrupt('rows.csv');
    const asked = () => server.requests.filter((request) => request.startsWith(`GET ${SYNCS_PATH}?`)).length;
    server.requests.length = 0;
    await svc('--output', 'rows.csv', '--resume');
    const rest = asked();
    server.requests.length = 0;
    await whole('rows.csv');
    expect(asked()).toBe(rest + 3);
  });

  test('can be resumed repeatedly, also inside a later window', async () => {
    await interrupt('rows.json');
    for (;;) {
      refuseAfter(2);
      const { code } = await svc('--output', 'rows.json', '--resume');
      server.reactions.clear();
      if (code === 0) break;
      expect(code).toBe(5);
    }
    expect(filesOf(folder)).toEqual(await whole('rows.json'));
  });

  test('the end of a relative range stays where it was', async () => {
    const argv = ['--since', '4000d', '--until', 'now', '--output', 'rows.csv'];
    refuseAfter(2);
    expect((await svc(...argv)).code).toBe(5);
    server.reactions.clear();
    const { stdout } = await svc(...argv, '--resume', '--json');
    const { from, to, rows } = JSON.parse(stdout);
    expect(rows).toBe(3000);
    expect(Date.parse(to) - Date.parse(from)).toBe(4000 * DAY);
    const ends = server.requests.map((request) => new URL(request.slice(4), 'http://x').searchParams.get('to'));
    expect(ends.filter((end) => end !== null && end > to)).toEqual([]);
  });

  test('finishes a file whose pages are all written', async () => {
    await interrupt('rows.json');
    // The state after a kill that follows the last page: nothing is left to request.
    const file = join(folder, `rows.json${CHECKPOINT}`);
    const state = JSON.parse(readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '');
    writeFileSync(file, `${JSON.stringify({ ...state, resume: null })}\n`);
    server.requests.length = 0;
    expect((await svc('--output', 'rows.json', '--resume')).code).toBe(0);
    expect(JSON.parse(read('rows.json').toString())).toHaveLength(state.rows);
    expect(server.requests.map((request) => request.split('?')[0])).toEqual(['GET /api/v1/me']);
  });

  test('starts an export when there is nothing to resume', async () => {
    const { code, stderr } = await svc(...RANGE, '--output', 'rows.csv', '--resume');
    expect([code, stderr]).toEqual([0, 'Exported 3,000 syncs to rows.csv\n']);
    expect(await svc('--output', 'rows.csv', '--resume')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No time range is given'),
    });
  });
});

describe('an interrupted export', () => {
  test('without --resume: names both options and changes no file', async () => {
    await interrupt("it's.csv");
    const before = filesOf(folder);
    const { code, stderr } = await svc(...RANGE, '--output', "it's.csv");
    expect([code, stderr]).toEqual([
      2,
      `Error: An export to it's.csv was interrupted after 1,250 syncs
  To resume: svc syncs export --output 'it'\\''s.csv' --resume
  To start over: add --restart.
`,
    ]);
    expect(filesOf(folder)).toEqual(before);
    const json = await svc(...RANGE, '--output', "it's.csv", '--json');
    expect([json.code, JSON.parse(json.stderr).error.code, json.stdout]).toEqual([2, 'usage', '']);
  });

  test('--restart deletes it, including the parts of a split export', async () => {
    await interrupt('rows.csv', '--split', 'day');
    writeFileSync(join(folder, `rows-2026-01-01.csv${PARTIAL}`), 'left behind');
    writeFileSync(join(folder, 'rows-2026-01.csv.svc-parquet'), 'left behind');
    writeFileSync(join(folder, 'rows-of-mine.csv'), 'not ours');
    const { code, stderr } = await svc(...RANGE, '--output', 'rows.csv', '--restart');
    expect([code, stderr]).toEqual([0, 'Exported 3,000 syncs to rows.csv\n']);
    const names = readdirSync(folder);
    expect(names.filter((name) => name.includes('.svc-'))).toEqual([]);
    expect(names).toContain('rows-of-mine.csv');
  });

  test('killed before its first page, it does not block a new export', async () => {
    server.reactions.set(SYNCS_PATH, refusal(429, 'wait', { 'retry-after': '60' }));
    const child = spawnCli(['syncs', 'export', ...RANGE, '-o', 'rows.csv'], { server, cwd: folder });
    const result = collectResult(child);
    await expect.poll(() => server.requests.some((request) => request.includes(SYNCS_PATH))).toBe(true);
    child.kill('SIGKILL');
    await result;
    server.reactions.clear();
    expect(readdirSync(folder)).toContain(`rows.csv${CHECKPOINT}`);
    expect((await svc(...RANGE, '--output', 'rows.csv')).code).toBe(0);
    expect(readdirSync(folder)).toEqual(['rows.csv']);
  });

  test('only one process writes a file', async () => {
    server.reactions.set(SYNCS_PATH, refusal(429, 'wait', { 'retry-after': '60' }));
    const child = spawnCli(['syncs', 'export', ...RANGE, '-o', 'rows.csv'], { server, cwd: folder });
    const result = collectResult(child);
    await expect.poll(() => server.requests.some((request) => request.includes(SYNCS_PATH))).toBe(true);
    server.reactions.clear();
    for (const flag of ['--resume', '--restart']) {
      expect(await svc(...RANGE, '--output', 'rows.csv', flag)).toMatchObject({
        code: 6,
        stderr: `Error: Process ${child.pid} is exporting to rows.csv\n  Wait until it has finished, or stop it.\n`,
      });
    }
    child.kill('SIGINT');
    expect((await result).code).toBe(130);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['another range', ['--since', '8d'], /--since 8d does not match: the export to rows.csv was started without it/],
    ['another filter', ['--status', 'error'], /--status error does not match/],
    ['another form', ['--format', 'json'], /--format json does not match/],
  ])('%s does not match the checkpoint', async (_name, flags, message) => {
    await interrupt('rows.csv');
    const { code, stderr } = await svc('--output', 'rows.csv', '--resume', ...flags);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test('another account, or a key with less access, cannot resume', async () => {
    await interrupt('rows.csv');
    for (const [me, name] of [
      [{ ...ME, account: { ...ME.account, id: 2 } }, 'account 2'],
      [{ ...ME, apiKey: { ...ME.apiKey, connectionScope: 'connection', connectionId: 11 } }, 'connection 11 only'],
    ] as const) {
      server.reactions.set('/api/v1/me', { status: 200, body: me });
      const { code, stderr } = await svc('--output', 'rows.csv', '--resume');
      expect(code).toBe(2);
      expect(stderr).toContain(name);
    }
    server.reactions.clear();
    const other = await startContractServer({ syncs });
    const elsewhere = await runInProcess(['syncs', 'export', '-o', 'rows.csv', '--resume'], {
      server: other,
      cwd: folder,
    });
    await other.close();
    expect([elsewhere.code, elsewhere.stderr.includes(other.url)]).toEqual([2, true]);
    expect((await svc('--output', 'rows.csv', '--resume')).code).toBe(0);
  });

  test('the export of another resource cannot resume it', async () => {
    await interrupt('rows.csv');
    const { code, stderr } = await runInProcess(['requests', 'export', '-o', 'rows.csv', '--resume'], {
      server,
      cwd: folder,
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('rows.csv was started by svc syncs export')]);
  });

  test('a lost or damaged state is an error', async () => {
    await interrupt('rows.csv');
    truncateSync(join(folder, `rows.csv${PARTIAL}`), 10);
    const short = await svc('--output', 'rows.csv', '--resume');
    expect([short.code, short.stderr]).toEqual([1, expect.stringContaining('is missing or shorter than expected')]);
    rmSync(join(folder, `rows.csv${PARTIAL}`));
    expect((await svc('--output', 'rows.csv', '--resume')).code).toBe(1);
    writeFileSync(join(folder, `rows.csv${CHECKPOINT}`), '{}\n');
    const damaged = await svc('--output', 'rows.csv', '--resume');
    expect([damaged.code, damaged.stderr]).toEqual([2, expect.stringContaining('Start over with --restart.')]);
    expect((await svc(...RANGE, '--output', 'rows.csv', '--restart')).code).toBe(0);
    expect(filesOf(folder)).toEqual(await whole('rows.csv'));
  });

  test.each([
    ['stdout', []],
    ['a device', ['--output', '/dev/null']],
  ])('%s cannot be resumed, split or be Parquet', async (_name, output) => {
    for (const flags of [['--resume'], ['--restart'], ['--split', 'day'], ['--format', 'parquet']]) {
      const { code, stderr } = await svc(...RANGE, ...output, ...flags);
      expect([code, stderr]).toEqual([2, expect.stringContaining('Give a file with --output.')]);
    }
    expect(server.requests).toEqual([]);
  });
});

describe('a full disk', () => {
  /** Runs an export in a shell that limits files to so many blocks of 512 bytes. */
  const limited = (blocks: number, ...argv: string[]) =>
    collectResult(
      spawn('sh', ['-c', `ulimit -f ${blocks}; exec "$0" "$@"`, process.execPath, BIN, 'syncs', 'export', ...argv], {
        env: cliEnvironment({ server }),
        cwd: folder,
      }),
    );

  test('is an error, and fetched rows are kept', async () => {
    const { code, stderr } = await limited(200, ...RANGE, '--output', 'rows.csv');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Error: Cannot write to rows.csv: the file is larger than the system allows\n {2}[\d,]+ syncs are kept; to resume: svc /,
    );
    expect((await svc('--output', 'rows.csv', '--resume')).code).toBe(0);
    expect(filesOf(folder)).toEqual(await whole('rows.csv'));
  });

  test('before the first page leaves no files', async () => {
    const { code, stderr } = await limited(8, ...RANGE, '--output', 'rows.csv');
    expect([code, stderr]).toEqual([1, 'Error: Cannot write to rows.csv: the file is larger than the system allows\n']);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('files', () => {
  test('split by day: each file has the rows of its day, and the summary lists the files', async () => {
    const { stdout } = await svc(...RANGE, '--output', 'rows.ndjson', '--split', 'day', '--json');
    const { files, rows, ...range } = JSON.parse(stdout);
    expect(rows).toBe(3000);
    expect(range).toEqual({ from: RANGE[1], to: RANGE[3] });
    const days = Map.groupBy(syncs, ({ createdAt }) => createdAt.slice(0, 10));
    expect(files).toEqual([...days].map(([day, { length }]) => ({ file: `rows-${day}.ndjson`, rows: length })));
    for (const [day, ofDay] of days) {
      const lines = read(`rows-${day}.ndjson`).toString().trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line).id)).toEqual(ofDay.map(({ id }) => id));
    }
    expect(readdirSync(folder)).toHaveLength(days.size);
  });

  test('the file of a day is complete as soon as an older row arrives', async () => {
    await interrupt('rows.csv', '--split', 'day');
    const names = readdirSync(folder);
    expect(names.filter((name) => name.endsWith('.csv')).length).toBeGreaterThan(5);
    expect(names.filter((name) => name.endsWith(PARTIAL))).toHaveLength(1);
  });

  test('compressed files contain the same bytes as uncompressed ones', async () => {
    await svc(...RANGE, '--output', 'rows.csv.gz', '--fields', 'id,status');
    await svc(...RANGE, '--output', 'rows.csv', '--fields', 'id,status');
    expect(gunzipSync(read('rows.csv.gz')).equals(read('rows.csv'))).toBe(true);
    expect(spawnSync('gzip', ['-t', 'rows.csv.gz'], { cwd: folder }).status).toBe(0);
  });

  test('split without rows writes no file', async () => {
    const { code, stderr } = await svc(
      '--from',
      '2020-01',
      '--to',
      '2020-01',
      '--split',
      'day',
      '--output',
      'rows.csv',
    );
    expect([code, stderr]).toEqual([0, 'Exported 0 syncs: no file was written\n']);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('parquet has typed columns', async () => {
    await svc(...RANGE, '--output', 'rows.parquet');
    const file = await asyncBufferFromFile(join(folder, 'rows.parquet'));
    const { schema, num_rows: count } = await parquetMetadataAsync(file);
    expect(Number(count)).toBe(3000);
    expect(schema.slice(1).map(({ name, type, converted_type: converted }) => [name, type, converted ?? null])).toEqual(
      [
        ['id', 'INT64', null],
        ['status', 'BYTE_ARRAY', 'UTF8'],
        ['connectionId', 'INT64', null],
        ['sourceId', 'INT64', null],
        ['eventType', 'BYTE_ARRAY', 'UTF8'],
        ['toEmail', 'BYTE_ARRAY', 'UTF8'],
        ['platform', 'BYTE_ARRAY', 'UTF8'],
        ['payloadId', 'INT64', null],
        ['error', 'BYTE_ARRAY', 'JSON'],
        ['createdAt', 'INT64', 'TIMESTAMP_MILLIS'],
      ],
    );
    const rows = await parquetReadObjects({ file });
    expect(rows).toEqual(
      syncs.map((sync) => ({
        ...sync,
        id: BigInt(sync.id),
        connectionId: BigInt(sync.connectionId),
        sourceId: BigInt(sync.sourceId ?? 0),
        payloadId: BigInt(sync.payloadId ?? 0),
        createdAt: new Date(sync.createdAt),
      })),
    );
  });

  test('parquet without rows, and with chosen fields', async () => {
    await svc('--from', '2020-01', '--to', '2020-01', '--output', 'none.parquet');
    const none = await asyncBufferFromFile(join(folder, 'none.parquet'));
    expect(Number((await parquetMetadataAsync(none)).num_rows)).toBe(0);
    await svc(...RANGE, '--output', 'few.parquet', '--fields', 'createdAt,error.code', '--status', 'error');
    const few = await parquetReadObjects({ file: await asyncBufferFromFile(join(folder, 'few.parquet')) });
    expect(few).toHaveLength(300);
    expect(few[0]).toEqual({ createdAt: new Date(NOW_MS), 'error.code': 'VALIDATION' });
  });

  test('.parquet.gz is refused', async () => {
    const { code, stderr } = await svc(...RANGE, '--output', 'rows.parquet.gz');
    expect([code, stderr]).toEqual([2, 'Error: Parquet files are already compressed\n  Use rows.parquet.\n']);
  });
});
