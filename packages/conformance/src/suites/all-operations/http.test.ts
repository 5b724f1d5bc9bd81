/** Rules for every request: routes, methods, headers and error bodies. */
import { ERROR_MESSAGES, OWN_MESSAGES } from '@svc/contract/error-messages';
import { operations } from '@svc/contract/operations';
import { noSuchSource } from '@svc/domain/syncs/inbound-post';
import { describe, expect, test } from 'vitest';
import { parseAnswers, sendRaw } from '../../fuzz/send.ts';
import { EXTRA_KEYS } from '../../harness/extra-fixtures.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { MONTH, WORLD } from '../../harness/world.ts';

const authorization = 'Bearer osapi_demo_write';

const HEAD = 'GET /api/v1/me HTTP/1.1\r\nConnection: close\r\n';
const REFUSED_HEADS: readonly (readonly [name: string, head: string, status: number, message: string])[] = [
  ['no Host', HEAD, 400, 'The request has no Host header'],
  ['two Hosts', `${HEAD}Host: x\r\nHost: x\r\n`, 400, 'The request has more than one Host header: send one'],
  [
    'two keys',
    `${HEAD}Host: localhost\r\nAuthorization: ${authorization}\r\nauthorization: ${authorization}\r\n`,
    401,
    ERROR_MESSAGES.invalidApiKey,
  ],
  ['headers of 40 kB', `${HEAD}Host: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n`, 431, OWN_MESSAGES.headersTooLarge],
];

