/** What a person sees after a mistake in a command line: each message names the flag, the value and the right one. */
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildCli } from './support/run-cli.ts';
import { runInProcess } from './support/run-in-process.ts';

beforeAll(() => buildCli(), 120_000);

/** Returns stderr of a command that must exit with 2 and print nothing else. */
async function mistake(line: string, env: Record<string, string> = {}): Promise<string> {
  const words = line.split(' ').filter((word) => word !== '');
  const { code, stdout, stderr } = await runInProcess(words, { env: { SVC_API_KEY: 'osapi_x', ...env } });
  expect([code, stdout]).toEqual([2, '']);
  return stderr;
}

const help = (command: string) => `See \`svc ${command} --help\`.`;

test.each([
  ['syncs list --limt 5', 'Unknown flag --limt', 'Did you mean --limit?'],
  ['events tail --forward-to localhost:3000', 'Unknown flag --forward-to', '`svc webhooks listen` forwards'],
  ['syncs list -n 3', 'Unknown flag -n', 'Did you mean --limit?'],
  ['syncs list -q .[].id', 'Unknown flag -q', 'Did you mean --jq?'],
  ['syncs list -o json', 'Unknown flag -o', 'Did you mean --format?'],
  ['syncs list --output json', 'Unknown flag --output', 'Did you mean --format? To write a file: > FILE'],
  ['status --output json', 'Unknown flag --output', 'Did you mean --json?'],
  ['syncs retry --status error --since 7d', 'Unknown flag --status', help('syncs retry')],
  ['open nonsense --no-browser', 'PAGE must be docs, openapi, ', help('open')],
  ['syncs get --wat abc', 'Unknown flag --wat', help('syncs get')],
  ['syncs list --nonsense', 'Unknown flag --nonsense', help('syncs list')],
  [
    'syncs list --status failed',
    '--status must be success, warning or error, not "failed"',
    'Did you mean --status error?',
  ],
  ['syncs list --format jsonl', '--format must be table, ', 'Did you mean --format ndjson?'],
  ['syncs get abc', 'ID must be a whole number of at least 1, not "abc"', 'For example: svc syncs get 700123'],
  ['syncs get 0', 'ID must be a whole number of at least 1, not "0"', 'For example: svc syncs get 700123'],
  ['syncs get', 'ID is missing', 'For example: svc syncs get 700123'],
  [
    'webhooks create',
    'Flag --url URL is missing',
    'For example: svc webhooks create --url https://hooks.example.com/svc',
  ],
  ['open', 'PAGE is missing: docs, openapi, connection, source or code', 'For example: svc open docs'],
  ['syncs list --limit', '--limit needs a value', help('syncs list')],
  ['syncs list --since --limt', '--since needs a value', 'For a value that begins with -, write --since=VALUE.'],
  ['syncs list --limit many', '--limit must be a whole number of at least 1, or all, not "many"', help('syncs list')],
  ['syncs list --limit 1 --limit 2', '--limit can be given only once', help('syncs list')],
  ['syncs list --all --limit 3', 'Use either --all or --limit, not both', help('syncs list')],
  ['syncs list --jq . --format csv', 'Use either --jq or --format csv, not both', '--jq works on JSON.'],
  ['syncs list --fields idd', 'Unknown field: idd', 'Did you mean id? Fields: id, status'],
  ['syncs list --since soon', 'soon is not a time', 'For example: 7d'],
  ['syncs list --jq .[', '--jq: syntax error', 'https://jqlang.org/manual'],
  [
    'syncs tail --interval 1x',
    '--interval must be a duration from 1 s to 24 days such as 90s, 30m or 1h30m, not "1x"',
    '',
  ],
  ['api /me --format json', '--format can be used only together with --paginate', help('api')],
  ['config set timout 3', 'NAME must be profile, base-url', 'Did you mean timeout?'],
  ['config set timeout abc', 'timeout must be a whole number from 1 to 2147483, not "abc"', ''],
  ['completion bsh', 'SHELL must be bash, zsh or fish, not "bsh"', 'Did you mean bash?'],
  [
    'webhooks delete oswhk_1',
    'Needs confirmation: add --yes when not in a terminal',
    'To confirm: Delete webhook oswhk_1',
  ],
  [
    'webhooks listen --forward-to 3000',
    '--forward-to must be an address, not "3000"',
    'Did you mean --forward-to localhost:3000?',
  ],
  [
    'webhooks listen --forward-to ftp://x',
    '--forward-to is not an http or https address: ftp://x',
    'For example http://localhost:3000/hooks.',
  ],
  ['status --profile nope', 'There is no profile nope (from --profile)', '`svc login --profile nope` creates it.'],
])('svc %s', async (line, message, hint) => {
  const json = line.includes('--jq');
  const text = await mistake(line);
  if (json)
    expect(JSON.parse(text).error).toMatchObject({
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  else expect(text.slice(0, `Error: ${message}`.length)).toBe(`Error: ${message}`);
  expect(text).toContain(hint);
  expect(text).not.toContain('u001b');
  expect(text).not.toContain('\u001b');
});

test.each([
  ['stauts', 'svc stauts is not a command', 'Did you mean `svc status`?'],
  ['sync list', 'svc sync list is not a command', 'Did you mean `svc syncs list`?'],
  ['syncs lst', 'svc syncs lst is not a command', 'Did you mean `svc syncs list`?'],
  ['help stauts', 'svc stauts is not a command', 'Did you mean `svc status`?'],
  ['Status', 'svc Status is not a command', 'Did you mean `svc status`?'],
  [
    'sources add',
    'svc sources add is not a command',
    '`svc-server sources add` does this, on the machine of the server.',
  ],
  [
    'connections connect hubspot',
    'svc connections connect hubspot is not a command',
    '`svc-server connections connect` does this, on the machine of the server.',
  ],
  [
    'destinations create',
    'svc destinations create is not a command',
    '`svc-server destinations add` does this, on the machine of the server.',
  ],
  ['accounts', 'svc accounts is not a command', '`svc-server accounts` does this, on the machine of the server.'],
  ['backup file', 'svc backup file is not a command', '`svc-server backup` does this, on the machine of the server.'],
  ['sources frobnicate', 'svc sources frobnicate is not a command', 'See `svc sources --help`.'],
  ['syncs --limit 5', 'Flags go after the command', 'See `svc syncs --help`.'],
  ['syncs list help', 'Unexpected argument: help', '`svc syncs list` takes no arguments. See `svc syncs list --help`.'],
])('svc %s', async (line, message, hint) => {
  expect(await mistake(line)).toBe(`Error: ${message}\n  ${hint}\n`);
});

test.each(['syncs list --json id,error --limit 1', 'syncs list --json=id,error'])('svc %s, as in gh', async (line) => {
  const text = await mistake(line);
  expect(text).toContain('--json takes no value, but got');
  expect(text).toContain('id,error');
  expect(text).toContain('For fields: --json --fields id,error');
});

test('SVC_LOG with an unknown level', async () => {
  expect(await mistake('status', { SVC_LOG: 'inf' })).toBe(
    'Error: SVC_LOG must be debug, info, warn or off, not "inf"\n  Did you mean info?\n',
  );
});

describe('SVC_BASE_URL', () => {
  const ADDRESS = 'The base URL from SVC_BASE_URL';
  test.each([
    ['sync.example.com', `${ADDRESS} has no scheme`, 'Write https://sync.example.com.'],
    [
      'http://127.0.0.1:4391/api/v1',
      `${ADDRESS} must not include /api/v1; it is added automatically`,
      'Use http://127.0.0.1:4391',
    ],
    [
      'ftp://sync.example.com',
      `${ADDRESS} is not an http or https address: ftp://sync.example.com`,
      'For example https://sync.example.com.',
    ],
    [
      'me:secret@sync.example.com',
      `${ADDRESS} is not an http or https address\n`,
      'For example https://sync.example.com.',
    ],
  ])('%s', async (SVC_BASE_URL, message, hint) => {
    const text = await mistake('status', { SVC_BASE_URL });
    expect(text).toContain(`Error: ${message}`);
    expect(text).toContain(`  ${hint}\n`);
    expect(text).not.toContain('secret');
  });

  test('SVC_PROFILE without such a profile', async () => {
    const text = await mistake('status', { SVC_API_KEY: '', SVC_PROFILE: 'stagin' });
    expect(text).toBe(
      'Error: There is no profile stagin (from SVC_PROFILE). No profiles are stored.\n  `svc login --profile stagin` creates it.\n',
    );
  });
});

describe('the wrong server', () => {
  const web = createHttpServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8').end('<h1>Welcome</h1>');
  });
  // A TLS server closes the connection when it gets plain HTTP.
  const tls = createTcpServer((socket) => socket.on('error', () => {}).once('data', () => socket.destroy()));
  const port = (server: Server) => (server.address() as AddressInfo).port;
  beforeAll(async () => {
    for (const server of [web, tls]) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterAll(() => {
    web.close();
    tls.close();
  });

  const status = async (SVC_BASE_URL: string) => {
    const { code, stderr } = await runInProcess(['status', '--max-retries', '0'], {
      env: { SVC_API_KEY: 'osapi_x', SVC_BASE_URL },
    });
    return [code, stderr];
  };

  test('https on a port that speaks http', async () => {
    expect(await status(`https://127.0.0.1:${port(web)}`)).toEqual([
      8,
      `Error: Cannot reach https://127.0.0.1:${port(web)}: the server speaks http on this port, not https\n  Use http://127.0.0.1:${port(web)}. The address comes from SVC_BASE_URL.\n`,
    ]);
  });

  test('http on a port that speaks https', async () => {
    expect(await status(`http://127.0.0.1:${port(tls)}`)).toEqual([
      8,
      expect.stringContaining(`If the server speaks https on this port, use https://127.0.0.1:${port(tls)}.`),
    ]);
  });

  test('nothing: a command says at once that it tries again', async () => {
    const { code, stderr } = await runInProcess(['status', '--max-retries', '2'], {
      env: { SVC_API_KEY: 'osapi_x', SVC_BASE_URL: 'http://127.0.0.1:9' },
    });
    expect(code).toBe(8);
    expect(stderr).toMatch(
      /^http:\/\/127\.0\.0\.1:9: no connection, trying again\nError: Cannot reach http:\/\/127\.0\.0\.1:9.*\n/,
    );
    expect(stderr.match(/trying again/g)).toHaveLength(1);
  });

  test('a website', async () => {
    expect(await status(`http://127.0.0.1:${port(web)}`)).toEqual([
      1,
      `Error: The answer to GET /api/v1/account/status is an HTML page; is the base URL correct? (200)\n  The base URL is http://127.0.0.1:${port(web)}, from SVC_BASE_URL.\n`,
    ]);
  });
});

test('an argument that may be a secret is not shown', async () => {
  const secret = 'acme_0123456789abcdef0123456789abcdef';
  expect(await mistake(`login ${secret}`)).toBe(
    'Error: Unexpected argument\n  `svc login` takes no arguments. See `svc login --help`.\n',
  );
});
