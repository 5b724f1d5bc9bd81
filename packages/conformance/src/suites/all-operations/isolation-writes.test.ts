/**
 * Tenant isolation of write operations, webhooks and events: every key calls every operation for rows that it does not see. The
 * answer must be identical to that for an id that does not exist, and nothing may change.
 */
import { type OperationId, operationById } from '@svc/contract/operations';
import { type Access, authorize, canSeeEvent } from '@svc/domain/requests/access';
import { ApiError } from '@svc/domain/errors/errors';
import { beforeAll, describe, expect, test } from 'vitest';
import { readAll } from '../../cases/paging.ts';
import { comparableAnswer } from '../../harness/comparable-answer.ts';
import type { Call } from '../../harness/client.ts';
import { type Api, onEveryTarget } from '../../harness/suite.ts';
import { accessOf, keyRow, MONTH, READING_KEYS, findRow, WORLD } from '../../harness/world.ts';

const KEYS = [...READING_KEYS, 'osapi_demo_connection'] as const;

type Params = Readonly<Record<string, string | number>>;

interface Probe {
  readonly operationId: OperationId;
  /** Parameters of rows that the key does not see. */
  readonly hidden: (access: Access) => Params[];
  /** Parameters of a row that does not exist. */
  readonly unknown: (access: Access) => Params | undefined;
  /** The parameter that a 404 names. */
  readonly named: string;
  readonly call?: Call;
}

const hiddenRows = <Row extends { readonly connectionId: number }>(rows: readonly Row[], access: Access): Row[] =>
  rows.filter(({ connectionId }) => !access.connectionIds.includes(connectionId));
/** Returns one row of each connection. */
const oneOfEach = <Row extends { readonly connectionId: number }>(rows: readonly Row[]): Row[] =>
  [...Map.groupBy(rows, ({ connectionId }) => connectionId).values()].flatMap(([row]) => row ?? []);

const failedSyncs = WORLD.syncs.filter(({ status, payloadId }) => status === 'error' && payloadId !== null);
const deliveries = WORLD.deliveries.filter(({ payloadId }) => payloadId !== null);
const hiddenWebhooks = (access: Access) =>
  WORLD.webhooks.filter((row) => row.accountId !== access.accountId || row.deletedAt !== null);
const ownWebhook = (access: Access) =>
  WORLD.webhooks.find((row) => row.accountId === access.accountId && row.deletedAt === null);
const webhookProbe = (operationId: OperationId, call: Call = {}): Probe => ({
  operationId,
  hidden: (access) => hiddenWebhooks(access).map(({ id }) => ({ id })),
  unknown: () => ({ id: 'oswhk_nobody' }),
  named: 'id',
  call,
});

const PROBES: readonly Probe[] = [
  {
    operationId: 'retrySync',
    hidden: (access) => oneOfEach(hiddenRows(failedSyncs, access)).map(({ id }) => ({ id })),
    unknown: () => ({ id: 999_999 }),
    named: 'id',
  },
  {
    operationId: 'replayDelivery',
    hidden: (access) =>
      oneOfEach(hiddenRows(deliveries, access)).map(({ id, destinationId }) => ({ id: destinationId, deliveryId: id })),
    unknown: () => ({ id: 999_999, deliveryId: 1 }),
    named: 'id',
  },
  {
    // The key's own destination with another account's delivery.
    operationId: 'replayDelivery',
    hidden: (access) => {
      const own = WORLD.destinations.find(({ connectionId }) => access.connectionIds.includes(connectionId));
      if (own === undefined) return [];
      return oneOfEach(hiddenRows(deliveries, access)).map(({ id }) => ({ id: own.id, deliveryId: id }));
    },
    unknown(access) {
      const own = WORLD.destinations.find(({ connectionId }) => access.connectionIds.includes(connectionId));
      return own && { id: own.id, deliveryId: 999_999 };
    },
    named: 'deliveryId',
  },
  ...(['pauseBlocklist', 'resyncBlocklist'] as const).map(
    (operationId): Probe => ({
      operationId,
      hidden: (access) => hiddenRows(WORLD.blocklists, access).map(({ id }) => ({ id })),
      unknown: () => ({ id: 999_999 }),
      named: 'id',
    }),
  ),
  webhookProbe('getWebhook'),
  webhookProbe('updateWebhook', {
    body: { description: 'taken over', isActive: false, enabledEvents: ['sync.failed'] },
  }),
  webhookProbe('updateWebhook', { body: {} }),
  webhookProbe('deleteWebhook'),
  webhookProbe('rotateWebhookSecret'),
  webhookProbe('testWebhook'),
  webhookProbe('listWebhookDeliveries'),
  {
    operationId: 'replayWebhookDelivery',
    hidden: (access) =>
      hiddenWebhooks(access).flatMap(({ id }) => {
        const delivery = WORLD.webhookDeliveries.find(({ webhookId }) => webhookId === id);
        return delivery ? [{ id, deliveryId: delivery.id }] : [];
      }),
    unknown: () => ({ id: 'oswhk_nobody', deliveryId: 'oswhd_nobody' }),
    named: 'id',
  },
  {
    // The key's own webhook with another account's delivery.
    operationId: 'replayWebhookDelivery',
    hidden(access) {
      const own = ownWebhook(access);
      if (own === undefined) return [];
      const hidden = new Set(hiddenWebhooks(access).map(({ id }) => id));
      const others = WORLD.webhookDeliveries.filter(({ webhookId }) => hidden.has(webhookId));
      return others.slice(0, 5).map(({ id }) => ({ id: own.id, deliveryId: id }));
    },
    unknown(access) {
      const own = ownWebhook(access);
      return own && { id: own.id, deliveryId: 'oswhd_nobody' };
    },
    named: 'deliveryId',
  },
  {
    operationId: 'getEvent',
    hidden: (access) =>
      WORLD.events
        .filter((row) => row.accountId !== access.accountId || !canSeeEvent(access, row.connectionId))
        .map(({ id }) => ({ id })),
    unknown: () => ({ id: 'osevt_nobody' }),
    named: 'id',
  },
];

