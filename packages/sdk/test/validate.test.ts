/** `@svc/sdk/validate` in a client of the mock. */
import { operations } from '@svc/contract/operations';
import { createMock, type Mock } from '@svc/mock';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createClient } from '../src/client.ts';
import { ConfigurationError, InvalidResponseError } from '../src/errors/errors.ts';
import {
  type AnswerProblem,
  type AnswerValidator,
  createValidator,
  type ValidatorOptions,
} from '../src/validate/index.ts';
import { everyOperation } from './every-operation.ts';

const NOW = '2026-03-31T12:00:00Z';
const RANGE = { from: '2026-03-20', to: '2026-03-31' };
const mocks: Mock[] = [];
afterEach(async () => {
  for (const mock of mocks.splice(0)) await mock.close();
});

/** Creates a client whose answers are replaced by `change`. */
function connect(
  validate: AnswerValidator,
  options: { scenario?: 'future'; change?: (body: unknown) => unknown } = {},
) {
  const { scenario, change = (body) => body } = options;
  const mock = createMock({ now: NOW, ...(scenario === undefined ? {} : { scenario }) });
  mocks.push(mock);
  const client = createClient({
    baseUrl: 'https://api.example.com',
    apiKey: mock.keys.osapi_demo_write,
    now: () => Date.parse(NOW),
    maxRetries: 0,
    validate,
    fetch: async (request) => {
      const response = await mock.fetch(request);
      if (response.headers.get('content-type')?.startsWith('application/json') !== true) return response;
      const { status, headers } = response;
      return new Response(JSON.stringify(change(await response.json())), { status, headers });
    },
  });
  return { client, mock };
}

describe.each([undefined, 'future'] as const)('the demo world, scenario %s', (scenario) => {
  test.each(operations.map(({ id, method, path, successStatus }) => [id, method, path, successStatus] as const))(
    '%s passes strict',
    async (id, method, path, successStatus) => {
      const strict = createValidator('strict');
      const calls: unknown[] = [];
      const { client } = connect(
        (operation, status, body) => {
          calls.push([operation.method, operation.path, status]);
          return strict(operation, status, body);
        },
        scenario === undefined ? {} : { scenario },
      );
      await everyOperation[id](client);
      expect(calls).toContainEqual([method, path, successStatus]);
      expect(new Set(calls.map(String)).size).toBe(1);
    },
  );
});

/** Returns a function that sets one field of a body, or removes it with `undefined`. */
const damaged = (where: readonly (string | number)[], value: unknown) => (body: unknown) => {
  const copy: unknown = structuredClone(body);
  let place: unknown = copy;
  for (const key of where.slice(0, -1)) place = Object(place)[key];
  Object(place)[String(where.at(-1))] = value;
  return copy;
};

describe('strict', () => {
  test.each([
    [['data', 3, 'createdAt'], null, 'data[3].createdAt is null, not a string'],
    [['data', 3, 'createdAt'], '2026-03-31', 'data[3].createdAt is text, but no instant in UTC'],
    [['data', 0, 'id'], '1001', 'data[0].id is a string, not a number'],
    [['data', 0, 'id'], 1.5, 'data[0].id is a fraction, not an integer'],
    [['data', 0, 'id'], 0, 'data[0].id is less than 1'],
    [['data', 12, 'toEmail'], undefined, 'data[12].toEmail is missing, not a string'],
    [['data', 0, 'error'], ['x'], 'data[0].error is an array, not an object'],
    [['nextCursor'], 7, 'nextCursor is a number, not a string'],
  ])('%j as %j: %s', async (where, value, message) => {
    const { client } = connect(createValidator('strict'), { change: damaged(where, value) });
    const call = client.syncs.list(RANGE).toArray({ limit: 20 });
    await expect(call).rejects.toThrow(InvalidResponseError);
    await expect(call).rejects.toThrow(`The answer to GET /api/v1/syncs is not as the contract has it: ${message}`);
    await expect(call).rejects.toMatchObject({ status: 200, attempts: 1, requestId: expect.any(String) });
  });

  test('names the first problem and counts the others', async () => {
    const change = () => ({ account: { id: 'x', email: 1 }, apiKey: {}, connections: [] });
    const { client } = connect(createValidator('strict'), { change });
    await expect(client.me.get()).rejects.toThrow('account.id is a string, not a number (and 6 more)');
  });

  test('does not quote values of the answer', async () => {
    const { client } = connect(createValidator('strict'), { change: damaged(['account', 'id'], 'zoe@example.org') });
    const error = await client.me.get().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(JSON.stringify(error) + String(error)).not.toContain('zoe');
  });

  test.each([
    ['unknown values', damaged(['data', 0, 'status'], 'parked')],
    ['unknown fields', damaged(['data', 0, 'region'], { code: 1 })],
    ['larger ids', damaged(['data', 0, 'id'], 2 ** 40)],
  ])('%s pass', async (_name, change) => {
    const { client } = connect(createValidator('strict'), { change });
    expect(await client.syncs.list(RANGE).toArray({ limit: 20 })).toHaveLength(20);
  });

  test('secrets and ids with other prefixes pass', async () => {
    const change = (body: unknown) => ({ ...Object(body), id: 'acme_1', secret: 'acmesec_1' });
    const { client } = connect(createValidator('strict'), { change });
    expect(await client.webhooks.create({ url: 'https://hooks.example.com/x' })).toMatchObject({ id: 'acme_1' });
  });

  test('errors of the service are not validated', async () => {
    const { client } = connect(createValidator('strict'));
    await expect(client.syncs.get(99_999_999)).rejects.toMatchObject({ name: 'NotFoundError', status: 404 });
  });
});

describe('warn', () => {
  test('reports each kind of problem once and accepts the answer', async () => {
    const problems: AnswerProblem[] = [];
    const options: ValidatorOptions = { onProblem: (problem) => void problems.push(problem) };
    const change = (body: unknown) => {
      const page: { data: object[] } = Object(body);
      return { ...page, data: page.data.map((row) => ({ ...row, toEmail: null, platform: 1 })) };
    };
    const { client } = connect(createValidator('warn', options), { change });
    const rows = await client.syncs.list({ ...RANGE, pageSize: 10 }).toArray({ limit: 25 });
    expect(rows).toHaveLength(25);
    expect(rows[0]?.toEmail).toBeNull();
    const common = { method: 'GET', path: '/api/v1/syncs', status: 200 };
    expect(problems).toEqual([
      { ...common, field: 'data[0].toEmail', message: 'data[0].toEmail is null, not a string' },
      { ...common, field: 'data[0].platform', message: 'data[0].platform is a number, not a string' },
    ]);
    await client.sources.listSyncs(1, { ...RANGE, pageSize: 10 }).toArray({ limit: 1 });
    expect(problems).toHaveLength(4);
    expect(problems[2]?.path).toBe('/api/v1/sources/{sourceId}/syncs');
  });

  test('reports on the console by default', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { client } = connect(createValidator('warn'), { change: damaged(['account', 'id'], 0) });
    await client.me.get();
    await client.me.get();
    expect(warn.mock.calls).toEqual([
      ['svc-sdk: the answer to GET /api/v1/me is not as the contract has it: account.id is less than 1'],
    ]);
  });
});

test('refuses an unknown mode', () => {
  const mode: string = 'loud';
  expect(() => createValidator(mode as 'warn')).toThrow(ConfigurationError);
});
