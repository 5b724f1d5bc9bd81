import { createMock } from '@svc/mock';
import { http, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const API = 'https://api.example.com';
const mock = createMock();
const server = setupServer(...mock.handlers(API));
const headers = { Authorization: `Bearer ${mock.keys.osapi_demo_read}` };

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
afterEach(() => {
  server.resetHandlers();
  mock.reset();
});
afterAll(async () => {
  server.close();
  await mock.close();
});

test('the mock answers every fetch', async () => {
  const response = await fetch(`${API}/api/v1/connections`, { headers });
  expect(response.status).toBe(200);
});

test('one operation is replaced, the others stay', async () => {
  server.use(http.get(`${API}/api/v1/me`, () => HttpResponse.json({ mine: true })));
  const me = await fetch(`${API}/api/v1/me`, { headers });
  expect(await me.json()).toEqual({ mine: true });
});
