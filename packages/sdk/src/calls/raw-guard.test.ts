import { inspect } from 'node:util';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { API_KEY, createFakeService, json, refusal } from '../../test/fake-service.ts';
import { createClient, InvalidResponseError, type Sync } from '../index.ts';

const ME = { account: { id: 1 }, apiKey: {}, connections: [] };

describe('raw', () => {
  test('returns data or error and throws for neither', async () => {
    const ok = createClient(createFakeService(json({ data: [], hasMore: false, nextCursor: null })).options).raw;
    const { data } = await ok.GET('/api/v1/syncs', { params: { query: { from: '2026-02-01', to: '2026-02-02' } } });
    expect(data?.hasMore).toBe(false);
    expectTypeOf(data?.data).toEqualTypeOf<Sync[] | undefined>();
    const refused = createClient(createFakeService(refusal(404, 'Sync 1 not found')).options).raw;
    const { error, response } = await refused.GET('/api/v1/syncs/{id}', { params: { path: { id: 1 } } });
    expect(error).toMatchObject({ message: 'Sync 1 not found' });
    expect(response.status).toBe(404);
  });

  test.each([
    ['HTML', new Response(`<p>${API_KEY}</p>`)],
    ['cut off', new Response(`{"key": "${API_KEY}`, { headers: { 'content-length': '30' } })],
  ])('a success that is %s is an InvalidResponseError, which does not quote it', async (_name, answer) => {
    const { raw } = createClient(createFakeService(answer).options);
    const error = await raw.GET('/api/v1/me').catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({ status: 200, attempts: 1, path: '/api/v1/me', method: 'GET' });
    expect(inspect(error, { depth: 10 })).not.toContain(API_KEY);
  });

  test('errors of the call itself are not changed', async () => {
    const { raw } = createClient(createFakeService(json({})).options);
    const bodySerializer = () => {
      throw new SyntaxError('mine');
    };
    await expect(raw.POST('/api/v1/webhooks', { body: { url: 'https://a.example' }, bodySerializer })).rejects.toThrow(
      'mine',
    );
  });

  test('takes a fetch for one call, and middleware', async () => {
    const { raw } = createClient(createFakeService(json({})).options);
    const seen: string[] = [];
    raw.use({ onRequest: ({ request }) => void seen.push(request.url) });
    const { data } = await raw.GET('/api/v1/me', { fetch: async () => json(ME) });
    expect(data).toEqual(ME);
    expect(seen).toEqual(['http://svc.test/api/v1/me']);
  });

  test("middleware gets every call of the client, with the runtime's own Request and Response", async () => {
    const client = createClient(createFakeService(json(ME), json(ME), refusal(404, 'Sync 1 not found')).options);
    expect((await client.me.get()).account.id).toBe(1);
    client.raw.use({
      onRequest: ({ request }) => new Request(request, { headers: { 'x-own': request.method } }),
      async onResponse({ request, response }) {
        const text = await response.clone().text();
        return new Response(text.replace('"id":1', '"id":2'), {
          status: response.status,
          headers: { 'x-sent': `${request.headers.get('x-own')}` },
        });
      },
    });
    const { data, response } = await client.me.get().withResponse();
    expect(data.account.id).toBe(2);
    expect(response.headers.get('x-sent')).toBe('GET');
    await expect(client.syncs.get(1)).rejects.toThrow('Sync 1 not found');
  });
});
