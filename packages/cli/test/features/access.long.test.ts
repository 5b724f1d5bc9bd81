import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli, type CliResult } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';

let service: MockService;
let SVC_CONFIG_DIR: string;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
});
afterAll(() => service.close());
beforeEach(() => {
  SVC_CONFIG_DIR = mkdtempSync(join(tmpdir(), 'svc-access-'));
});

/** Runs without a key in the environment, so that the stored profile is used. */
const svc = (...argv: string[]): Promise<CliResult> => runInProcess(argv, { env: { SVC_CONFIG_DIR } });
const login = (profile: string, key = service.apiKey) =>
  runInProcess(['login', '--profile', profile, '--base-url', service.url], { env: { SVC_CONFIG_DIR }, stdin: key });
const fileOf = (name: string) => join(SVC_CONFIG_DIR, `${name}.json`);
const stored = () => JSON.parse(readFileSync(fileOf('profiles'), 'utf8'));

/** Expects the same failure with and without `--json`, and an empty stdout. */
async function expectFailure(argv: string[], code: number, error: object): Promise<void> {
  const [plain, json] = await Promise.all([svc(...argv), svc(...argv, '--json')]);
  expect([plain.code, json.code]).toEqual([code, code]);
  expect([plain.stdout, json.stdout]).toEqual(['', '']);
  expect(plain.stderr).toMatch(/^Error: /);
  expect(json.stderr.split('\n')).toHaveLength(2);
  expect(JSON.parse(json.stderr).error).toMatchObject(error);
}

describe('login', () => {
  test('storing a second profile says how to make it the default', async () => {
    await login('one');
    const { stderr } = await login('two');
    expect(stderr).toContain('The default is still one: `svc profiles use two` changes it.\n');
    expect(stored()).toMatchObject({ active: 'one', profiles: { one: { baseUrl: service.url }, two: {} } });
  });

  test('the header prefix of the environment is stored in the profile', async () => {
    const env = { SVC_CONFIG_DIR, SVC_HEADER_PREFIX: 'Acme' };
    await runInProcess(['login', '--base-url', service.url], { env, stdin: service.apiKey });
    expect(stored().profiles.default).toMatchObject({ headerPrefix: 'Acme' });
  });
});

describe('variables that win over a stored profile', () => {
  const WINS = 'SVC_API_KEY is set and wins over this profile; unset it to use the stored key, or add --profile one.';

  test('login says so, with the key stored', async () => {
    const env = { SVC_CONFIG_DIR, SVC_API_KEY: 'osapi_old' };
    const argv = ['login', '--profile', 'one', '--base-url', service.url];
    const { code, stderr } = await runInProcess(argv, { env, stdin: service.apiKey });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Stored as profile one: .*\n/);
    expect(stderr).toContain(`${WINS}\n`);
    const json = await runInProcess([...argv, '--json'], { env, stdin: service.apiKey });
    expect([json.code, json.stderr]).toEqual([0, '']);
  });

  test.each([
    ['profiles use', ['profiles', 'use', 'one']],
    ['profiles set', ['profiles', 'set', 'one', '--header-prefix', 'Acme']],
    ['profiles list', ['profiles', 'list']],
    ['config set profile', ['config', 'set', 'profile', 'one']],
    ['config list', ['config', 'list']],
    ['whoami', ['whoami']],
  ])('%s: SVC_API_KEY', async (_name, argv) => {
    await login('one');
    const env = { SVC_CONFIG_DIR, SVC_BASE_URL: service.url, SVC_API_KEY: service.apiKey };
    expect((await runInProcess(argv, { env })).stderr).toContain(`${WINS}\n`);
    expect((await runInProcess([...argv, '--json'], { env })).stderr).toBe('');
    expect((await svc(...argv)).stderr).not.toContain('wins');
  });

  test('SVC_PROFILE and SVC_BASE_URL', async () => {
    await login('one');
    await login('two');
    const use = (env: Record<string, string>) =>
      runInProcess(['profiles', 'use', 'one'], { env: { SVC_CONFIG_DIR, ...env } });
    expect((await use({ SVC_PROFILE: 'two' })).stderr).toContain(
      'SVC_PROFILE is two and wins over this profile; unset it, or add --profile one.\n',
    );
    expect((await use({ SVC_BASE_URL: 'https://other.example.com' })).stderr).toContain(
      `SVC_BASE_URL is https://other.example.com and wins over the address of this profile, ${service.url}; unset it, or add --profile one.\n`,
    );
    for (const address of ['https://me:s3cret@other.example.com', 'https://other.example.com/?key=s3cret']) {
      expect((await use({ SVC_BASE_URL: address })).stderr).toContain('SVC_BASE_URL is set and wins over the address');
    }
    expect((await use({ SVC_PROFILE: 'one', SVC_BASE_URL: `${service.url}/` })).stderr).not.toContain('wins');
  });

  test.each([
    [
      'base-url',
      'https://new.example.com',
      { SVC_BASE_URL: 'https://a.example.com' },
      'SVC_BASE_URL is https://a.example',
    ],
    [
      'base-url',
      'https://new.example.com',
      { SVC_BASE_URL: 'https://me:s3cret@a.example.com' },
      'SVC_BASE_URL is set and wins over base-url',
    ],
    ['header-prefix', 'Acme', { SVC_HEADER_PREFIX: 'Other' }, 'SVC_HEADER_PREFIX is Other and wins over header-prefix'],
  ])('config set %s', async (name, value, env, note) => {
    const { code, stderr } = await runInProcess(['config', 'set', name, value], { env: { SVC_CONFIG_DIR, ...env } });
    expect(code).toBe(0);
    expect(stderr).toContain(note);
    expect((await svc('config', 'set', name, value)).stderr).not.toContain('wins');
  });
});

