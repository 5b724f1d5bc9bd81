import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

describe('configuration', () => {
  test('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({
      port: 4000,
      host: '127.0.0.1',
      workerConcurrency: 16,
      databaseConnections: 16,
      drainMs: 8_000,
      crmUrls: { HUBSPOT: 'https://api.hubapi.com', PIPEDRIVE: 'https://api.pipedrive.com' },
      sequencerUrls: {
        smartlead: 'https://server.smartlead.ai',
        instantly: 'https://api.instantly.ai',
        emailbison: undefined,
        lemlist: 'https://api.lemlist.com',
        'reply-io': 'https://api.reply.io',
        heyreach: 'https://api.heyreach.io',
        salesloft: 'https://api.salesloft.com',
      },
    });
  });

  test('an empty value counts as absent', () => {
    expect(readConfig({ DATABASE_URL: '', SVC_PORT: '' })).toMatchObject({ databaseUrl: undefined, port: 4000 });
  });

  test('the provider of OpenID Connect needs all of its settings', () => {
    expect(readConfig({})).toMatchObject({ dashboard: 'on', passwordSignIn: true, oidc: null });
    const issuer = { SVC_OIDC_ISSUER: 'https://login.example.com/ops/' };
    expect(() => readConfig(issuer)).toThrow(
      /SVC_OIDC_CLIENT_ID must be set too, because SVC_OIDC_ISSUER is[^]*SVC_OIDC_CLIENT_SECRET must be set too/,
    );
    const whole = { ...issuer, SVC_OIDC_CLIENT_ID: 'svc', SVC_OIDC_CLIENT_SECRET: 'hunter2' };
    const oidc = { issuer: 'https://login.example.com/ops/', clientId: 'svc', clientSecret: 'hunter2' };
    expect(readConfig(whole).oidc).toEqual({ ...oidc, name: 'login.example.com' });
    expect(readConfig({ ...whole, SVC_OIDC_NAME: 'Our ID' }).oidc).toEqual({ ...oidc, name: 'Our ID' });
    expect(() => readConfig({ SVC_OIDC_NAME: 'Our ID' })).toThrow('SVC_OIDC_ISSUER must be set too');
    for (const url of ['http://login.example.com', 'https://u:p@login.example.com', 'https://login.example.com?x=1']) {
      expect(() => readConfig({ ...whole, SVC_OIDC_ISSUER: url })).toThrow(/SVC_OIDC_ISSUER must be an https URL/);
    }
    expect(readConfig({ ...whole, SVC_OIDC_ISSUER: 'http://127.0.0.1:4444' }).oidc?.name).toBe('127.0.0.1:4444');
  });

  test('the client secret may be in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-config-'));
    const file = join(folder, 'secret');
    const env = {
      SVC_OIDC_ISSUER: 'https://login.example.com',
      SVC_OIDC_CLIENT_ID: 'svc',
      SVC_OIDC_CLIENT_SECRET_FILE: file,
    };
    try {
      expect(() => readConfig(env)).toThrow(/SVC_OIDC_CLIENT_SECRET_FILE cannot be read: ENOENT/);
      writeFileSync(file, 'hunter2\n');
      expect(readConfig(env).oidc?.clientSecret).toBe('hunter2');
      writeFileSync(file, 'two\nlines of hunter2');
      expect(() => readConfig(env)).toThrow(/^(?!.*hunter2)[^]*SVC_OIDC_CLIENT_SECRET_FILE: the content of .* must be/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('a dashboard at the administrative listener needs that listener', () => {
    expect(() => readConfig({ SVC_DASHBOARD: 'admin' })).toThrow(
      'SVC_ADMIN_PORT must be set too, because SVC_DASHBOARD=admin is',
    );
    expect(readConfig({ SVC_DASHBOARD: 'admin', SVC_ADMIN_PORT: '4001' }).dashboard).toBe('admin');
  });

  test('more workers have more connections to the database', () => {
    expect(readConfig({ SVC_WORKER_CONCURRENCY: '64' })).toMatchObject({ databaseConnections: 32 });
    expect(readConfig({ SVC_WORKER_CONCURRENCY: '64', SVC_DATABASE_CONNECTIONS: '5' })).toMatchObject({
      databaseConnections: 5,
    });
  });

  test('reports all invalid variables at once', () => {
    const read = () => readConfig({ SVC_PORT: '99999', SVC_PUBLIC_URL: 'ftp://x', SVC_LOG_LEVEL: 'loud' });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/SVC_PORT must [^]*SVC_PUBLIC_URL must be an http or https URL[^]*SVC_LOG_LEVEL must /);
  });

  test.each([
    [
      { SVC_INBOUND_BODY_LIMIT: '2MB' },
      'SVC_INBOUND_BODY_LIMIT must be a number of bytes, 1024 to 67108864, not "2MB"',
    ],
    [{ SVC_INBOUND_BODY_LIMIT: '1' }, 'SVC_INBOUND_BODY_LIMIT must be a number of bytes, 1024 to 67108864, not "1"'],
    [{ SVC_PAYLOAD_DAYS: '1.5' }, 'SVC_PAYLOAD_DAYS must be a number of days, 2 to 3650, not "1.5"'],
    [{ SVC_MAX_CONNECTIONS: 'many' }, 'SVC_MAX_CONNECTIONS must be a number of connections, 10 to 100000, not "many"'],
    [{ SVC_PORT: 'tcp://10.0.0.1:80' }, 'SVC_PORT must be a port, 0 to 65535, not "tcp://10.0.0.1:80"'],
    [{ SVC_PUBLIC_URL: 'ftp://x' }, /SVC_PUBLIC_URL must be an http or https URL.*, not "ftp:\/\/x"$/],
    [{ SVC_RATE_LIMIT: 'of' }, 'SVC_RATE_LIMIT must be on or off, not "of"'],
    [{ SVC_LOG_LEVEL: 'loud' }, /SVC_LOG_LEVEL must be one of fatal, .*, silent, not "loud"$/],
    [{ SVC_OUTBOUND_ALLOW: '10.1' }, /SVC_OUTBOUND_ALLOW must be CIDRs .*, not "10.1"$/],
    [{ SVC_TRUST_PROXY: 'yes' }, /SVC_TRUST_PROXY must be a number of proxies, .*, not "yes"$/],
    [{ SVC_KEY_PREFIX: '_' }, /SVC_KEY_PREFIX must be 2 to 32 .*, not "_"$/],
    // What may be a secret is not repeated.
    [{ SVC_METRICS_TOKEN: 'hunter2' }, /^(?!.*hunter2)[^]*SVC_METRICS_TOKEN must be 16 to 512 /],
    [{ DATABASE_URL: 'mysql://u:hunter2@h/d' }, /^(?!.*hunter2)[^]*DATABASE_URL must be a PostgreSQL URL/],
    [{ SVC_SYNC_URL: 'u:hunter2@h.example.com' }, /^(?!.*hunter2)[^]*SVC_SYNC_URL must be an http or https URL/],
    [{ SVC_SYNC_URL: 'https://u:hunter2@h' }, /^(?!.*hunter2)[^]*SVC_SYNC_URL must have no user name/],
  ])('%j: says what it must be', (environment, message) => {
    expect(() => readConfig(environment)).toThrow(message);
  });

  test('removes the trailing slash of addresses', () => {
    expect(readConfig({ SVC_PUBLIC_URL: 'https://api.example.com/' }).publicUrl).toBe('https://api.example.com');
  });

  test('an address of this machine may omit http://; for others the message names the complete address', () => {
    expect(readConfig({ SVC_PUBLIC_URL: 'localhost:4000/' }).publicUrl).toBe('http://localhost:4000');
    expect(() => readConfig({ SVC_SYNC_URL: 'sync.example.com' })).toThrow(
      'SVC_SYNC_URL must be an http or https URL, such as https://sync.example.com, not "sync.example.com"',
    );
  });

  test('prefixes default to those of the contract, and invalid ones are refused', () => {
    const { branding } = readConfig({});
    expect(branding).toEqual({ headerPrefix: 'Service', keyPrefix: 'osapi_', secretPrefix: 'oswhsec_' });
    const others = { SVC_HEADER_PREFIX: 'Acme-', SVC_KEY_PREFIX: 'acme_', SVC_SECRET_PREFIX: 'whsec_' };
    expect(readConfig(others).branding).toEqual({
      headerPrefix: 'Acme',
      keyPrefix: 'acme_',
      secretPrefix: 'whsec_',
    });
    const read = () => readConfig({ SVC_HEADER_PREFIX: 'Ac me', SVC_KEY_PREFIX: '_', SVC_SECRET_PREFIX: 'a b' });
    expect(read).toThrow(
      /SVC_HEADER_PREFIX must be the beginning [^]*SVC_KEY_PREFIX must be [^]*SVC_SECRET_PREFIX must/,
    );
  });

  test('several encryption keys are separated by commas', () => {
    expect(readConfig({ SVC_ENCRYPTION_KEY: 'a, b' }).encryptionKeys).toEqual(['a', 'b']);
  });
});

test('an address of the administrative listener needs its port; a port alone listens on this machine', () => {
  expect(() => readConfig({ SVC_ADMIN_HOST: '0.0.0.0' })).toThrow(
    'SVC_ADMIN_PORT must be set too, because SVC_ADMIN_HOST is',
  );
  expect(readConfig({ SVC_ADMIN_PORT: '9100' }).adminListener).toEqual({ host: '127.0.0.1', port: 9100 });
  expect(readConfig({}).adminListener).toBeNull();
});

test('roles are names with commas; all by default', () => {
  expect([...readConfig({ SVC_ROLE: 'worker, api' }).roles]).toEqual(['api', 'worker']);
  expect([...readConfig({}).roles]).toEqual(['api', 'inbound', 'worker']);
  expect(() => readConfig({ SVC_ROLE: 'api,' })).toThrow(
    'SVC_ROLE must be api, inbound, worker, or several of them with commas, not "api,"',
  );
});
