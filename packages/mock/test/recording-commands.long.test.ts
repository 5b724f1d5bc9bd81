/** `svc-mock record` and `svc-mock replay` as processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createMock, type Mock } from '../src/index.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');
const READY = /^svc-mock is ready on (http:\/\/\S+)\n/;
const KEY = 'osapi_demo_read';

let service: Mock;
let upstream: string;
let folder: string;
beforeAll(async () => {
  service = createMock({ now: '2026-03-31T12:00:00Z' });
  ({ url: upstream } = await service.listen());
  folder = mkdtempSync(join(tmpdir(), 'svc record '));
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function run(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env['PATH'] ?? '', NODE_NO_WARNINGS: '1' },
  });
  children.push(child);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text));
  }
  return { child, output, exit: new Promise<number | null>((resolve) => child.once('close', resolve)) };
}

async function start(...args: string[]) {
  const started = run(...args, '--port', '0');
  const { output, child } = started;
  await expect.poll(() => READY.test(output.stdout) || child.exitCode !== null).toBe(true);
  const url = READY.exec(output.stdout)?.[1];
  if (url === undefined) throw new Error(output.stderr);
  const get = async (path: string) => {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${KEY}` } });
    return { status: response.status, json: JSON.parse(await response.text()) };
  };
  return { ...started, url, get };
}

describe('record', { timeout: 60_000 }, () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('writes the cassette as it goes and completes it on %s', async (signal) => {
    const file = join(folder, `${signal}.json`);
    const { get, output, child, exit, url } = await start(
      'record',
      '--upstream',
      upstream,
      '--output',
      file,
      '--verbose',
    );
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect((await get('/api/v1/me')).status).toBe(200);
    await expect.poll(() => existsSync(file)).toBe(true);
    await Promise.all([1, 2, 3].map((page) => get(`/api/v1/syncs/${page}?api_key=${KEY}`)));
    child.kill(signal);
    expect(await exit).toBe(0);
    expect(output.stderr).toContain(`Recording the answers of ${upstream} in ${file}.`);
    expect(output.stderr).toMatch(/^GET \/api\/v1\/me 200, \d+ ms$/m);
    expect(output.stderr).toContain(`Recorded 4 answers in ${file}.\n`);
    const text = readFileSync(file, 'utf8');
    expect(JSON.parse(text).interactions).toHaveLength(4);
    expect(text + output.stderr).not.toContain(KEY);
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
  });

  test('answers 502 while the service is down, and says that nothing was recorded', async () => {
    const file = join(folder, 'down.json');
    const { get, output, child, exit } = await start('record', '--upstream', 'http://127.0.0.1:9', '--output', file);
    expect(await get('/api/v1/me')).toMatchObject({ status: 502, json: { statusCode: 502 } });
    child.kill('SIGINT');
    expect(await exit).toBe(0);
    expect(output.stderr).toMatch(
      /^warning: GET \/api\/v1\/me: http:\/\/127\.0\.0\.1:9 did not answer \(\w.*\)\. Nothing was recorded\.$/m,
    );
    expect(output.stderr).toContain(`Nothing was recorded; ${file} was not written.\n`);
    expect(existsSync(file)).toBe(false);
  });

  test.each<[string, string[], string]>([
    ['without --upstream', ['--output', 'x.json'], '--upstream is missing'],
    ['without --output', ['--upstream', 'http://a.example'], '--output is missing'],
    [
      'an upstream of another scheme',
      ['--upstream', 'file:///etc', '--output', 'x'],
      '--upstream: The upstream must be an http or https URL',
    ],
    [
      'a folder that does not exist',
      ['--upstream', 'http://a.example', '--output', '/none/x.json'],
      '--output: The folder /none does not exist.',
    ],
    [
      'a file that is no cassette',
      ['--upstream', 'http://a.example', '--output', MAIN],
      'exists and is not a cassette: choose another name.',
    ],
    ['an invalid port', ['--upstream', 'http://a.example', '--output', 'x', '--port', 'y'], '--port must be'],
    [
      'an empty name',
      ['--upstream', 'http://a.example', '--output', 'x', '--ignore-query', 'from,'],
      '--ignore-query must be',
    ],
  ])('%s exits with 2', async (_name, args, message) => {
    const { exit, output } = run('record', ...args);
    expect([await exit, output.stdout, output.stderr]).toEqual([2, '', expect.stringContaining(message)]);
    expect(output.stderr).toMatch(/\n\(svc-mock record --help lists the options\)\n$/);
  });
});

describe('replay', { timeout: 60_000 }, () => {
  const write = (name: string, content: unknown) => {
    const file = join(folder, name);
    writeFileSync(file, JSON.stringify(content));
    return file;
  };

  test('answers what was recorded, with other times, and hints at what was not', async () => {
    const file = join(folder, 'recorded.json');
    const range = 'from=2026-03-01&to=2026-03-31';
    const recorder = await start('record', '--upstream', upstream, '--output', file, '--ignore-query', 'from,to');
    const recorded = await recorder.get(`/api/v1/syncs?${range}&limit=2`);
    recorder.child.kill('SIGINT');
    await recorder.exit;

    const { get, output, child, exit, url } = await start('replay', file, '--verbose');
    expect(await get('/api/v1/syncs?limit=2&from=2027-01-01')).toEqual(recorded);
    expect((await get('/api/v1/me')).status).toBe(501);
    expect((await fetch(`${url}/__svc/reset`, { method: 'POST' })).status).toBe(204);
    child.kill('SIGINT');
    expect(await exit).toBe(0);
    expect(output.stderr).toContain(`Replaying 1 answer of ${file}.`);
    expect(output.stderr).toMatch(
      /^hint: The cassette has no answer for GET \/api\/v1\/me\. The nearest recorded request is GET \/api\/v1\/syncs/m,
    );
    expect(output.stderr).toMatch(/^GET \/api\/v1\/me 501, \d+ ms$/m);
  });

  test.each<[string, () => string[], string]>([
    ['without a file', () => [], 'The cassette is missing: svc-mock replay FILE'],
    ['a missing file', () => ['/none.json'], '/none.json cannot be replayed: there is no such file'],
    [
      'another file',
      () => [write('other.json', { a: 1 })],
      'cannot be replayed: This is not a cassette: format: must be',
    ],
  ])('%s exits with 2', async (_name, args, message) => {
    const { exit, output } = run('replay', ...args());
    expect([await exit, output.stdout, output.stderr]).toEqual([2, '', expect.stringContaining(message)]);
  });
});

test('--help describes record and replay', async () => {
  const [main, record, replay] = [run('--help'), run('record', '--help'), run('replay', '-h')];
  expect([await main.exit, await record.exit, await replay.exit]).toEqual([0, 0, 0]);
  expect(main.output.stdout).toContain('svc-mock record --upstream https://api.example.com --output cassette.json');
  expect(record.output.stdout).toMatch(
    /^Usage: svc-mock record [^]*--upstream[^]*--redact-emails[^]*Personal data stays/,
  );
  expect(replay.output.stdout).toMatch(/^Usage: svc-mock replay FILE [^]*--ignore-query[^]*501/);
});