describe('whoami', () => {
  test('shows what the key may do and where it came from', async () => {
    await login('one');
    const { code, stdout } = await svc('whoami');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Key:\t.+, from profile one$/m);
    expect(stdout).toMatch(/^Scopes:\tread, write$/m);
    expect(stdout).toMatch(/^Access:\tall connections$/m);
    const scoped = await service.run(['whoami'], { apiKey: 'osapi_demo_connection_read' });
    expect(scoped.stdout).toMatch(/^Scopes:\tread$/m);
    expect(scoped.stdout).toMatch(/^Access:\tconnection \d+ only$/m);
    expect(scoped.stdout).toMatch(/from SVC_API_KEY$/m);
  });
});

describe('a rejected key', () => {
  const profile = (apiKey: string) => ({ apiKey, baseUrl: service.url });
  const hintOf = async (argv: string[], env: Record<string, string> = {}) => {
    const { code, stderr } = await runInProcess([...argv, '--json'], { env: { SVC_CONFIG_DIR, ...env } });
    return [code, JSON.parse(stderr).error.hint];
  };

  test('401 says where the key came from and how to store another', async () => {
    const profiles = { one: profile('osapi_wrong'), two: profile('osapi_wrong') };
    writeFileSync(fileOf('profiles'), JSON.stringify({ active: 'one', profiles }));
    const sent = `and was sent to ${service.url}.`;
    expect(await hintOf(['whoami'])).toEqual([
      4,
      `The key comes from profile one ${sent} \`svc login --profile one\` stores another.`,
    ]);
    expect(await hintOf(['whoami', '--profile', 'two'])).toEqual([
      4,
      `The key comes from profile two (--profile) ${sent} \`svc login --profile two\` stores another.`,
    ]);
    expect(await hintOf(['whoami'], { SVC_PROFILE: 'two' })).toEqual([
      4,
      `The key comes from profile two (SVC_PROFILE) ${sent} \`svc login --profile two\` stores another.`,
    ]);
    const env = { SVC_API_KEY: 'osapi_wrong', SVC_BASE_URL: service.url };
    expect(await hintOf(['whoami'], env)).toEqual([4, `The key comes from SVC_API_KEY ${sent}`]);
  });

  test.each([
    [
      'osapi_demo_read',
      ['api', 'POST', '/syncs/1/retry'],
      /^The key lacks the scope write. On your own server .svc-server keys create /,
    ],
    [
      'osapi_demo_read',
      ['api', 'POST', '/webhooks', '-f', 'url=https://x.example'],
      /^The key lacks the scope write. On your own server .svc-server keys create /,
    ],
    ['osapi_demo_connection', ['api', '/webhooks'], /^The key is for one connection only/],
    ['osapi_demo_no_webhooks', ['api', '/webhooks'], /^Another key does not help/],
    ['osapi_demo_no_api', ['api', '/syncs/1'], /^Another key does not help/],
  ])('403 says which permission %s lacks for %j', async (apiKey, argv, hint) => {
    const env = { SVC_API_KEY: apiKey, SVC_BASE_URL: service.url };
    expect(await hintOf(argv, env)).toEqual([5, expect.stringMatching(hint)]);
  });
});

