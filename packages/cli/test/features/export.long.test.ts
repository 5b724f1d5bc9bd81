import { once } from 'node:events';
import { openSync, readdirSync, readFileSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSync, createSyncLog, NOW_MS } from '../support/contract-answers.ts';
import { type ContractServer, refusal, startContractServer } from '../support/contract-server.ts';
import { BIN, buildCli, type CliResult, cliEnvironment, collectResult, spawnCli, runCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';

const DAY = 24 * 60 * 60 * 1000;
const RANGE = ['--from', new Date(NOW_MS - 40 * DAY).toISOString(), '--to', new Date(NOW_MS).toISOString()];
const SYNCS_PATH = '/api/v1/syncs';

/** 3,000 rows over 40 days, ten of them at the instant where the two windows meet. */
const windowBoundary = new Date(NOW_MS - 31 * DAY).toISOString();
const syncs = createSyncLog(3000, NOW_MS, 40 * DAY)
  .map((sync, index) => (index >= 2320 && index < 2330 ? { ...sync, createdAt: windowBoundary } : sync))
  .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt) || b.id - a.id);
const allIds = syncs.map(({ id }) => id);

let server: ContractServer;
let folder: string;
beforeAll(async () => {
  await buildCli();
  server = await startContractServer({ syncs });
});
afterAll(() => server.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc export '));
});
afterEach(() => {
  server.reactions.clear();
  server.requests.length = 0;
});

const exportTo = (output: string, ...flags: string[]) =>
  runInProcess(['syncs', 'export', ...RANGE, '--output', output, ...flags], { server, cwd: folder });