/** Returns 403 for keys that may not make the call at all, by the domain's rule, else 404. */
function statusFor(operationId: OperationId, key: string): 403 | 404 {
  const { accountId } = keyRow(key);
  const account = findRow(WORLD.accounts, ({ id }) => id === accountId, 'account of the key');
  try {
    authorize(operationById(operationId).access, accessOf(key), account);
    return 404;
  } catch (error) {
    if (error instanceof ApiError && error.statusCode === 403) return 403;
    throw error;
  }
}

/** Reads everything that the calls could have changed. */
async function readEverything(api: Api): Promise<unknown> {
  await api.advance(0);
  const contents: Record<string, unknown> = {};
  for (const key of ['osapi_demo_write', 'osapi_demo_other', 'osapi_demo_no_webhooks', 'osapi_demo_empty']) {
    const log = { key, query: { ...MONTH, limit: 500 } };
    contents[key] = {
      blocklists: await api.read('listBlocklists', { key }),
      syncs: await readAll(api, 'listSyncs', log),
      deliveries: await readAll(api, 'listDeliveries', log),
      metrics: await api.read('getAccountMetrics', { key, query: MONTH }),
    };
    if (key === 'osapi_demo_no_webhooks') continue;
    const { webhooks } = await api.read('listWebhooks', { key });
    contents[`${key} webhooks`] = webhooks;
    contents[`${key} events`] = await readAll(api, 'listEvents', { key, query: { limit: 100 } });
    for (const { id } of webhooks) {
      const call = { key, params: { id }, query: { limit: 100 } };
      contents[id] = await readAll(api, 'listWebhookDeliveries', call);
    }
  }
  return contents;
}

onEveryTarget(
  (api) => {
    let before: unknown;
    beforeAll(async () => {
      before = await readEverything(api);
    });

    for (const { operationId, hidden, unknown, named, call } of PROBES) {
      const keys = KEYS.filter((key) => unknown(accessOf(key)) !== undefined);
      const cases = keys.map((key) => [statusFor(operationId, key), key] as const);
      describe(operationId, () => {
        test.each(cases)(
          `%d to %s for rows it does not see, as for unknown ids (${named}, ${JSON.stringify(call?.body ?? null)})`,
          async (status, key) => {
            const access = accessOf(key);
            const params = unknown(access) ?? {};
            const expected = await api.call(operationId, { ...call, key, params });
            expect(expected.status).toBe(status);
            const rows = hidden(access);
            expect(rows.length).toBeGreaterThan(0);
            for (const row of rows) {
              const answer = await api.call(operationId, { ...call, key, params: row });
              expect(comparableAnswer(answer, row[named] ?? '')).toEqual(
                comparableAnswer(expected, params[named] ?? ''),
              );
            }
          },
        );
      });
    }

    describe('after all calls', () => {
      test('nothing has changed for any account', async () => {
        expect(await readEverything(api)).toEqual(before);
      });
    });
  },
  { workers: 'off' },
);