describe('logout', () => {
  test('removes the key of the default profile and no other', async () => {
    await login('one');
    await login('two');
    expect(await svc('logout')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'Removed from this machine: one. The keys themselves were not revoked.\n',
    });
    expect(stored()).toEqual({ active: null, profiles: { two: expect.anything() } });
    expect((await svc('whoami')).code).toBe(4);
    expect((await svc('whoami', '--profile', 'two')).code).toBe(0);
    await expectFailure(['logout'], 4, {
      code: 'not_logged_in',
      message: 'There is no default profile. Profiles: two',
    });
  });

  test('takes the profile from --profile or SVC_PROFILE, and mentions a key in the environment', async () => {
    await login('one');
    await login('two');
    await login('three');
    expect((await svc('logout', '--profile', 'two', '--json')).stdout).toBe('{\n  "removed": [\n    "two"\n  ]\n}\n');
    const env = { SVC_CONFIG_DIR, SVC_PROFILE: 'three', SVC_API_KEY: 'osapi_x' };
    const { stderr } = await runInProcess(['logout'], { env });
    expect(stderr).toContain('Removed from this machine: three.');
    expect(stderr).toContain('SVC_API_KEY is still set');
    expect(Object.keys(stored().profiles)).toEqual(['one']);
    await expectFailure(['logout', '--profile', 'two'], 2, { code: 'usage' });
  });

  test('--all needs --yes without a terminal', async () => {
    await login('one');
    await login('two');
    await expectFailure(['logout', '--all'], 2, {
      code: 'usage',
      message: 'Needs confirmation: add --yes when not in a terminal',
    });
    expect(Object.keys(stored().profiles)).toEqual(['one', 'two']);
    expect((await svc('logout', '--all', '--yes')).code).toBe(0);
    expect(stored()).toEqual({ active: null, profiles: {} });
    expect(readFileSync(fileOf('profiles'), 'utf8')).not.toContain('osapi_');
    await expectFailure(['logout', '--all', '--yes'], 4, { message: 'No key is stored on this machine' });
  });
});

