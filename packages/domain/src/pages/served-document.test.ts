import { openapiJson, openapiYaml } from '@svc/contract/document';
import { describe, expect, test } from 'vitest';
import { DEFAULT_BRANDING } from './branding.ts';
import { servedDocument } from './served-document.ts';

const urls = { apiUrl: 'https://svc.example.org/a "b"\\c/', docsUrl: 'https://docs.example.org/$&' };
const API = 'https://svc.example.org/a%20%22b%22/c';

describe('servedDocument', () => {
  const json = JSON.parse(servedDocument(openapiJson, DEFAULT_BRANDING, urls));

  test('servers and contact have the URLs of the installation', () => {
    expect(json.servers).toMatchObject([{ url: '{baseUrl}', variables: { baseUrl: { default: API } } }]);
    expect(json.info.contact).toEqual({ name: 'Service operator', url: 'https://docs.example.org/$&' });
  });

  test.each([
    ['JSON', openapiJson],
    ['YAML', openapiYaml],
  ])('replaces every URL of the source in %s', (_name, text) => {
    const served = servedDocument(text, DEFAULT_BRANDING, urls);
    expect(served).not.toMatch(/127\.0\.0\.1|docs\.example\.com/);
    expect(served.split(API)).toHaveLength(text.split('http://127.0.0.1:4000').length);
  });

  test('uses the prefixes of the installation', () => {
    const branding = { ...DEFAULT_BRANDING, keyPrefix: 'acme_' };
    expect(servedDocument(openapiYaml, branding, urls)).toContain('Bearer acme_...');
  });
});
