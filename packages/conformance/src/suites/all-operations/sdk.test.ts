/** The SDK on every target: each operation by the one method that calls it. */
import { type Operation, operations } from '@svc/contract/operations';
import { describe, expect, test } from 'vitest';
import { createClient, everyOperation } from '../../harness/targets/sdk.ts';
import { onEveryTarget } from '../../harness/suite.ts';

/** Made of other operations. */
const COMPOSED = [
  'blocklists.resyncAndWait',
  'contacts.outreachMany',
  'deliveries.tail',
  'events.tail',
  'requests.tail',
  'syncs.retryAll',
  'syncs.tail',
];

test('every operation has one method, and every method is of one operation', () => {
  const { raw: _raw, ...resources } = createClient({ baseUrl: 'http://svc.test' });
  const methods = Object.entries(resources).flatMap(([name, resource]) =>
    Object.keys(resource).map((method) => `${name}.${method}`),
  );
  const calls = Object.values(everyOperation).map((call) => /client\.(\w+\.\w+)/.exec(String(call))?.[1]);
  expect(calls.toSorted()).toEqual(methods.filter((method) => !COMPOSED.includes(method)).toSorted());
  expect(Object.keys(everyOperation).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
});

onEveryTarget(
  (api) => {
    describe('the SDK', () => {
      test.each(Object.entries(everyOperation))('%s', async (operationId, call) => {
        const asked: string[] = [];
        const client = createClient({
          baseUrl: api.target().baseUrl,
          apiKey: 'osapi_demo_write',
          maxRetries: 0,
          now: () => api.target().clock.now().getTime(),
          fetch: (request) => {
            asked.push(operationOf(request)?.id ?? `${request.method} ${request.url}`);
            return api.fetch(request);
          },
        });
        // Not ready is an answer of its own: the target's workers are off.
        if (operationId === 'getHealthReady') await expect(call(client)).rejects.toMatchObject({ status: 503 });
        else await call(client);
        expect(new Set(asked)).toEqual(new Set([operationId]));
      });
    });
  },
  { workers: 'off' },
);

/** The operation that a request is of; fixed paths come before those with parameters. */
function operationOf({ method, url }: Request): Operation | undefined {
  const { pathname } = new URL(url);
  const matching = operations.filter((operation) => {
    const path = operation.path.replaceAll(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.');
    return operation.method === method && new RegExp(`${path}$`).test(pathname);
  });
  return matching.toSorted((a, b) => a.pathParams.length - b.pathParams.length)[0];
}