onEveryTarget((api, { acceptsRawRequests }) => {
  describe('requests of any kind', () => {
    const send = (path: string, init: RequestInit = {}) => api.fetch(`${api.target().baseUrl}${path}`, init);
    const assertNoSuchRoute = async (answer: Response) => {
      expect(answer.status).toBe(404);
      const body = { statusCode: 404, message: OWN_MESSAGES.noSuchRoute, error: 'Not Found' };
      expect(await answer.json()).toEqual(body);
    };
    const assertLinked = (answer: Response) => {
      const link = answer.headers.get('link');
      expect(link).toContain(`<${api.target().baseUrl}/api/v1/openapi.json>; rel="service-desc"`);
      expect(link).toContain('rel="service-doc"');
    };

    test.each([
      '/api/v1',
      '/api/v1/',
      '/api/v1/accounts',
      '/api/v1/accounts/example.com',
      '/api/v1/connections/1',
      '/api/v1/sources/1',
      '/api/v1/blocklists/1',
      '/api/v1/blocklists/1/entries',
      '/api/v1/destinations/1/replay',
      '/api/v1/syncs/1/retry/1',
      '/api/v1/webhooks/oswhk_demo01/secret',
      '/api/v1/events/osevt_demo0001/deliveries',
      '/api/v1/me/',
      '/api/v1//me',
      '/API/v1/me',
      '/api/v1/Me',
      '/api/v1/nothing',
      '/api/v1/openapi',
      '/api/v1/%zz',
      '/api/v1/syncs/%E0%A4%A',
      '/api/v1/__proto__',
    ])('404 for %s, with and without a key, with a Link header', async (path) => {
      for (const headers of [{}, { authorization }, { authorization: 'Bearer osapi_nobody' }]) {
        const answer = await send(path, { headers });
        await assertNoSuchRoute(answer);
        if (path.startsWith('/api/')) assertLinked(answer);
        expect(answer.headers.get('service-request-id')).toMatch(/.{8,}/);
      }
    });

    test.each(['/', '/api', '/api/v2/me', '/health', '/health/', '/health/live/', '/webhooks', '/webhooks/'])(
      '404 for POST to %s',
      async (path) => {
        const answer = await send(path, { method: 'POST', body: '{}' });
        expect(answer.status).toBe(404);
        expect(await answer.json()).toEqual({ statusCode: 404, message: expect.any(String), error: 'Not Found' });
      },
    );

    test('404 for every other method of an API path, with and without a key', async () => {
      const filled = (path: string) => path.replaceAll(/\{\w+\}/g, '1');
      const methodsOf = Map.groupBy(operations, ({ path }) => path);
      for (const [path, own] of methodsOf) {
        if (!path.startsWith('/api/')) continue;
        const has = new Set<string>(own.map(({ method }) => method));
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
          if (has.has(method)) continue;
          for (const headers of [{}, { authorization }]) {
            const answer = await send(filled(path), { method, headers });
            await assertNoSuchRoute(answer);
            assertLinked(answer);
          }
        }
      }
    });

    test('404 for every method except POST at an inbound URL', async () => {
      const paths = WORLD.sources.slice(0, 6).map(({ path }) => path);
      for (const path of [...paths, 'nobody', '1/2']) {
        for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
          const body = method === 'GET' || method === 'OPTIONS' ? {} : { body: '{}' };
          await assertNoSuchRoute(await send(`/webhooks/${path}`, { method, ...body }));
        }
        const head = await send(`/webhooks/${path}`, { method: 'HEAD' });
        expect([head.status, await head.text()]).toEqual([404, '']);
      }
    });

    test('404 for every method at a malformed inbound URL', async () => {
      for (const path of ['1/2/3', 'a%20b', 'x'.repeat(200), 'demo-smartlead/']) {
        for (const method of ['GET', 'POST', 'PUT', 'OPTIONS']) {
          const answer = await send(`/webhooks/${path}`, { method });
          expect(answer.status).toBe(404);
          expect(await answer.json()).toMatchObject({ message: noSuchSource().message });
        }
      }
    });

    test('404 for HEAD on a path without GET', async () => {
      for (const path of ['/api/v1/syncs/1/retry', '/api/v1/webhooks/oswhk_demo01/test', '/api/v1/nothing']) {
        const answer = await send(path, { method: 'HEAD', headers: { authorization } });
        expect([answer.status, await answer.text()]).toEqual([404, '']);
      }
    });

    test('HEAD answers like GET, without a body', async () => {
      const samples: Record<string, string> = {
        sourceId: '1',
        id: '1',
        deliveryId: '1',
      };
      for (const { path, method, access, pathParams } of operations) {
        if (method !== 'GET') continue;
        const isPrefixed = pathParams.some(({ type }) => type === 'string');
        const own = access === 'events-read' ? 'osevt_demo0001' : 'oswhk_demo01';
        const url = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => (isPrefixed ? own : (samples[name] ?? '')));
        for (const search of ['', `?${new URLSearchParams(MONTH)}`]) {
          for (const headers of [{}, { authorization }]) {
            const [head, plain] = await Promise.all([
              send(url + search, { method: 'HEAD', headers }),
              send(url + search, { headers }),
            ]);
            expect([url, head.status, await head.text()]).toEqual([url, plain.status, '']);
            for (const name of ['content-type', 'link', 'www-authenticate', 'cache-control']) {
              expect([url, name, head.headers.get(name)]).toEqual([url, name, plain.headers.get(name)]);
            }
            await plain.arrayBuffer();
          }
        }
      }
    });

    test('answers of every operation, errors included, have a Link to both descriptions', async () => {
      for (const { path, method } of operations) {
        if (!path.startsWith('/api/')) continue;
        const url = path.replaceAll(/\{\w+\}/g, 'x');
        for (const headers of [{}, { authorization }, { authorization: 'Bearer osapi_demo_no_api' }]) {
          const answer = await send(url, { method, headers });
          assertLinked(answer);
          await answer.arrayBuffer();
        }
      }
    });

    test.skipIf(!acceptsRawRequests).each(REFUSED_HEADS)(
      'refuses %s, with the headers of every answer',
      async (...row) => {
        const [, head, status, message] = row;
        const text = await sendRaw(api.target().baseUrl, `${head}\r\n`);
        const [answer] = parseAnswers(text);
        expect(answer?.status).toBe(status);
        expect(JSON.parse(answer?.text ?? '')).toMatchObject({ statusCode: status, message });
        expect(text).toContain(`Link: <${api.target().baseUrl}/api/v1/openapi.json>; rel="service-desc"`);
        expect(text).toMatch(/^x-content-type-options: nosniff\r$/im);
        expect(text).toMatch(/^service-request-id: .{8,}\r$/im);
      },
    );

    test('every answer has nosniff, and answers that depend on a key have no-store', async () => {
      for (const [path, cacheControl] of [
        ['/api/v1/me', 'no-store'],
        ['/api/v1/syncs', 'no-store'],
        ['/api/v1/nothing', 'no-store'],
        ['/api/v1/openapi.json', 'public, max-age=300'],
        ['/health/live', null],
        ['/nothing', null],
      ] as const) {
        for (const headers of [{}, { authorization }]) {
          const answer = await send(path, { headers });
          await answer.arrayBuffer();
          const found = [answer.headers.get('x-content-type-options'), answer.headers.get('cache-control')];
          expect([path, ...found]).toEqual([path, 'nosniff', cacheControl]);
        }
      }
    });

    test('each answer has a new request id, whatever id the request has', async () => {
      const headers = { 'service-request-id': 'mine', 'x-request-id': 'mine' };
      const paths = ['/api/v1/me', '/api/v1/nothing', '/health/live', '/api/v1/openapi.json'];
      const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => send(paths[n % 4] ?? '', { headers })));
      for (const answer of answers) await answer.arrayBuffer();
      const ids = new Set(answers.map((answer) => answer.headers.get('service-request-id')));
      expect(ids.size).toBe(40);
      expect(ids.has('mine')).toBe(false);
    });

    test('401 is identical for every invalid key, on every operation', async () => {
      const keys = [
        null,
        'nonsense',
        'osapi_',
        'osapi_nobody',
        'osapi_demo_revoked',
        'osapi_demo_rotated',
        EXTRA_KEYS.revokedNoApi,
      ];
      const seen = new Set<string>();
      for (const { path, method, access } of operations) {
        if (access === 'public') continue;
        const url = path.replaceAll(/\{\w+\}/g, 'x');
        for (const key of keys) {
          const answer = await send(url, { method, headers: key === null ? {} : { authorization: `Bearer ${key}` } });
          const names = [...answer.headers.keys()].filter((name) => name !== 'date').sort();
          const realm = answer.headers.get('www-authenticate');
          seen.add(JSON.stringify([answer.status, realm, names, await answer.text()]));
        }
      }
      expect(seen.size).toBe(1);
      const body = { statusCode: 401, message: ERROR_MESSAGES.invalidApiKey, error: 'Unauthorized' };
      expect([...seen][0]).toContain(JSON.stringify(JSON.stringify(body)).slice(1, -1));
    });

    test('401 for a key outside of Authorization', async () => {
      for (const [path, headers] of [
        ['/api/v1/me?api_key=osapi_demo_read&key=osapi_demo_read', {}],
        ['/api/v1/me', { 'x-api-key': 'osapi_demo_read' }],
        ['/api/v1/me', { 'proxy-authorization': 'Bearer osapi_demo_read' }],
        ['/api/v1/me', { cookie: 'authorization=Bearer osapi_demo_read' }],
      ] as const) {
        expect((await send(path, { headers })).status).toBe(401);
      }
    });

    test('answers do not reveal the server software', async () => {
      for (const path of ['/api/v1/me', '/api/v1/nothing', '/health/live']) {
        const { headers } = await send(path, { headers: { authorization } });
        expect([...headers.keys()]).not.toContain('x-powered-by');
        expect(headers.get('server')).toBeNull();
      }
    });

    test('conditional and range headers are ignored', async () => {
      for (const [name, value] of [
        ['if-none-match', '*'],
        ['if-modified-since', 'Sat, 29 Feb 3000 00:00:00 GMT'],
        ['if-match', '"x"'],
        ['range', 'bytes=0-1'],
      ] as const) {
        for (const path of ['/api/v1/me', '/api/v1/webhooks', '/api/v1/openapi.json', '/health/live']) {
          const answer = await send(path, { headers: { authorization, [name]: value } });
          const plain = await send(path, { headers: { authorization } });
          expect([path, name, answer.status]).toEqual([path, name, 200]);
          expect(await answer.text()).toBe(await plain.text());
        }
      }
    });

    test.each(['gzip', 'deflate', 'br', 'zstd'])(
      '400 for a body that is not encoded as declared: %s',
      async (encoding) => {
        const headers = { authorization, 'content-type': 'application/json', 'content-encoding': encoding };
        for (const path of ['/api/v1/webhooks', '/webhooks/demo-smartlead']) {
          const answer = await send(path, { method: 'POST', headers, body: '{"url":"https://hooks.example.com/"}' });
          expect([answer.status, await answer.json()]).toEqual([
            400,
            {
              statusCode: 400,
              message: `The request body could not be read: it is not ${encoding}`,
              error: 'Bad Request',
            },
          ]);
        }
      },
    );

    test('unexpected bodies are ignored', async () => {
      const body = '{"broken';
      const answer = await send('/api/v1/webhooks/oswhk_demo01', {
        method: 'DELETE',
        headers: { authorization: 'Bearer osapi_demo_read', 'content-type': 'application/json' },
        body,
      });
      expect(answer.status).toBe(403);
    });
  });
});