describe('profiles', () => {
  test('list shows everything except the keys', async () => {
    expect(await svc('profiles', 'list')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No profiles are stored. `svc login` stores one.\n',
    });
    await login('one');
    await login('two');
    const { stdout, code } = await svc('profiles', 'list', '--format', 'table');
    expect([code, stdout]).toEqual([
      0,
      `NAME  DEFAULT  BASE URL${' '.repeat(service.url.length - 8)}  HEADERS    RANGE
one   yes      ${service.url}  Service-*
two            ${service.url}  Service-*
`,
    ]);
    const rows = JSON.parse((await svc('profiles', 'list', '--json')).stdout);
    expect(rows).toEqual([
      { name: 'one', isDefault: true, baseUrl: service.url, headerPrefix: 'Service', range: null },
      { name: 'two', isDefault: false, baseUrl: service.url, headerPrefix: 'Service', range: null },
    ]);
    expect((await svc('profiles', 'list', '--format', 'csv', '--fields', 'name')).stdout).toBe('name\none\ntwo\n');
    await expectFailure(['profiles', 'list', '--fields', 'apiKey'], 2, {
      hint: 'Fields: name, isDefault, baseUrl, headerPrefix, range',
    });
  });

  test('use changes the default profile', async () => {
    await login('one');
    await login('two', 'osapi_demo_read');
    expect(await svc('profiles', 'use', 'two')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'The default profile is now two.\n',
    });
    expect((await svc('whoami')).stdout).toContain('from profile two');
    expect((await svc('profiles', 'use', 'one', '--json')).stdout).toBe('{\n  "default": "one"\n}\n');
    await expectFailure(['profiles', 'use', 'nope'], 2, {
      message: 'There is no profile nope. Profiles: one, two.',
      hint: '`svc login --profile nope` creates it.',
    });
    await expectFailure(['profiles', 'use', 'toString'], 2, { code: 'usage' });
  });

  test('remove needs --yes and clears the default', async () => {
    await login('one');
    await expectFailure(['profiles', 'remove', 'one'], 2, { hint: 'To confirm: Remove profile one and its key?' });
    expect(await svc('profiles', 'remove', 'one', '--yes')).toMatchObject({
      code: 0,
      stderr: 'Removed profile one.\nThere is no default profile now. `svc profiles use NAME` sets one.\n',
    });
    expect(stored()).toEqual({ active: null, profiles: {} });
    await expectFailure(['profiles', 'remove', 'one', '--yes'], 2, { code: 'usage' });
  });

  test('set changes address and header prefix, never the key', async () => {
    await login('one');
    expect((await svc('profiles', 'set', 'one', '--header-prefix', 'Acme-')).stderr).toBe(
      `Profile one: ${service.url}, headers Acme-*\n`,
    );
    expect(stored().profiles.one).toEqual({ apiKey: service.apiKey, baseUrl: service.url, headerPrefix: 'Acme' });
    const json = await svc('profiles', 'set', 'one', '--base-url', 'https://other.example', '--json');
    expect(JSON.parse(json.stdout)).toEqual({ profile: 'one', baseUrl: 'https://other.example', headerPrefix: 'Acme' });
    await svc('profiles', 'set', 'one', '--header-prefix', '');
    expect(stored().profiles.one).toEqual({ apiKey: service.apiKey, baseUrl: 'https://other.example' });
    const newer = { ...stored(), later: 1, profiles: { one: { ...stored().profiles.one, later: 2 } } };
    writeFileSync(fileOf('profiles'), JSON.stringify(newer));
    expect((await svc('profiles', 'set', 'one', '--header-prefix', 'Acme', '--json')).stdout).not.toContain('later');
    expect(stored()).toMatchObject({ later: 1, profiles: { one: { later: 2, headerPrefix: 'Acme' } } });
    await expectFailure(['profiles', 'set', 'one'], 2, { message: 'Nothing to change is given' });
    await expectFailure(['profiles', 'set', 'one', '--base-url', 'ftp://x'], 2, { code: 'usage' });
    await expectFailure(['profiles', 'set', 'one', '--header-prefix', 'a b'], 2, { code: 'usage' });
    await expectFailure(['profiles', 'set', 'two', '--header-prefix', 'A'], 2, { code: 'usage' });
  });
});

test('request ids are found only with the header prefix of the service', async () => {
  const env = { SVC_CONFIG_DIR, SVC_BASE_URL: service.url, SVC_API_KEY: 'osapi_wrong' };
  const usual = await runInProcess(['whoami', '--json'], { env });
  const other = await runInProcess(['whoami', '--json'], { env: { ...env, SVC_HEADER_PREFIX: 'Acme' } });
  expect(JSON.parse(usual.stderr).error.requestId).toMatch(/./);
  expect(JSON.parse(other.stderr).error.requestId).toBeNull();
  const bad = await runInProcess(['whoami', '--json'], { env: { ...env, SVC_HEADER_PREFIX: 'a b' } });
  expect([bad.code, JSON.parse(bad.stderr).error.code]).toEqual([2, 'usage']);
});

