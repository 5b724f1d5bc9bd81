import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createCrmConnectors } from '@svc/crm';
import { localDial, localFetch, localResolve } from './local-network.ts';
import { createOutbound } from './outbound.ts';

const call = { headers: {}, body: '{}', timeoutMs: 5_000 };

test('calls only this machine, and refusals say so', async () => {
  const server = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const outbound = createOutbound({
    resolve: localResolve,
    dial: localDial,
    allowedCidrs: ['127.0.0.0/8', '192.0.2.0/24'],
  });
  const post = (url: string) => outbound.post({ ...call, url });
  const refused = { httpStatus: null, error: 'start --world calls only this machine', isRefused: false };
  expect(await post('https://hooks.example.com/a')).toEqual(refused);
  expect(await post('https://192.0.2.1/a')).toEqual(refused);
  expect(await post('https://8.8.8.8/a')).toEqual(refused);
  expect(await post(`http://127.0.0.1:${port}/a`)).toMatchObject({ httpStatus: 200 });
  expect(await post(`http://localhost:${port}/a`)).toMatchObject({ httpStatus: 200 });
  expect((await localFetch(`http://127.0.0.1:${port}/a`)).status).toBe(200);
});

test('does not call a CRM elsewhere, and the sync says why', async () => {
  const crm = createCrmConnectors({ fetch: localFetch, timeoutMs: 5_000 }).get('HUBSPOT');
  const quota = { take: async () => null, report: async () => {} };
  const access = { accessToken: 't', tokenType: 'private', apiUrl: null, quota } as const;
  const list = crm?.readList({ access, listId: '1', blockType: 'DOMAIN', cursor: null });
  const messages: unknown[] = [];
  for await (const page of list ?? []) messages.push('error' in page && page.error.message);
  expect(messages).toEqual([
    expect.stringContaining('HubSpot could not be reached for the list (start --world calls only this machine)'),
  ]);
});