describe('syncs export', () => {
  test('40 days in two windows, 500 a page: each row once and in order, also at the window boundary', async () => {
    const { code, stdout, stderr } = await exportTo('rows.ndjson');
    expect([code, stdout, stderr]).toEqual([0, '', 'Exported 3,000 syncs to rows.ndjson\n']);
    const rows = readFileSync(join(folder, 'rows.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows).toEqual(syncs);
    expect(readdirSync(folder)).toEqual(['rows.ndjson']);
    const asked = server.requests.filter((request) => request.startsWith(`GET ${SYNCS_PATH}?`));
    const queries = asked.map((request) => new URL(request.slice(4), 'http://x').searchParams);
    expect(new Set(queries.map((query) => query.get('limit')))).toEqual(new Set(['500']));
    expect(new Set(queries.map((query) => query.get('from')))).toHaveLength(2);
    expect(queries.at(-1)?.get('to')).toBe(windowBoundary);
  });

  test('csv quotes cells and defuses formulas', async () => {
    const rows = [
      createSync(3, { toEmail: '=HYPERLINK("http://evil")', platform: 'a,b' }),
      createSync(2, { error: { code: 'X', message: 'say "no"\nplease' }, status: 'error' }),
      createSync(1, { sourceId: null, payloadId: null, toEmail: '+49 30' }),
    ].map((sync) => ({ ...sync, createdAt: new Date(NOW_MS).toISOString() }));
    const small = await startContractServer({ syncs: rows });
    const { stdout } = await runInProcess(['syncs', 'export', ...RANGE, '--format', 'csv'], { server: small });
    const chosen = await runInProcess(['syncs', 'export', ...RANGE, '--fields', 'id,error.code'], { server: small });
    await small.close();
    expect(stdout).toBe(
      `id,status,connectionId,sourceId,eventType,toEmail,platform,payloadId,error,createdAt
3,success,11,21,EMAIL_SENT,"'=HYPERLINK(""http://evil"")","a,b",10003,,2026-03-15T12:00:00.000Z
2,error,11,21,EMAIL_SENT,contact2@example.com,smartlead,10002,"{""code"":""X"",""message"":""say \\""no\\""\\nplease""}",2026-03-15T12:00:00.000Z
1,success,11,,EMAIL_SENT,'+49 30,smartlead,,,2026-03-15T12:00:00.000Z
`,
    );
    expect(chosen.stdout).toBe('id,error.code\n3,\n2,X\n1,\n');
  });

  test('the format follows the file extension, and --json prints a summary', async () => {
    const { stdout, stderr } = await exportTo('rows.json', '--json', '--status', 'error');
    expect(JSON.parse(stdout)).toEqual({ rows: 300, file: 'rows.json', from: RANGE[1], to: RANGE[3] });
    expect(stderr).toBe('');
    expect(JSON.parse(readFileSync(join(folder, 'rows.json'), 'utf8'))).toHaveLength(300);
    await exportTo('rows.txt', '--format', 'ndjson', '--fields', 'id');
    expect(readFileSync(join(folder, 'rows.txt'), 'utf8').slice(0, 12)).toBe('{"id":3000}\n');
  });

  test('to stdout: the summary is on stderr', async () => {
    const { stdout, stderr } = await runInProcess(['syncs', 'export', ...RANGE, '--json', '--fields', 'id'], {
      server,
    });
    expect(JSON.parse(stdout).map(({ id }: { id: number }) => id)).toEqual(allIds);
    expect(JSON.parse(stderr)).toEqual({ note: 'Exported 3,000 syncs', rows: 3000 });
  });

  test('no rows: a header or an empty list', async () => {
    const range = ['--from', '2020-01', '--to', '2020-03'];
    expect((await runInProcess(['syncs', 'export', ...range, '--fields', 'id'], { server })).stdout).toBe('id\n');
    expect((await runInProcess(['syncs', 'export', ...range, '--format', 'json'], { server })).stdout).toBe('[]\n');
  });

  test('connection resets do not change the file', async () => {
    let count = 0;
    server.reactions.set(SYNCS_PATH, () => {
      count += 1;
      return count % 3 === 0 ? 'reset' : null;
    });
    const { code } = await exportTo('rows.csv', '--fields', 'id');
    expect(code).toBe(0);
    expect(readFileSync(join(folder, 'rows.csv'), 'utf8')).toBe(`id\n${allIds.join('\n')}\n`);
  });
});

describe('an export that ends early', () => {
  /** Answers `pages` pages; the next request waits for a minute. Resolves when it arrives. */
  function hangAfter(pages: number): Promise<void> {
    return new Promise((resolve) => {
      let count = 0;
      server.reactions.set(SYNCS_PATH, () => {
        count += 1;
        if (count <= pages) return null;
        resolve();
        return refusal(429, 'slow down', { 'retry-after': '60' });
      });
    });
  }

  test.each([
    ['SIGINT' as const, 130, null],
    ['SIGTERM' as const, 143, null],
    ['SIGHUP' as const, 129, null],
    ['SIGKILL' as const, null, 'SIGKILL'],
  ])('%s in the middle leaves the old file unchanged', async (signal, code, endSignal) => {
    writeFileSync(join(folder, 'rows.csv'), 'old\n');
    const hanging = hangAfter(2);
    const child = spawnCli(['syncs', 'export', ...RANGE, '--output', 'rows.csv', '--json'], { server, cwd: folder });
    const result = collectResult(child);
    await hanging;
    child.kill(signal);
    expect(await result).toMatchObject({ code, signal: endSignal, stdout: '' });
    expect(readFileSync(join(folder, 'rows.csv'), 'utf8')).toBe('old\n');
    const lock = signal === 'SIGKILL' ? ['rows.csv.svc-lock'] : [];
    expect(readdirSync(folder)).toEqual(['rows.csv', 'rows.csv.svc-export.json', ...lock, 'rows.csv.svc-partial']);
    const { stderr } = await result;
    if (signal === 'SIGKILL') return expect(stderr).toBe('');
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'interrupted',
      hint: expect.stringMatching(
        /^[\d,]+ syncs are kept; to resume: svc syncs export --output rows.csv --resume --json$/,
      ),
    });
  });

  test('a signal before the first page leaves no files', async () => {
    const hanging = hangAfter(0);
    const child = spawnCli(['syncs', 'export', ...RANGE, '--output', 'rows.csv'], { server, cwd: folder });
    const result = collectResult(child);
    await hanging;
    child.kill('SIGTERM');
    expect(await result).toMatchObject({ code: 143, stdout: '', stderr: expect.not.stringContaining('resume') });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('refused in the middle: exit code of the refusal, and how to resume', async () => {
    let count = 0;
    server.reactions.set(SYNCS_PATH, () => {
      count += 1;
      return count > 2 ? refusal(403, 'API access is not enabled for this account') : null;
    });
    const { code, stderr } = await exportTo('rows.csv');
    expect(code).toBe(5);
    expect(stderr).toContain('\n  1,000 syncs are kept; to resume: svc syncs export --output rows.csv --resume\n');
    expect(readdirSync(folder)).toEqual(['rows.csv.svc-export.json', 'rows.csv.svc-partial']);
  });

  test('refused before the first page: leaves no files', async () => {
    server.reactions.set(SYNCS_PATH, refusal(404, 'Source 9 not found'));
    expect((await exportTo('rows.csv', '--source', '9')).code).toBe(3);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('refused on the first request: stdout stays empty', async () => {
    server.reactions.set(SYNCS_PATH, refusal(404, 'Source 9 not found'));
    const result = await runInProcess(['syncs', 'export', ...RANGE, '--source', '9'], { server });
    expect(result).toMatchObject({ code: 3, stdout: '' });
  });
});

describe('output', () => {
  test('exits with 0 when the reader closes the pipe', async () => {
    const command = `"$0" "$1" syncs export ${RANGE.join(' ')} --format ndjson --fields id | head -1; echo "\${PIPESTATUS[0]}"`;
    const child = spawn('bash', ['--norc', '-c', command, process.execPath, BIN], { env: cliEnvironment({ server }) });
    expect(await collectResult(child)).toMatchObject({ stdout: '{"id":3000}\n0\n', stderr: '' });
  });

  test('exits with 0 when the reader of --output closes the pipe', async () => {
    const command = `"$0" "$1" syncs export ${RANGE.join(' ')} --format ndjson --fields id -o >(head -1 >&2); echo $?`;
    const child = spawn('bash', ['--norc', '-c', command, process.execPath, BIN], { env: cliEnvironment({ server }) });
    expect(await collectResult(child)).toMatchObject({ stdout: '0\n', stderr: '{"id":3000}\n' });
  });

  test('a pipe without a reader is refused before any request', async () => {
    spawnSync('sh', ['-c', 'mkfifo pipe'], { cwd: folder });
    const { code, stderr } = await exportTo('pipe');
    expect([code, stderr]).toEqual([2, 'Error: Cannot write to pipe: no process reads from it\n']);
    expect(server.requests).toEqual([]);
  });

  test('can be interrupted while the reader of a pipe reads nothing', async () => {
    spawnSync('sh', ['-c', 'mkfifo pipe'], { cwd: folder });
    const reader = spawn('sh', ['-c', 'exec sleep 60 < pipe'], { cwd: folder });
    const isFull = new Promise<void>((resolve) => {
      server.reactions.set(SYNCS_PATH, () => {
        resolve();
        return null;
      });
    });
    let result: CliResult;
    do {
      const child = spawnCli(['syncs', 'export', ...RANGE, '-o', 'pipe'], { server, cwd: folder });
      void isFull.then(() => child.kill('SIGINT'));
      result = await collectResult(child);
      // Exit code 2 means that the shell has not opened its end yet.
    } while (result.code === 2);
    reader.kill();
    expect(result.code).toBe(130);
  });

  test('-o - is stdout, and an empty name is refused', async () => {
    const { stdout, stderr } = await exportTo('-', '--fields', 'id', '--json');
    expect(JSON.parse(stdout)).toHaveLength(3000);
    expect(JSON.parse(stderr)).toEqual({ note: 'Exported 3,000 syncs', rows: 3000 });
    expect(readdirSync(folder)).toEqual([]);
    expect(await exportTo('')).toMatchObject({
      code: 2,
      stderr: 'Error: --output has no file name\n  Omit it or use - to write to stdout.\n',
    });
  });

  test('exits with 0 when the reader closes stdout at the start', async () => {
    const child = spawnCli(['syncs', 'export', ...RANGE], { server });
    child.stdout?.destroy();
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });

  test('a full disk behind stdout is an error', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [BIN, 'syncs', 'export', ...RANGE], {
      env: cliEnvironment({ server }),
      stdio: ['ignore', full, 'pipe'],
    });
    const { code, stderr } = await collectResult(child);
    expect(code).toBe(1);
    expect(stderr).toBe('Error: Cannot write to standard output: there is no space left on the device\n');
  });

  test('a device is written to, not replaced', async () => {
    expect((await exportTo('/dev/null')).code).toBe(0);
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
    expect((await exportTo('/dev/full')).code).toBe(1);
  });

  test.each([
    ['a folder that does not exist', 'none/rows.csv'],
    ['a folder', '.'],
  ])('%s is refused before any request', async (_name, output) => {
    expect((await exportTo(output)).code).toBe(2);
    expect(server.requests).toEqual([]);
  });
});

test('memory does not grow with the export', async () => {
  // 200,000 rows are 60 MB of text.
  server.reactions.set(SYNCS_PATH, (url) => {
    const page = Number(url.searchParams.get('cursor') ?? 0);
    const data = Array.from({ length: 500 }, (_unused, index) =>
      createSync(200_000 - page * 500 - index, { error: { text: 'x'.repeat(100) } }),
    );
    const hasMore = page < 399;
    return { status: 200, body: { data, hasMore, nextCursor: hasMore ? String(page + 1) : null } };
  });
  const argv = ['syncs', 'export', '--from', '2026-03-15', '--to', '2026-03-15', '--output', 'big.csv'];
  // The heap is smaller than the rows.
  const env = { NODE_OPTIONS: '--max-old-space-size=40' };
  const { code, stderr } = await runCli(argv, { server, env, cwd: folder });
  expect(stderr).toBe('Exported 200,000 syncs to big.csv\n');
  expect(code).toBe(0);
  expect(spawnSync('wc', ['-l', join(folder, 'big.csv')], { encoding: 'utf8' }).stdout).toMatch(/^200001 /);
});
