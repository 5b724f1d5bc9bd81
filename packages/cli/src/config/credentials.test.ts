import { describe, expect, test } from 'vitest';
import type { Environment } from './environment.ts';
import type { ProfileStore } from './profiles.ts';
import { requireKey, resolveCredentials, resolveLoginAddress } from './credentials.ts';

const NOTHING: Environment = {
  apiKey: null,
  baseUrl: null,
  profile: null,
  headerPrefix: null,
};
const STORE: ProfileStore = {
  active: 'prod',
  profiles: {
    prod: { apiKey: 'osapi_prod', baseUrl: 'https://prod.example' },
    staging: { apiKey: 'osapi_staging', baseUrl: 'https://staging.example' },
  },
};
const EMPTY: ProfileStore = { active: null, profiles: {} };
const resolve = (flags: Parameters<typeof resolveCredentials>[0], environment: Partial<Environment>, store = STORE) =>
  resolveCredentials(flags, { ...NOTHING, ...environment }, () => store);

describe('resolveCredentials', () => {
  test.each([
    ['nothing at all', {}, {}, EMPTY, null, 'http://127.0.0.1:4000'],
    ['the active profile', {}, {}, STORE, 'osapi_prod', 'https://prod.example'],
    ['SVC_PROFILE', {}, { profile: 'staging' }, STORE, 'osapi_staging', 'https://staging.example'],
    [
      'SVC_API_KEY does not go to the address of a profile',
      {},
      { apiKey: 'osapi_env' },
      STORE,
      'osapi_env',
      'http://127.0.0.1:4000',
    ],
    [
      'SVC_API_KEY over SVC_PROFILE',
      {},
      { apiKey: 'osapi_env', profile: 'staging' },
      STORE,
      'osapi_env',
      'http://127.0.0.1:4000',
    ],
    [
      '--profile over the environment',
      { profile: 'staging' },
      { apiKey: 'osapi_env', baseUrl: 'https://env.example' },
      STORE,
      'osapi_staging',
      'https://staging.example',
    ],
    [
      'SVC_BASE_URL over the active profile, whose key is not sent',
      {},
      { baseUrl: 'https://env.example' },
      STORE,
      null,
      'https://env.example',
    ],
    [
      '--base-url over everything',
      { 'base-url': 'https://flag.example', profile: 'staging' },
      { baseUrl: 'https://env.example' },
      STORE,
      null,
      'https://flag.example',
    ],
    [
      'another path of the same origin',
      { 'base-url': 'https://PROD.example:443/below' },
      {},
      STORE,
      'osapi_prod',
      'https://PROD.example:443/below',
    ],
    ['an active profile that does not exist', {}, {}, { ...STORE, active: 'gone' }, null, 'http://127.0.0.1:4000'],
  ])('%s', (_name, flags, environment, store, apiKey, baseUrl) => {
    expect(resolve(flags, environment, store)).toMatchObject({ apiKey, baseUrl });
  });

  test.each(['http://prod.example', 'https://prod.example:444', 'https://prod.example.evil.example'])(
    'the key of a profile does not go to another origin: %s',
    (baseUrl) => {
      expect(resolve({ 'base-url': baseUrl }, {})).toMatchObject({ apiKey: null, keyIsFor: 'https://prod.example' });
    },
  );

  test('says where key and address came from', () => {
    expect(resolve({}, { apiKey: 'osapi_env' })).toMatchObject({
      keySource: 'SVC_API_KEY',
      baseUrlSource: 'the default',
    });
    expect(resolve({}, {}).keySource).toBe('profile prod');
    expect(resolve({}, { profile: 'staging' }).keySource).toBe('profile staging (SVC_PROFILE)');
    expect(resolve({ profile: 'staging' }, {})).toMatchObject({
      keySource: 'profile staging (--profile)',
      baseUrlSource: 'profile staging',
    });
  });

  test('does not read profiles if the environment is sufficient', () => {
    const readStore = () => {
      throw new Error('read');
    };
    const environment = { ...NOTHING, apiKey: 'osapi_env', baseUrl: 'https://env.example' };
    expect(resolveCredentials({}, environment, readStore).apiKey).toBe('osapi_env');
  });

  test.each(['nope', 'toString', '__proto__'])('a profile that does not exist: %s', (profile) => {
    expect(() => resolve({ profile }, {})).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining('Profiles: prod, staging') }),
    );
  });

  test.each([
    ...['ftp://x', 'x', 'https://me:secret@svc.example'],
    ...[
      'svc.example',
      'svc.example/?secret=1',
      'me:secret@localhost:4000',
      'https://svc.example/?secret=1',
      'https://svc.example/#secret',
      'https://svc.example/api/v1?secret',
    ],
  ])('an invalid address: %s', (baseUrl) => {
    expect(() => resolve({}, { baseUrl })).toThrow(expect.objectContaining({ exitCode: 2 }));
    expect(() => resolve({}, { baseUrl })).not.toThrow(/secret/);
  });

  test('an address of this machine may omit http://; for others the message names the complete address', () => {
    expect(resolve({}, { apiKey: 'osapi_env', baseUrl: 'localhost:4000' }).baseUrl).toBe('http://localhost:4000');
    expect(resolve({ 'base-url': '127.0.0.1:4000/svc' }, { apiKey: 'osapi_env' }).baseUrl).toBe(
      'http://127.0.0.1:4000/svc',
    );
    expect(() => resolve({ 'base-url': 'svc.example:8443' }, { apiKey: 'osapi_env' })).toThrow(
      expect.objectContaining({
        message: 'The base URL from --base-url has no scheme',
        hint: 'Write https://svc.example:8443.',
      }),
    );
  });

  test.each(['https://svc.example/p/api/v1', 'https://svc.example/p/api/v1/'])(
    'an address with the path of the API: %s',
    (baseUrl) => {
      expect(() => resolve({}, { baseUrl })).toThrow(
        expect.objectContaining({
          exitCode: 2,
          message: 'The base URL from SVC_BASE_URL must not include /api/v1; it is added automatically',
          hint: 'Use https://svc.example/p',
        }),
      );
    },
  );
});

