/**
 * A smoke test per database against a real process on real time: every operation succeeds once, queued work is done, readiness
 * follows the database, and SIGTERM ends the process.
 */
import { type OperationId, operations } from '@svc/contract/operations';
import { createWebhookRequestValidator } from '@svc/contract/strict';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signatureOf, WRITE_KEY } from '../../cases/webhooks.ts';
import { type Answer, type Call, callOperation } from '../../harness/client.ts';
import {
  createDetachableDatabase,
  type DemoProcess,
  type DetachableDatabase,
  hasPostgres,
  startDemoProcess,
} from '../../harness/targets/demo-process.ts';

const DAY_MS = 86_400_000;
const STOP_MS_MAX = 10_000;
const problemsOf = createWebhookRequestValidator();
const reach = ({ baseUrl }: DemoProcess) => ({ baseUrl, fetch });

const databases = [
  { name: 'the embedded database', isAvailable: true, isDetachable: false },
  { name: 'PostgreSQL', isAvailable: hasPostgres, isDetachable: true },
];

describe.each(databases)('svc-server start --demo on $name', ({ isAvailable, isDetachable }) => {
  describe.skipIf(!isAvailable)('as a process', () => {
    let demo: DemoProcess;
    let database: DetachableDatabase | undefined;
    beforeAll(async () => {
      database = isDetachable ? await createDetachableDatabase() : undefined;
      demo = await startDemoProcess(database?.url);
    }, 600_000);
    afterAll(async () => {
      await demo?.remove();
      await database?.remove();
    });

    const succeeded = new Set<OperationId>();
    async function call(operationId: OperationId, more: Call = {}): Promise<Answer['json']> {
      const answer = await callOperation(reach(demo), operationId, { key: WRITE_KEY, ...more });
      expect(answer.status, answer.text).toBeLessThan(300);
      succeeded.add(operationId);
      return answer.json;
    }
    const range = () => {
      const now = Date.now();
      return { from: new Date(now - 30 * DAY_MS).toISOString(), to: new Date(now + DAY_MS).toISOString() };
    };
    const received = async (): Promise<{ headers: Record<string, string>; body: string }[]> =>
      JSON.parse(await (await fetch(demo.receiverStateUrl)).text()).posts;

    test('every read succeeds', async () => {
      for (const { id, pathParams, method, access } of operations) {
        if (method !== 'GET' || pathParams.length > 0 || id === 'getContactOutreach') continue;
        await call(id, { key: access === 'public' ? null : WRITE_KEY, query: range() });
      }
      await call('getContactOutreach', { query: { email: 'replied@example.com' } });
      const [source] = (await call('listSources')).sources;
      await call('listSourceRequests', { params: { sourceId: source.id }, query: range() });
      await call('listSourceSyncs', { params: { sourceId: source.id }, query: range() });
      const [sync] = (await call('listSyncs', { query: range() })).data;
      expect(await call('getSync', { params: { id: sync.id } })).toEqual(sync);
      const [destination] = (await call('listDestinations')).destinations;
      const params = { id: destination.id };
      expect(await call('getDestination', { params })).toEqual(destination);
      await call('listDestinationDeliveries', { params, query: range() });
      await call('getDestinationDeliveryMetrics', { params, query: range() });
      const [event] = (await call('listEvents')).data;
      expect(await call('getEvent', { params: { id: event.id } })).toMatchObject(event);
    });

    test('a retry creates a sync, a replay creates a delivery', async () => {
      const failed = (await call('listSyncs', { query: { ...range(), status: 'error', connectionId: 1 } })).data;
      const sync = failed.find((row: { payloadId: unknown; sourceId: unknown }) => row.payloadId && row.sourceId);
      const [{ id: newest }] = (await call('listSyncs', { query: { ...range(), limit: 1 } })).data;
      expect(await call('retrySync', { params: { id: sync.id } })).toEqual({ queued: true, syncId: sync.id });
      const made = async () => (await call('listSyncs', { query: { ...range(), limit: 1 } })).data[0];
      await expect.poll(async () => (await made()).id).not.toBe(newest);
      expect(await made()).toMatchObject({ status: 'success', payloadId: sync.payloadId, toEmail: sync.toEmail });

      const query = { ...range(), destinationId: 1 };
      const delivery = (await call('listDeliveries', { query })).data.find(
        (row: { payloadId: unknown }) => row.payloadId,
      );
      await call('replayDelivery', { params: { id: 1, deliveryId: delivery.id } });
      const newestDelivery = async () => (await call('listDeliveries', { query: { ...query, limit: 1 } })).data[0];
      await expect
        .poll(newestDelivery)
        .toMatchObject({ status: 'success', httpStatus: 200, payloadId: delivery.payloadId });
    });

    test('a webhook delivery arrives with a valid signature and can be replayed', async () => {
      const { id, secret } = await call('createWebhook', { body: { url: 'https://smoke.example.com/hook' } });
      const params = { id };
      await call('getWebhook', { params });
      await call('updateWebhook', { params, body: { description: 'smoke' } });
      const { eventId } = await call('testWebhook', { params });
      const arrived = async () => (await received()).filter(({ headers }) => headers['service-event-id'] === eventId);
      await expect.poll(async () => (await arrived()).length).toBe(1);
      const [post] = await arrived();
      if (post === undefined) throw new Error('nothing arrived');
      const bytes = Buffer.from(post.body);
      const signature = signatureOf({ method: 'POST', path: '', headers: post.headers, body: bytes });
      expect(signature.isValidFor(secret)).toBe(true);
      expect(Math.abs(signature.t - Date.now() / 1_000)).toBeLessThan(300);
      expect(problemsOf('test.ping', post.headers, JSON.parse(post.body))).toEqual([]);
      const delivered = async () => (await call('listWebhookDeliveries', { params })).data;
      await expect.poll(delivered).toMatchObject([{ status: 'SUCCEEDED', attemptCount: 1 }]);

      const rotated = await call('rotateWebhookSecret', { params });
      const [delivery] = await delivered();
      await call('replayWebhookDelivery', { params: { id, deliveryId: delivery.id } });
      await expect.poll(async () => (await arrived()).length).toBe(2);
      const [, again] = await arrived();
      const replayed = { method: 'POST', path: '', headers: again?.headers ?? {}, body: bytes };
      expect(signatureOf(replayed).isValidFor(rotated.secret)).toBe(true);
      await call('deleteWebhook', { params });
    });

    test('a block list can be paused and resynced', async () => {
      const lists = async () => (await call('listBlocklists')).blocklists;
      const [list] = (await lists()).filter(
        (row: { status: string; crm: unknown; connectionId: number }) =>
          row.status === 'SYNCED' && row.crm !== null && row.connectionId === 1,
      );
      const params = { id: list.id };
      expect(await call('pauseBlocklist', { params })).toMatchObject({ isEnabled: false, status: 'SYNCED' });
      expect(await call('resyncBlocklist', { params })).toMatchObject({ isEnabled: true, status: 'FETCHING' });
      const now = async () => (await lists()).find(({ id }: { id: number }) => id === list.id);
      await expect
        .poll(now, { timeout: 60_000, interval: 250 })
        .toMatchObject({ status: 'SYNCED', pendingCount: 0, lastError: null });
    }, 90_000);

    test('every operation has succeeded', () => {
      expect([...succeeded].sort()).toEqual(operations.map(({ id }) => id).sort());
    });

    if (isDetachable) proveReadiness(() => ({ demo, database }));

    test('SIGTERM ends the process in time with exit code 0', async () => {
      const { code, ms } = await demo.stop();
      expect(code).toBe(0);
      expect(ms).toBeLessThan(STOP_MS_MAX);
    });
  });
});

function proveReadiness(running: () => { demo: DemoProcess; database: DetachableDatabase | undefined }): void {
  test('without its database it is alive but not ready, and answers 500 without details', async () => {
    const { demo, database } = running();
    const status = async (id: OperationId) => (await callOperation(reach(demo), id, { key: WRITE_KEY })).status;
    expect(await status('getHealthReady')).toBe(200);
    await database?.detach();
    await expect.poll(() => status('getHealthReady')).toBe(503);
    expect(await status('getHealthLive')).toBe(200);
    const { json } = await callOperation(reach(demo), 'getMe', { key: WRITE_KEY });
    expect(json).toEqual({ statusCode: 500, message: 'Internal server error', error: 'Internal Server Error' });
    await database?.attach();
    await expect.poll(() => status('getHealthReady')).toBe(200);
    expect(await status('getMe')).toBe(200);
  }, 90_000);
}