describe('config', () => {
  test('list, get, set and --unset work', async () => {
    expect((await svc('config', 'list', '--format', 'table')).stdout).toBe(
      `NAME           VALUE                  FROM
profile                               default
base-url       http://127.0.0.1:4000  default
timeout        30                     default
max-retries    3                      default
format         table                  default
range          7d                     default
local-time     false                  default
header-prefix  Service                default
`,
    );
    expect(await svc('config', 'set', 'timeout', '120')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'timeout is 120\n',
    });
    expect(statSync(fileOf('config')).mode & 0o777).toBe(0o600);
    expect(readdirSync(SVC_CONFIG_DIR)).toEqual(['config.json']);
    expect((await svc('config', 'get', 'timeout')).stdout).toBe('120\n');
    expect(JSON.parse((await svc('config', 'get', 'timeout', '--json')).stdout)).toEqual({
      name: 'timeout',
      value: 120,
      source: 'config',
    });
    expect((await svc('config', 'set', 'timeout', '--unset')).stderr).toBe('timeout is 30 (the built-in default)\n');
    expect((await svc('config', 'list', '--format', 'csv')).stdout).toContain('\ntimeout,30,default\n');
  });

  test.each([
    [['config', 'get', 'nope'], 'NAME must be profile, base-url'],
    [['config', 'set', 'nope', '1'], 'NAME must be profile, base-url'],
    [['config', 'set', 'timeout'], 'Give a value, or --unset'],
    [['config', 'set', 'timeout', '1', '--unset'], 'Give a value, or --unset'],
    [['config', 'set', 'timeout', '0'], 'timeout must be a whole number from 1 to 2147483'],
    [['config', 'set', 'max-retries', 'many'], 'max-retries must be a whole number from 0 to 100'],
    [['config', 'set', 'format', 'xml'], 'format must be table, tsv, json, ndjson or csv, not "xml"'],
    [['config', 'set', 'base-url', 'nope'], 'base-url is not an http or https address'],
    [['config', 'set', 'profile', 'nope'], 'There is no profile nope'],
  ])('%j exits with 2', async (argv, message) => {
    await expectFailure(argv, 2, { code: 'usage', message: expect.stringContaining(message) });
    expect(readdirSync(SVC_CONFIG_DIR)).toEqual([]);
  });

  test('configured defaults are used, and flags override them', async () => {
    await login('one');
    await svc('config', 'set', 'format', 'csv');
    expect((await svc('connections', 'list', '--fields', 'crm')).stdout).toMatch(/^crm\n/);
    expect((await svc('connections', 'list', '--format', 'ndjson')).stdout).toMatch(/^\{/);
    expect((await svc('connections', 'list', '--json')).stdout).toMatch(/^\[/);
    await svc('config', 'set', 'timeout', '1');
    await svc('config', 'set', 'max-retries', '0');
    service.mock.faults.add({ effect: { kind: 'hang' } });
    // `--timeout` of the last two commands means something else.
    for (const argv of [['whoami'], ['blocklists', 'resync', '1'], ['webhooks', 'test', 'oswhk_1']]) {
      const short = await svc(...argv, '--json');
      expect([short.code, JSON.parse(short.stderr).error.message]).toEqual([8, expect.stringContaining('1000 ms')]);
    }
    service.mock.faults.clear();
    await svc('config', 'set', 'base-url', 'http://127.0.0.1:9');
    expect((await svc('status')).code).toBe(0);
    expect((await runInProcess(['status'], { env: { SVC_CONFIG_DIR, SVC_API_KEY: 'osapi_x' } })).stderr).toContain(
      'The address comes from svc config.',
    );
  });

  test('profile is the default that svc profiles use sets', async () => {
    await login('one');
    await login('two');
    await svc('config', 'set', 'profile', 'two');
    expect((await svc('config', 'get', 'profile')).stdout).toBe('two\n');
    expect(stored().active).toBe('two');
    await svc('config', 'set', 'profile', '--unset');
    expect((await svc('whoami')).code).toBe(4);
  });

  test('path works with a broken file, and errors do not quote the file', async () => {
    writeFileSync(fileOf('config'), '{ osapi_typed');
    expect((await svc('config', 'path')).stdout).toBe(`${fileOf('config')}\n`);
    expect(JSON.parse((await svc('config', 'path', '--json')).stdout)).toEqual({
      config: fileOf('config'),
      profiles: fileOf('profiles'),
      cache: expect.stringMatching(/svc/),
    });
    await expectFailure(['config', 'list'], 1, { code: 'config_unreadable' });
    expect((await svc('config', 'list')).stderr).not.toContain('osapi_');
  });

  test('unknown and invalid entries of the file are ignored and kept', async () => {
    writeFileSync(fileOf('config'), JSON.stringify({ timeout: -1, format: 'xml', colour: 'blue', 'max-retries': 5 }));
    expect((await svc('config', 'list', '--jq', 'map(select(.source == "config").name)')).stdout).toBe(
      '["max-retries"]\n',
    );
    await svc('config', 'set', 'timeout', '9');
    const kept = { timeout: 9, format: 'xml', colour: 'blue', 'max-retries': 5 };
    expect(JSON.parse(readFileSync(fileOf('config'), 'utf8'))).toEqual(kept);
  });
});
