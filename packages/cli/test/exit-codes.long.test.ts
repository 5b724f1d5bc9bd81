import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ACCOUNT_STATUS } from './support/contract-answers.ts';
import {
  API_KEY,
  type ContractServer,
  type Reaction,
  refusal,
  startContractServer,
} from './support/contract-server.ts';
import { buildCli, runCli } from './support/run-cli.ts';
import { runInProcess } from './support/run-in-process.ts';

let server: ContractServer;
beforeAll(async () => {
  await buildCli();
  server = await startContractServer();
});
afterAll(() => server.close());
beforeEach(() => server.reactions.clear());

describe('exit codes are the same with and without --json', () => {
  const STATUS_PATH = '/api/v1/account/status';
  const reset: Reaction = 'reset';
  const table: {
    name: string;
    argv: string[];
    reaction?: Reaction;
    env?: Record<string, string>;
    code: number;
    error?: object;
  }[] = [
    { name: 'success', argv: ['status'], code: 0 },
    { name: 'not ready', argv: ['status', '--exit-code'], code: 9 },
    {
      name: '400',
      argv: ['status'],
      reaction: refusal(400, 'bad'),
      code: 2,
      error: { code: 'bad_request', status: 400, message: 'bad', retryable: false },
    },
    {
      name: '401',
      argv: ['status'],
      env: { SVC_API_KEY: 'osapi_wrong' },
      code: 4,
      error: { code: 'not_authenticated', status: 401, message: 'Invalid API key' },
    },
    {
      name: '403',
      argv: ['status'],
      reaction: refusal(403, 'API access is not enabled for this account'),
      code: 5,
      error: { code: 'forbidden', status: 403 },
    },
    {
      name: '404',
      argv: ['syncs', 'get', '999999'],
      code: 3,
      error: { code: 'not_found', status: 404, message: 'Sync 999999 not found', hint: null },
    },
    {
      name: '409',
      argv: ['status'],
      reaction: refusal(409, 'in progress'),
      code: 6,
      error: { code: 'conflict', retryable: false },
    },
    {
      name: '429',
      argv: ['status'],
      reaction: refusal(429, 'slow down', { 'retry-after': '30' }),
      code: 7,
      error: { code: 'rate_limited', hint: 'Try again in 30 s.', retryable: true },
    },
    {
      name: '500',
      argv: ['status'],
      reaction: refusal(500, 'oops'),
      code: 8,
      error: { code: 'server_error', status: 500, retryable: true },
    },
    {
      name: '502 in HTML',
      argv: ['status'],
      reaction: { status: 502, body: '<h1>Bad gateway</h1>' },
      code: 8,
      error: { message: `GET ${STATUS_PATH} answered 502` },
    },
    {
      name: '200 in HTML',
      argv: ['status'],
      reaction: { status: 200, body: '<h1>Welcome</h1>' },
      code: 1,
      error: { code: 'invalid_response', status: 200 },
    },
    {
      name: '200 with unexpected JSON',
      argv: ['status'],
      reaction: { status: 200, body: { success: true } },
      code: 1,
      error: { code: 'invalid_response', hint: expect.stringContaining('The base URL is http://127.0.0.1:') },
    },
    {
      name: 'a redirect',
      argv: ['status'],
      reaction: { status: 301, body: '', headers: { location: 'https://other.example/x' } },
      code: 1,
      error: { code: 'invalid_response', message: expect.stringContaining('https://other.example/x') },
    },
    {
      name: 'a connection reset',
      argv: ['status'],
      reaction: reset,
      code: 8,
      error: { code: 'network', status: null, retryable: true },
    },
    {
      name: 'nothing listens at the address',
      argv: ['status'],
      env: { SVC_BASE_URL: 'http://127.0.0.1:9' },
      code: 8,
      error: { code: 'network' },
    },
    {
      name: 'no key',
      argv: ['status'],
      env: { SVC_API_KEY: '' },
      code: 4,
      error: { code: 'no_api_key', status: null },
    },
    {
      name: 'an unusable key',
      argv: ['status'],
      env: { SVC_API_KEY: 'osapi_two words' },
      code: 2,
      error: { code: 'usage' },
    },
    {
      name: 'a timeout above the limit of timers',
      argv: ['status', '--timeout', '99999999999'],
      code: 2,
      error: {
        code: 'usage',
        message: '--timeout must be a duration from 1 s to 24 days such as 90s, 30m or 1h30m, not "99999999999"',
      },
    },
    {
      name: 'too many retries',
      argv: ['status', '--max-retries', '1000000'],
      code: 2,
      error: { message: '--max-retries must be a whole number from 0 to 100, not "1000000"' },
    },
    { name: 'an unknown profile', argv: ['status', '--profile', 'nope'], code: 2, error: { code: 'usage' } },
    { name: 'an unusable address', argv: ['status', '--base-url', 'nope'], code: 2, error: { code: 'usage' } },
    {
      name: 'an unknown flag',
      argv: ['status', '--nope=osapi_typed_here'],
      code: 2,
      error: { code: 'usage', message: 'Unknown flag --nope' },
    },
    {
      name: 'an unknown command',
      argv: ['nope'],
      code: 2,
      error: { code: 'usage', message: 'svc nope is not a command' },
    },
    {
      name: 'an unknown command of a topic',
      argv: ['syncs', 'nope'],
      code: 2,
      error: { message: 'svc syncs nope is not a command' },
    },
    {
      name: 'help for an unknown command',
      argv: ['help', 'nope'],
      code: 2,
      error: { message: 'svc nope is not a command' },
    },
    {
      name: 'a misspelled command',
      argv: ['sync', 'list'],
      code: 2,
      error: { message: 'svc sync list is not a command', hint: 'Did you mean `svc syncs list`?' },
    },
    {
      name: 'flags inside the command name',
      argv: ['syncs', '--limit', '5', 'list'],
      code: 2,
      error: { message: 'Flags go after the command' },
    },
    {
      name: 'an argument for a command that takes none',
      argv: ['status', 'hunter2'],
      code: 2,
      error: {
        message: 'Unexpected argument: hunter2',
        hint: '`svc status` takes no arguments. See `svc status --help`.',
      },
    },
    {
      name: 'a flag before the command',
      argv: ['--timeout', '3', 'status'],
      code: 2,
      error: { message: 'Flags go after the command' },
    },
    { name: 'a missing argument', argv: ['syncs', 'get'], code: 2, error: { code: 'usage' } },
    {
      name: 'too many arguments',
      argv: ['syncs', 'get', '1', 'osapi_typed_here'],
      code: 2,
      error: { message: 'Unexpected argument: [key]' },
    },
    {
      name: 'an argument of the wrong type',
      argv: ['syncs', 'get', 'abc'],
      code: 2,
      error: {
        message: 'ID must be a whole number of at least 1, not "abc"',
        hint: 'For example: svc syncs get 700123',
      },
    },
    {
      name: 'a value that is not allowed',
      argv: ['syncs', 'list', '--status', 'nope'],
      code: 2,
      error: { code: 'usage' },
    },
    {
      name: 'flags that exclude each other',
      argv: ['syncs', 'list', '--all', '--limit', '3'],
      code: 2,
      error: { code: 'usage' },
    },
    {
      name: 'an unknown field',
      argv: ['status', '--fields', 'nope'],
      code: 2,
      error: { hint: expect.stringContaining('Fields: ready, checkedAt') },
    },
    { name: 'not a time', argv: ['syncs', 'list', '--since', 'soon'], code: 2, error: { code: 'usage' } },
    { name: 'no range', argv: ['syncs', 'export'], code: 2, error: { message: 'No time range is given' } },
  ];

  test.each(table)('$code: $name', async ({ argv, reaction, env = {}, code, error }) => {
    if (reaction) server.reactions.set(STATUS_PATH, reaction);
    // Without this, most failures would be retried, with waits.
    const once =
      ['nope', 'help'].includes(argv[0] ?? '') || argv.includes('--max-retries') ? [] : ['--max-retries', '0'];
    const [plain, json] = await Promise.all([
      runCli([...argv, ...once], { server, env }),
      runInProcess([...argv, ...once, '--json'], { server, env }),
    ]);
    expect([plain.code, json.code]).toEqual([code, code]);
    for (const { stdout, stderr } of [plain, json]) {
      expect(stdout + stderr).not.toContain(API_KEY);
      expect(stdout + stderr).not.toMatch(/osapi_(typed|wrong|two)/);
      expect(stdout + stderr).not.toContain('    at ');
    }
    if (error === undefined) {
      expect([plain.stderr, json.stderr]).toEqual(['', '']);
      expect(JSON.parse(json.stdout)).toEqual(ACCOUNT_STATUS);
      return;
    }
    expect([plain.stdout, json.stdout]).toEqual(['', '']);
    expect(plain.stderr).toMatch(/^Error: /);
    expect(json.stderr.split('\n')).toHaveLength(2);
    const output = JSON.parse(json.stderr);
    expect(Object.keys(output)).toEqual(['error']);
    expect(Object.keys(output.error)).toEqual(['code', 'status', 'message', 'requestId', 'hint', 'retryable']);
    expect(output.error).toMatchObject(error);
  });
});
