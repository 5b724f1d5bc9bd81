import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSync } from '../support/contract-answers.ts';
import { type ContractServer, refusal, startContractServer } from '../support/contract-server.ts';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli, type CliResult, collectResult, spawnCli, runCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';

let service: MockService;
let contract: ContractServer;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
  contract = await startContractServer();
});
afterAll(() => Promise.all([service.close(), contract.close()]));
beforeEach(() => {
  contract.reactions.clear();
  contract.requests.length = 0;
});

const api = (...argv: string[]): Promise<CliResult> => service.run(['api', ...argv]);
const RANGE = ['-f', 'from=2026-01-01', '-f', 'to=2026-01-15'];

/** Expects the same exit code with and without `--json`, and nothing on stdout. */
async function expectFailure(argv: string[], code: number, error: object): Promise<void> {
  const [plain, json] = await Promise.all([api(...argv), api(...argv, '--json')]);
  expect([plain.code, json.code]).toEqual([code, code]);
  expect([plain.stdout, json.stdout]).toEqual(['', '']);
  expect(plain.stderr).toMatch(/^Error: /);
  expect(JSON.parse(json.stderr).error).toMatchObject(error);
}

describe('a GET', () => {
  test('prints the body unchanged, and indented with --json', async () => {
    const { code, stdout, stderr } = await api('GET', '/me');
    const expected = await fetch(`${service.url}/api/v1/me`, {
      headers: { Authorization: `Bearer ${service.apiKey}` },
    });
    expect([code, stdout, stderr]).toEqual([0, await expected.text(), '']);
    const json = await api('/me', '--json');
    expect(json.stdout).toBe(`${JSON.stringify(JSON.parse(stdout), null, 2)}\n`);
  });

  test('fields go into the query', async () => {
    const { stdout } = await api('get', 'syncs', ...RANGE, '-F', 'limit=2', '-f', 'status=error');
    expect(JSON.parse(stdout).data.map(({ status }: { status: string }) => status)).toEqual(['error', 'error']);
    const outreach = await api('GET', '/contacts/outreach?email=a@example.com', '-f', 'profileUrl[]=linkedin.com/in/x');
    expect(JSON.parse(outreach.stdout).query).toEqual({
      email: 'a@example.com',
      profileUrls: ['https://www.linkedin.com/in/x'],
    });
  });

  test('--include prints status line and headers first', async () => {
    const { code, stdout } = await api('GET', '/me', '--include');
    const [head = '', body = ''] = stdout.split('\n\n');
    expect(code).toBe(0);
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\n/);
    expect(head).toMatch(/^service-request-id: .+$/m);
    expect(head).toMatch(/^content-type: application\/json/m);
    expect(JSON.parse(body)).toHaveProperty('account');
  });

  test('--include of a failure prints it and keeps the exit code', async () => {
    const { code, stdout, stderr } = await api('GET', '/syncs/999999999', '-i');
    expect(code).toBe(3);
    expect(stdout).toMatch(/^HTTP\/1\.1 404 Not Found\n[^]*"message":"Sync 999999999 not found"/);
    expect(stderr).toMatch(/^Error: Sync 999999999 not found \(404\)\n/);
  });

  test('text that is not JSON is printed unchanged, and as a string with --json', async () => {
    const yaml = await api('GET', '/openapi.yaml');
    expect(yaml.stdout).toMatch(/openapi: 3\.1/);
    expect(JSON.parse((await api('GET', '/openapi.yaml', '--json')).stdout)).toBe(yaml.stdout);
  });

  test('is retried', async () => {
    const answers = [refusal(500, 'oops'), null];
    contract.reactions.set('/api/v1/me', () => answers.shift() ?? null);
    expect((await runInProcess(['api', '/me'], { server: contract })).code).toBe(0);
    expect(contract.requests).toHaveLength(2);
  });
});

