import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

describe('configuration', () => {
  test('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({
      port: 4000,
      host: '127.0.0.1',
      hubspotUrl: 'https://api.hubapi.com',
      smartleadUrl: 'https://server.smartlead.ai',
      instantlyUrl: 'https://api.instantly.ai',
    });
  });

  test('an empty value counts as absent', () => {
    expect(readConfig({ DATABASE_URL: '', SVC_PORT: '' })).toMatchObject({ databaseUrl: undefined, port: 4000 });
  });

  test('reports all invalid variables at once', () => {
    const read = () => readConfig({ SVC_PORT: '99999', SVC_PUBLIC_URL: 'ftp://x', SVC_LOG_LEVEL: 'loud' });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/SVC_PORT: [^]*SVC_PUBLIC_URL: must be an http or https URL[^]*SVC_LOG_LEVEL: /);
  });

  test('removes the trailing slash of addresses', () => {
    expect(readConfig({ SVC_PUBLIC_URL: 'https://api.example.com/' }).publicUrl).toBe('https://api.example.com');
  });

  test('an address of this machine may omit http://; for others the message names the complete address', () => {
    expect(readConfig({ SVC_PUBLIC_URL: 'localhost:4000/' }).publicUrl).toBe('http://localhost:4000');
    expect(() => readConfig({ SVC_SYNC_URL: 'sync.example.com' })).toThrow(
      'SVC_SYNC_URL: must be an http or https URL, such as https://sync.example.com',
    );
  });

  test('prefixes default to those of the specification, and invalid ones are refused', () => {
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
      /SVC_HEADER_PREFIX: must be the beginning [^]*SVC_KEY_PREFIX: must be [^]*SVC_SECRET_PREFIX: must/,
    );
  });

  test('several encryption keys are separated by commas', () => {
    expect(readConfig({ SVC_ENCRYPTION_KEY: 'a, b' }).encryptionKeys).toEqual(['a', 'b']);
  });
});