test('requireKey exits with 4 and says how to give a key', () => {
  expect(() => requireKey(resolve({}, {}, EMPTY))).toThrow(
    expect.objectContaining({ exitCode: 4, code: 'no_api_key', hint: expect.stringContaining('svc login') }),
  );
});

test('requireKey says which address the key of a profile is for, and how to set another key', () => {
  const credentials = resolve({}, { baseUrl: 'https://env.example' });
  expect(() => requireKey(credentials)).toThrow(
    expect.objectContaining({
      exitCode: 4,
      code: 'key_for_other_address',
      message:
        'The key of profile prod is for https://prod.example and is not sent to https://env.example, the address from SVC_BASE_URL',
      hint: expect.stringContaining('svc login --profile NAME --base-url https://env.example'),
    }),
  );
});

test('the header prefix comes from the environment, the profile, the settings or the contract', () => {
  const store: ProfileStore = {
    active: 'acme',
    profiles: { acme: { apiKey: 'osapi_acme', baseUrl: 'https://acme.example', headerPrefix: 'Acme' } },
  };
  expect(resolve({}, {}, store).headerPrefix).toBe('Acme');
  expect(resolve({}, { headerPrefix: 'Env-' }, store).headerPrefix).toBe('Env');
  expect(resolve({}, {}, EMPTY).headerPrefix).toBe('Service');
  const settings = { 'header-prefix': 'Chosen' };
  expect(resolveCredentials({}, NOTHING, () => EMPTY, settings).headerPrefix).toBe('Chosen');
  expect(resolveCredentials({}, NOTHING, () => store, settings).headerPrefix).toBe('Acme');
  expect(() => resolve({}, { headerPrefix: 'not a header' })).toThrow(expect.objectContaining({ exitCode: 2 }));
});

test('the address of svc config takes precedence only over the built-in default', () => {
  const settings = { 'base-url': 'https://chosen.example' };
  const of = (environment: Partial<Environment>, store: ProfileStore) =>
    resolveCredentials({}, { ...NOTHING, ...environment }, () => store, settings);
  expect(of({}, EMPTY)).toMatchObject({ baseUrl: 'https://chosen.example', baseUrlSource: 'svc config' });
  expect(of({}, STORE).baseUrl).toBe('https://prod.example');
  expect(of({ baseUrl: 'https://env.example' }, EMPTY).baseUrl).toBe('https://env.example');
});

test('logging in again uses the address of the profile', () => {
  expect(resolveLoginAddress({ profile: 'staging' }, NOTHING, STORE).baseUrl).toBe('https://staging.example');
  expect(resolveLoginAddress({ profile: 'new' }, NOTHING, STORE).baseUrl).toBe('http://127.0.0.1:4000');
  const environment = { ...NOTHING, baseUrl: 'https://env.example' };
  expect(resolveLoginAddress({ profile: 'staging' }, environment, STORE).baseUrl).toBe('https://env.example');
});