describe('a write', () => {
  test('fields become a body with types', async () => {
    const created = await api('POST', '/webhooks', '-f', 'url=https://hooks.example.com/a', '-F', 'enabledEvents[]');
    expect(created.code).toBe(0);
    const { id, ...webhook } = JSON.parse(created.stdout);
    expect(webhook).toMatchObject({ url: 'https://hooks.example.com/a', enabledEvents: [], isActive: true });
    const change = ['-F', 'isActive=false', '-f', 'enabledEvents[]=sync.failed'];
    const patched = await api('PATCH', `/webhooks/${id}`, ...change, '--jq', '[.isActive, .enabledEvents]');
    expect(patched.stdout).toBe('[false,["sync.failed"]]\n');
    expect(await api('DELETE', `/webhooks/${id}`)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  test('--input reads a file or stdin', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-api-'));
    const body = JSON.stringify({ url: 'https://hooks.example.com/b', description: 'from a file' });
    writeFileSync(join(folder, 'body.json'), body);
    const file = await service.run(['api', 'POST', '/webhooks', '--input', 'body.json'], { cwd: folder });
    expect(JSON.parse(file.stdout)).toMatchObject({ description: 'from a file' });
    const stdin = await service.run(['api', 'POST', '/webhooks', '--input', '-'], { stdin: body });
    expect(JSON.parse(stdin.stdout)).toMatchObject({ description: 'from a file' });
    // stdin is closed, so there is no body, which the service refuses.
    const closed = await service.run(['api', 'POST', '/webhooks', '--input', '-']);
    expect(closed.code).toBe(2);
  });

  test('is sent without a body and not retried', async () => {
    contract.reactions.set('/api/v1/syncs/1/retry', refusal(500, 'oops'));
    const { code } = await runInProcess(['api', 'POST', '/syncs/1/retry'], { server: contract });
    expect(code).toBe(8);
    expect(contract.requests).toEqual(['POST /api/v1/syncs/1/retry']);
  });
});

describe('--paginate', () => {
  const ids = (count: number) => Array.from({ length: count }, (_unused, index) => index);

  test('prints the rows of all pages as one array or as lines', async () => {
    const argv = ['GET', '/syncs', ...RANGE, '-f', 'limit=100', '--paginate'];
    const array = await api(...argv);
    const rows: { id: number }[] = JSON.parse(array.stdout);
    expect(array.stderr).toBe('');
    expect(rows.length).toBeGreaterThan(300);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    const lines = await api(...argv, '--format', 'ndjson');
    expect(
      lines.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(rows);
    const picked = await api(...argv, '--format', 'ndjson', '--jq', '.id');
    expect(picked.stdout).toBe(`${rows.map(({ id }) => id).join('\n')}\n`);
    expect((await api(...argv, '--jq', 'length')).stdout).toBe(`${rows.length}\n`);
  });

  test('no rows: an empty array', async () => {
    const none = ['-f', 'from=2020-01-01', '-f', 'to=2020-01-02'];
    expect((await api('/syncs', ...none, '--paginate')).stdout).toBe('[]\n');
    expect((await api('/syncs', ...none, '--paginate', '--format', 'ndjson')).stdout).toBe('');
  });

  test('memory does not grow with the list', async () => {
    // 60 MB of text with a heap of 40 MB.
    contract.reactions.set('/api/v1/syncs', (url) => {
      const page = Number(url.searchParams.get('cursor') ?? 0);
      const data = ids(500).map((index) => createSync(page * 500 + index, { error: { text: 'x'.repeat(2000) } }));
      const hasMore = page < 59;
      return { status: 200, body: { data, hasMore, nextCursor: hasMore ? String(page + 1) : null } };
    });
    const { code, stdout } = await runCli(['api', '/syncs', '--paginate', '--format', 'ndjson'], {
      server: contract,
      env: { NODE_OPTIONS: '--max-old-space-size=40' },
    });
    expect([code, stdout.split('\n').length]).toEqual([0, 30_001]);
  }, 600_000);

  test('fails when a cursor repeats', async () => {
    contract.reactions.set('/api/v1/syncs', { status: 200, body: { data: [], hasMore: true, nextCursor: 'again' } });
    const { code, stderr } = await runInProcess(['api', '/syncs', '--paginate', '--json'], { server: contract });
    expect([code, JSON.parse(stderr).error.code]).toEqual([1, 'pagination']);
  });

  test('exits with 0 when the reader closes the pipe', async () => {
    const child = spawnCli(['api', 'GET', '/syncs', ...RANGE, '--paginate'], {
      server: { url: service.url, apiKey: service.apiKey },
    });
    child.stdout?.destroy();
    expect((await collectResult(child)).code).toBe(0);
  });
});

test.each([
  [
    'another origin',
    ['GET', 'https://evil.example/api/v1/me'],
    { message: expect.stringContaining('not to this address') },
  ],
  ['another origin without a scheme', ['GET', '//evil.example/me'], { code: 'usage' }],
  ['an unknown method', ['FETCH', '/me'], { message: 'The first argument is not an HTTP method' }],
  ['no path', [], { code: 'usage' }],
  ['a body for a GET', ['GET', '/me', '--input', 'x.json'], { message: 'A GET has no body' }],
  ['a field without value', ['GET', '/me', '-f', 'x'], { message: '-f x has no =' }],
  ['a missing file', ['POST', '/webhooks', '--input', 'none.json'], { message: expect.stringMatching(/no such file/) }],
  ['--paginate with POST', ['POST', '/me', '--paginate'], { message: '--paginate works with GET only' }],
  [
    '--paginate of an operation that is not a list',
    ['GET', '/me', '--paginate'],
    { message: 'GET /api/v1/me does not return pages' },
  ],
  ['--format without --paginate', ['GET', '/me', '--format', 'ndjson'], { code: 'usage' }],
])('exits with 2: %s', async (_name, argv, error) => {
  await expectFailure(argv, 2, error);
});

test('the control of the mock emits an event, with the details that are given', async () => {
  const [source] = service.mock.db.sources.all();
  const body = { type: 'sync.failed', sourceId: source?.id, summary: 'Tried out', data: { reason: 'because' } };
  const argv = ['api', 'POST', `${service.url}/__svc/trigger`, '--input', '-'];
  const { code, stdout } = await service.run(argv, { stdin: JSON.stringify(body) });
  expect(code).toBe(0);
  const { eventId } = JSON.parse(stdout);
  expect(service.mock.db.events.findFirst({ where: { id: eventId } })).toMatchObject({
    type: 'sync.failed',
    sourceId: source?.id,
    summary: 'Tried out',
    data: { reason: 'because' },
  });
  const short = await service.run(['api', 'POST', `${service.url}/__svc/trigger`, '-f', 'type=test.ping']);
  expect([short.code, JSON.parse(short.stdout)]).toEqual([0, { eventId: expect.stringMatching(/^osevt_/) }]);
});

test('a message that is a list is joined', async () => {
  const body = { statusCode: 400, message: ['url must be a URL', 'events must be a list'], error: 'Bad Request' };
  contract.reactions.set('/api/v1/me', { status: 400, body });
  const { code, stderr } = await runInProcess(['api', '/me'], { server: contract });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^Error: url must be a URL; events must be a list \(400\)\n/);
});

test('refusals of the service map to exit codes', async () => {
  await expectFailure(['GET', '/nope'], 3, { code: 'not_found', status: 404 });
  await expectFailure(['GET', '/syncs'], 2, { code: 'bad_request', status: 400 });
  const [plain, json] = await Promise.all(
    [[], ['--json']].map((more) =>
      service.run(['api', 'POST', '/syncs/1/retry', ...more], { apiKey: 'osapi_demo_read' }),
    ),
  );
  expect([plain?.code, json?.code]).toEqual([5, 5]);
  expect(plain?.stderr).toContain('API key requires the "write" scope (403)\n  The key lacks the scope write');
  const wrong = await service.run(['api', '/me', '--json'], { apiKey: 'osapi_wrong' });
  expect(wrong.code).toBe(4);
  expect(JSON.parse(wrong.stderr).error).toMatchObject({ hint: expect.stringContaining('SVC_API_KEY') });
  expect(JSON.parse(wrong.stderr).error.requestId).toMatch(/./);
});
