import {
  accountMetricsSchema,
  accountStatusResponseSchema,
  connectionSchema,
  deliveryMetricsSchema,
  deliverySchema,
  destinationSchema,
  healthLiveSchema,
  healthReadySchema,
  meResponseSchema,
  platformEventSchema,
  platformEventWithDeliveriesSchema,
  replayQueuedSchema,
  replyRelaySchema,
  requestMetricsSchema,
  requestReceiptSchema,
  retryQueuedSchema,
  sourceSchema,
  syncMetricsSchema,
  syncSchema,
} from '@svc/contract/schemas';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from './support/mock-service.ts';
import { runInProcess } from './support/run-in-process.ts';
import { buildCli } from './support/run-cli.ts';

/** Checks what README.md says about `--json`. */
let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
});
afterAll(() => service.close());

const RANGE = ['--from', '2026-01-14', '--to', '2026-01-15'];
const QUERY = 'from=2026-01-14T00:00:00.000Z&to=2026-01-15T23:59:59.999Z';

interface Summary {
  readonly queued: readonly number[];
  readonly skipped: readonly unknown[];
}

const jsonOf = async (argv: readonly string[]): Promise<unknown> => {
  const { code, stdout } = await service.svc(...argv, '--json');
  expect(code).toBe(0);
  return JSON.parse(stdout);
};

/** Returns the answer of the API. */
async function answerOf(path: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${service.apiKey}` } });
  return (await response.json()) as Record<string, unknown>;
}

describe('lists are arrays of rows of the API', () => {
  test.each([
    ['connections list', [], '/api/v1/connections', 'connections', connectionSchema],
    ['sources list', [], '/api/v1/sources', 'sources', sourceSchema],
    ['destinations list', [], '/api/v1/destinations', 'destinations', destinationSchema],
    ['relays list', [], '/api/v1/destinations/reply-relays', 'replyRelays', replyRelaySchema],
    ['requests list', ['--all', ...RANGE], `/api/v1/requests?limit=500&${QUERY}`, 'data', requestReceiptSchema],
    ['syncs list', ['--all', ...RANGE], `/api/v1/syncs?limit=500&${QUERY}`, 'data', syncSchema],
    ['deliveries list', ['--all', ...RANGE], `/api/v1/deliveries?limit=500&${QUERY}`, 'data', deliverySchema],
    ['events list', ['--all'], '/api/v1/events?limit=100', 'data', platformEventSchema],
  ] as const)('%s', async (command, flags, path, rows, schema) => {
    const printed = await jsonOf([...command.split(' '), ...flags]);
    expect(schema.array().min(1).parse(printed)).toEqual(printed);
    expect(printed).toEqual((await answerOf(path))[rows]);
  });
});

describe('other commands print the object of the API', () => {
  test.each([
    ['whoami', [], '/api/v1/me', meResponseSchema],
    ['status', [], '/api/v1/account/status', accountStatusResponseSchema],
    ['health', [], '/health/ready', healthReadySchema],
    ['health', ['--live'], '/health/live', healthLiveSchema],
    ['syncs get', ['1001'], '/api/v1/syncs/1001', syncSchema],
    ['destinations get', ['1'], '/api/v1/destinations/1', destinationSchema],
    ['events get', ['osevt_demo0001'], '/api/v1/events/osevt_demo0001', platformEventWithDeliveriesSchema],
    ['metrics', RANGE, `/api/v1/account/metrics?${QUERY}`, accountMetricsSchema],
    ['metrics syncs', RANGE, `/api/v1/syncs/metrics?${QUERY}`, syncMetricsSchema],
    ['metrics requests', RANGE, `/api/v1/requests/metrics?${QUERY}`, requestMetricsSchema],
    [
      'metrics deliveries',
      ['--destination', '1', ...RANGE],
      `/api/v1/destinations/1/deliveries/metrics?${QUERY}`,
      deliveryMetricsSchema,
    ],
  ] as const)('%s %s', async (command, more, path, schema) => {
    const printed = await jsonOf([...command.split(' '), ...more]);
    expect(schema.parse(printed)).toEqual(printed);
    expect(printed).toEqual(await answerOf(path));
  });

  test('commands that queue a job', async () => {
    const retry = await jsonOf(['syncs', 'retry', '2657']);
    expect(retryQueuedSchema.strict().parse(retry)).toEqual({ queued: true, syncId: 2657 });
    const replay = await jsonOf(['deliveries', 'replay', '3607', '--destination', '4']);
    expect(replayQueuedSchema.strict().parse(replay)).toMatchObject({ queued: true, destinationId: 4 });
    await service.mock.settle();
  });
});

describe('documents that the API does not have', () => {
  test.each([
    ['account', accountMetricsSchema],
    ['syncs', syncMetricsSchema.strict()],
    ['requests', requestMetricsSchema.strict()],
    ['deliveries', deliveryMetricsSchema.strict()],
  ])('metrics %s --by day: an array of the counts of each day', async (what, schema) => {
    const days = (await jsonOf(['metrics', what, ...RANGE, '--by', 'day'])) as ({ day: string } & object)[];
    expect(days.map(({ day }) => day)).toEqual(['2026-01-14', '2026-01-15']);
    for (const { day: _day, ...counts } of days) expect(schema.parse(counts)).toEqual(counts);
  });

  test('syncs retry --all: a summary', async () => {
    const id = expect.any(Number);
    const result = (await jsonOf(['syncs', 'retry', '--all', ...RANGE, '--dry-run'])) as Summary;
    expect(result).toEqual({
      from: '2026-01-14T00:00:00.000Z',
      to: '2026-01-15T23:59:59.999Z',
      dryRun: true,
      found: result.queued.length + result.skipped.length,
      queued: result.queued.map(() => id),
      skipped: result.skipped.map(() => ({ id, reason: expect.stringMatching(/^(recovered|superseded|crm)$/) })),
      refused: [],
    });
    expect(result.queued.length).toBeGreaterThan(0);
    expect(result.skipped.length).toBeGreaterThan(0);

    service.mock.faults.add({ operations: ['retrySync'], effect: { kind: 'status', status: 409 } });
    const { code, stdout } = await service.svc('syncs', 'retry', '--all', ...RANGE, '--yes', '--json');
    expect(code).toBe(6);
    const refused = result.queued.map((each) => ({ id: each, status: 409, message: expect.any(String) }));
    expect(JSON.parse(stdout)).toEqual({ ...result, dryRun: false, queued: [], refused });
  });

  test.each([
    ['syncs', ['list', '--all', ...RANGE], 'id,status'],
    ['relays', ['list'], 'id,categoryAllowlist.name'],
  ])('%s with --fields prints only those fields', async (topic, argv, fields) => {
    const rows = (await jsonOf([topic, ...argv, '--fields', fields])) as object[];
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(Object.keys(row)).toEqual(fields.split(',').map((field) => field.split('.')[0]));
  });
});

test('an error is one line on stderr, and stdout stays empty', async () => {
  const { code, stdout, stderr } = await service.svc('syncs', 'get', '999999', '--json');
  expect([code, stdout, stderr.split('\n')]).toEqual([3, '', [expect.any(String), '']]);
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: 'not_found',
      status: 404,
      message: 'Sync 999999 not found',
      requestId: expect.any(String),
      hint: null,
      retryable: false,
    },
  });
});
