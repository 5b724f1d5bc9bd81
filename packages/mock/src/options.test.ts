import { fileURLToPath } from 'node:url';
import { DEFAULT_BRANDING } from '@svc/domain/pages/branding';
import { expect, test } from 'vitest';
import { helpText, readOptions, UsageError } from './options.ts';
import { SCENARIO_NAMES } from './state/scenario-names.ts';

const NO_WORLD = fileURLToPath(import.meta.url);
const MINIMAL = fileURLToPath(new URL('../../../fixtures/minimal-world.json', import.meta.url));

test('defaults', async () => {
  expect(await readOptions([])).toMatchObject({
    port: 4010,
    host: '127.0.0.1',
    scenarios: [],
    now: undefined,
    rateLimit: 'off',
    latencyMs: 0,
    seed: 1,
    receivers: {},
    allowsRemoteReceivers: false,
    trustedProxies: 0,
    runsJobs: true,
    controlToken: undefined,
    baseUrl: undefined,
    branding: DEFAULT_BRANDING,
  });
});

test('prefixes', async () => {
  const args = ['--header-prefix', 'Acme-', '--key-prefix=acme_', '--secret-prefix', 'sign_'];
  const branding = { headerPrefix: 'Acme', keyPrefix: 'acme_', secretPrefix: 'sign_' };
  expect(await readOptions(args)).toMatchObject({ branding });
});

test('every option', async () => {
  const args = [
    '--port',
    '0',
    '--host',
    '::1',
    '--scenario',
    'ready',
    '--scenario',
    'slow',
    '--world',
    MINIMAL,
    '--seed',
    '7',
  ];
  const more = [
    '--now',
    '2026-01-15T12:00:00+02:00',
    '--rate-limit',
    'spec',
    '--latency',
    '250',
    '--allow-remote-receivers',
  ];
  const receivers = [
    '--receiver',
    'A.example.com=https://r.example.org/x=1',
    '--receiver',
    'b.example.com=http://127.0.0.1:9',
  ];
  const rest = [
    '--trust-proxy',
    '2',
    '--jobs',
    'off',
    '--control-token',
    'mine',
    '--base-url',
    'https://api.example.com/svc/',
  ];
  const options = await readOptions([...args, ...more, ...receivers, ...rest], 'of the environment');
  expect(options).toMatchObject({
    port: 0,
    host: '::1',
    scenarios: ['ready', 'slow'],
    now: new Date('2026-01-15T10:00:00Z'),
    rateLimit: 'spec',
    latencyMs: 250,
    seed: 7,
    receivers: { 'a.example.com': 'https://r.example.org/x=1', 'b.example.com': 'http://127.0.0.1:9' },
    trustedProxies: 2,
    runsJobs: false,
    controlToken: 'mine',
    baseUrl: 'https://api.example.com/svc',
  });
  expect(options).toHaveProperty('file.name', expect.any(String));
});

test('a date is midnight UTC; the token can come from the environment, where an empty one is ignored', async () => {
  expect(await readOptions(['--now', '2026-01-15'], 'env')).toMatchObject({
    now: new Date('2026-01-15T00:00:00Z'),
    controlToken: 'env',
  });
  expect(await readOptions([], '')).toMatchObject({ controlToken: undefined });
});

test.each([
  ['2026-01-15 10:30', '2026-01-15T10:30:00.000Z'],
  ['2026-01-15T10:30:00+02:00', '2026-01-15T08:30:00.000Z'],
])('--now %s', async (text, now) => {
  expect(await readOptions(['--now', text])).toMatchObject({ now: new Date(now) });
});

test('addresses of this machine may omit http://', async () => {
  const args = ['--base-url', 'localhost:4010/svc', '--receiver', 'hooks.example.com=localhost:3000'];
  expect(await readOptions(args)).toMatchObject({
    baseUrl: 'http://localhost:4010/svc',
    receivers: { 'hooks.example.com': 'http://localhost:3000' },
  });
});

test('a value after = may begin with -', async () => {
  expect(await readOptions(['--control-token=-x'])).toMatchObject({ controlToken: '-x' });
});

test.each([[['-h']], [['help']], [['--port', '0', 'help']], [['help', '--port', '0']]])(
  '%j is --help',
  async (args) => {
    expect(await readOptions(args)).toBe('help');
  },
);

test.each([[['-v']], [['version']], [['--port', '0', '-v']], [['--port', '0', 'version']]])(
  '%j is --version',
  async (args) => {
    expect(await readOptions(args)).toBe('version');
  },
);

test('--help and --version take precedence', async () => {
  expect(await readOptions(['--help', '--port', 'x'])).toBe('help');
  expect(await readOptions(['--version'])).toBe('version');
  for (const name of SCENARIO_NAMES) expect(helpText()).toContain(name);
});

test.each([
  [['--prot', '1'], "unknown option '--prot'"],
  [['--control-token'], '--control-token'],
  [['--control-token', '--allow-remote-receivers'], '--control-token needs a value'],
  [['--host', '--port', '1'], '--host needs a value; write --host=VALUE for a value that begins with -'],
  [['extra'], 'unexpected argument "extra"'],
  [['recrod', '--upstream', 'x'], "unknown option '--upstream'"],
  [['recrod'], 'unexpected argument "recrod". Did you mean svc-mock record?'],
  [['--port'], '--port'],
  [['--port', '70000'], '--port must be a whole number from 0 to 65535, not 70000'],
  [['--latency', '-5'], '--latency'],
  [['--seed', '1.5'], '--seed must be a whole number'],
  [['--scenario', 'redy'], 'unknown scenario "redy". Did you mean ready? Scenarios: ready, not-ready'],
  [['--now', 'tomorrow'], '--now must be a time such as 2026-01-15T12:00:00Z'],
  [['--now', '2026-02-30T00:00:00Z'], '--now'],
  [['--rate-limit', 'on'], '--rate-limit must be off or spec, not on'],
  [
    ['--base-url', 'api.example.com'],
    '--base-url must be an http or https URL, such as https://api.example.com, not api.example.com',
  ],
  [['--base-url', 'https://api.example.com/?a=1'], 'without query and fragment'],
  [['--header-prefix', 'a b'], '--header-prefix must be the beginning of a header name'],
  [['--key-prefix', ''], '--key-prefix must be 2 to 32'],
  [['--secret-prefix', '_'], '--secret-prefix must be 2 to 32'],
  [['--trust-proxy', '100'], '--trust-proxy must be a whole number from 0 to 99, not 100'],
  [['--jobs', 'no'], '--jobs must be on or off, not no'],
  [['--receiver', 'hooks.example.com'], '--receiver must be HOST=URL'],
  [['--receiver', 'hooks.example.com:1=http://127.0.0.1'], 'the host without a port'],
  [['--receiver', 'hooks.example.com=http://example.org'], '--allow-remote-receivers'],
  [['--world', '/nowhere/world.json'], '--world: /nowhere/world.json cannot be used: there is no such file'],
  [['--world', NO_WORLD], 'cannot be used'],
])('%j is refused', async (args, text) => {
  const refused = readOptions(args);
  await expect(refused).rejects.toThrow(UsageError);
  await expect(refused).rejects.toThrow(text);
});
