/** The SDK on every target: each method calls its operation. */
import { type Operation, operations } from '@svc/contract/operations';
import { describe, expect, test } from 'vitest';
import { createClient, everyOperation } from '../../harness/targets/sdk.ts';
import { onEveryTarget } from '../../harness/suite.ts';

/** Methods that combine several calls. */
const COMPOSED = [
  'blocklists.resyncAndWait',
  'contacts.outreachMany',
  'deliveries.tail',
  'events.tail',
  'requests.tail',
  'syncs.retryAll',
  'syncs.tail',
];

test('every operation has exactly one method', () => {
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
        // The target's workers are off, so it is not ready.
        if (operationId === 'getHealthReady') await expect(call(client)).rejects.toMatchObject({ status: 503 });
        else await call(client);
        expect(new Set(asked)).toEqual(new Set([operationId]));
      });
    });
  },
  { workers: 'off' },
);

/** Returns the operation of a request; fixed paths come before those with parameters. */
function operationOf({ method, url }: Request): Operation | undefined {
  const { pathname } = new URL(url);
  const matching = operations.filter((operation) => {
    const path = operation.path.replaceAll(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.');
    return operation.method === method && new RegExp(`${path}$`).test(pathname);
  });
  return matching.toSorted((a, b) => a.pathParams.length - b.pathParams.length)[0];
}
