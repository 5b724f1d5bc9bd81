import { openapiJson, openapiYaml } from '@svc/contract/document';
import { operations } from '@svc/contract/operations';
import { describe, expect, test } from 'vitest';
import { onEveryTarget } from './suite.ts';

onEveryTarget((api) => {
  describe.each([
    ['getOpenapiJson', openapiJson],
    ['getOpenapiYaml', openapiYaml],
  ] as const)('%s', (operationId, document) => {
    test('200 with the contract, without a key, to be kept for five minutes', async () => {
      const answer = await api.call(operationId, { key: null });
      expect(answer.status).toBe(200);
      expect(answer.text).toBe(document);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    });

    test('200 whatever key is sent', async () => {
      for (const key of ['osapi_nobody', 'osapi_demo_revoked', 'osapi_demo_no_api', 'osapi_demo_read']) {
        expect((await api.call(operationId, { key })).status).toBe(200);
      }
    });
  });

  describe('answers of every operation', () => {
    const get = (path: string, init: RequestInit = {}) => fetch(`${api.target().baseUrl}${path}`, init);
    const authorization = 'Bearer osapi_demo_read';

    test.each([
      '/api/v1',
      '/api/v1/accounts',
      '/api/v1/accounts/example.com',
      '/api/v1/connections/1',
      '/api/v1/sources/1',
      '/api/v1/blocklists/1/entries',
      '/api/v1/me/',
      '/API/v1/me',
      '/api/v1/nothing',
      '/api/v2/me',
      '/api/v1/%zz',
    ])('404 for %s, with and without a key', async (path) => {
      for (const headers of [{}, { authorization }]) {
        const answer = await get(path, { headers });
        expect(answer.status).toBe(404);
        expect(await answer.json()).toEqual({ statusCode: 404, message: expect.any(String), error: 'Not Found' });
      }
    });

    test('404 for another method on a known path', async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        expect((await get('/api/v1/me', { method, headers: { authorization } })).status, method).toBe(404);
      }
    });

    test('Link leads to both descriptions, on refusals too', async () => {
      const { baseUrl } = api.target();
      for (const path of ['/api/v1/me', '/api/v1/syncs', '/api/v1/nothing', '/api/v1/openapi.json']) {
        for (const headers of [{}, { authorization }]) {
          const link = (await get(path, { headers })).headers.get('link');
          expect(link).toContain(`<${baseUrl}/api/v1/openapi.json>; rel="service-desc"`);
          expect(link).toContain('rel="service-doc"');
        }
      }
    });

    test('HEAD answers as GET does, without a body', async () => {
      for (const { path, method } of operations) {
        if (method !== 'GET' || path.includes('{')) continue;
        const [head, plain] = await Promise.all([
          get(path, { method: 'HEAD', headers: { authorization } }),
          get(path, { headers: { authorization } }),
        ]);
        expect([path, head.status, await head.text()]).toEqual([path, plain.status, '']);
        expect(head.headers.get('content-type')).toBe(plain.headers.get('content-type'));
      }
    });

    test('each answer has an id of its own', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => get('/api/v1/me')));
      const ids = new Set(answers.map((answer) => answer.headers.get('service-request-id')));
      expect(ids.size).toBe(20);
    });
  });
});
