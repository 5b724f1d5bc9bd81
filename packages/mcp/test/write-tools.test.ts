/** Tools that change something: who is offered them, and the plan that comes before. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type Bench, startBench, type TestClient, type ToolResult } from './support/clients.ts';

const READ_TOOLS = 9;
const names = async (client: TestClient) => (await client.tools()).map(({ name }) => name);

describe('who is offered them', () => {
  test('nobody without writes', async () => {
    expect(await names((await startBench({ key: 'osapi_demo_write' })).modern)).toHaveLength(READ_TOOLS);
  });

  test('not a key that only reads, and the hidden tool does not exist', async () => {
    const { modern, legacy } = await startBench({ allowsWrites: true, key: 'osapi_demo_read' });
    for (const client of [modern, legacy]) {
      expect(await names(client)).toHaveLength(READ_TOOLS);
      await expect(client.call('svc_retry_sync', { ids: [2657] })).rejects.toThrow('Tool svc_retry_sync not found');
    }
  });

  test('a key for one connection, without webhooks', async () => {
    const { modern } = await startBench({ allowsWrites: true, key: 'osapi_demo_connection' });
    expect((await names(modern)).slice(READ_TOOLS)).toEqual(['svc_retry_sync', 'svc_replay_delivery', 'svc_blocklist']);
  });

  test('a key for the account, in a list of at most 12 kB that says what is destructive', async () => {
    const { modern, legacy } = await startBench({ allowsWrites: true, key: 'osapi_demo_write' });
    for (const client of [modern, legacy]) {
      const tools = await client.tools();
      expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(12_000);
      const hints = (destructiveHint: boolean) => ({
        annotations: expect.objectContaining({ readOnlyHint: false, openWorldHint: true, destructiveHint }),
      });
      expect(tools.slice(READ_TOOLS)).toMatchObject([
        { name: 'svc_retry_sync', ...hints(false) },
        { name: 'svc_replay_delivery', ...hints(true) },
        { name: 'svc_blocklist', ...hints(true) },
        { name: 'svc_webhook', ...hints(true) },
      ]);
    }
  });
});

describe.each(['modern', 'legacy'] as const)('a %s client that cannot ask its user', (era) => {
  let bench: Bench;
  let client: TestClient;
  beforeEach(async () => {
    bench = await startBench({ allowsWrites: true, key: 'osapi_demo_write' });
    client = bench[era];
  });
  const writes = () => bench.takeCalls().filter((id) => /^(retry|replay|pause|resync|update|delete|test)/.test(id));
  const failedIds = () =>
    bench.mock.db.syncs.findMany({ where: { status: 'error', connectionId: 1 } }).map(({ id }) => id);

  test('learns why a sync failed, and retries it', async () => {
    const { data } = await client.call('svc_explain_sync', { id: 2657 });
    const [next] = data.next as { tool: string; args: Record<string, unknown> }[];
    expect(next).toMatchObject({ tool: 'svc_retry_sync', args: { ids: [2657] } });
    expect(await client.call(next?.tool ?? '', next?.args)).toMatchObject({
      isError: false,
      text: expect.stringMatching(/^Queued: 1\. Refused: 0\. Not tried: 0\. A retry adds a new sync/),
    });
    expect(writes()).toEqual(['retrySync']);
  });

  test('gets the reason why a retry is refused', async () => {
    const { data } = await client.call('svc_retry_sync', { ids: [1001] });
    expect(data).toMatchObject({ refused: [{ id: 1001, message: expect.stringContaining('not eligible') }] });
  });

  test('several syncs need a plan, which does exactly what it showed, and only here', async () => {
    const ids = failedIds().slice(-3);
    const plan = await client.call('svc_retry_sync', { ids });
    expect(plan).toMatchObject({ isError: false, data: { ids: ids.join(', ') } });
    expect(plan.text).toMatch(
      /^Nothing is done yet\. The plan: retry 3 syncs \(\d+, \d+, \d+\)\. Show it to the user first\./,
    );
    expect(writes()).toEqual([]);
    const { args } = nextOf(plan);

    const planId = String(args.planId);
    const changed = `${planId.slice(0, -4)}AAAA`;
    for (const [tool, wrong, message] of [
      ['svc_retry_sync', { planId: changed }, 'This planId is not valid.'],
      ['svc_retry_sync', { planId: 'x' }, 'This planId is not valid.'],
      ['svc_blocklist', { planId }, 'This plan is one of svc_retry_sync.'],
      ['svc_retry_sync', { planId, ids: [1] }, 'The plan has another ids.'],
    ] as const) {
      expect(await client.call(tool, wrong)).toMatchObject({ isError: true, text: expect.stringContaining(message) });
    }
    const stranger = await startBench({ allowsWrites: true, key: 'osapi_demo_write', principal: 'somebody else' });
    expect((await stranger[era].call('svc_retry_sync', { planId })).isError).toBe(true);
    bench.advance(11 * 60_000);
    expect((await client.call('svc_retry_sync', { planId })).text).toContain('older than ten minutes');
    expect(writes()).toEqual([]);

    bench.advance(-11 * 60_000);
    expect((await client.call('svc_retry_sync', { planId, ids })).text).toMatch(/^Queued: 3\./);
    const repeated = await client.call('svc_retry_sync', { planId });
    expect([repeated.isError, repeated.text]).toEqual([true, expect.stringContaining('carried out already')]);
    expect(writes()).toEqual(['retrySync', 'retrySync', 'retrySync']);
  });

  test('the failed syncs of a range need a plan', async () => {
    const plan = await client.call('svc_retry_sync', { since: '2026-01-14', sourceId: 4 });
    expect(plan.text).toMatch(/^Nothing is done yet\. The plan: retry \d+ syncs/);
    const { tool, args } = nextOf(plan);
    expect((await client.call(tool, args)).text).toMatch(/^Queued: [1-9]/);
    for (const wrong of [{}, { ids: [1], since: '1d' }, { ids: [1], sourceId: 4 }]) {
      expect((await client.call('svc_retry_sync', wrong)).isError).toBe(true);
    }
  });

  test.each([
    ['svc_replay_delivery', { kind: 'destination', id: 4, deliveryId: 3607 }, 'replayDelivery'],
    ['svc_blocklist', { id: 1, action: 'pause' }, 'pauseBlocklist'],
    ['svc_blocklist', { id: 1, action: 'resync' }, 'resyncBlocklist'],
    ['svc_webhook', { action: 'update', id: 'oswhk_demo01', patch: { isActive: false } }, 'updateWebhook'],
    ['svc_webhook', { action: 'test', id: 'oswhk_demo01' }, 'testWebhook'],
    ['svc_webhook', { action: 'delete', id: 'oswhk_demo01' }, 'deleteWebhook'],
  ])('%s %j needs a plan', async (tool, args, operation) => {
    const plan = await client.call(tool, args);
    expect([plan.isError, plan.text]).toEqual([false, expect.stringMatching(/^Nothing is done yet\./)]);
    expect(writes()).toEqual([]);
    const next = nextOf(plan);
    expect(await client.call(next.tool, next.args)).toMatchObject({ isError: false });
    expect(writes()).toEqual([operation]);
  });

  test('data cannot be led to another address', async () => {
    const patch = { url: 'https://evil.example.net/' };
    const { isError, text } = await client.call('svc_webhook', { action: 'update', id: 'oswhk_demo01', patch });
    expect([isError, text]).toEqual([true, expect.stringContaining('Unrecognized key: "url"')]);
    expect(writes()).toEqual([]);
  });
});

test.each([
  [{ action: 'accept', content: { confirm: true } }, /^Queued: 2\./, 2],
  [{ action: 'accept', content: { confirm: false } }, /^The user declined\. Nothing was done\.$/, 0],
  [{ action: 'decline' }, /^The user declined\. Nothing was done\.$/, 0],
] as const)('a client that can ask its user: %j', async (reply, text, retries) => {
  const asked: string[] = [];
  const { modern, mock, takeCalls } = await startBench({
    allowsWrites: true,
    key: 'osapi_demo_write',
    askUser: (message) => {
      asked.push(message);
      return reply;
    },
  });
  const ids = mock.db.syncs
    .findMany({ where: { status: 'error', connectionId: 1 } })
    .map(({ id }) => id)
    .slice(-2);
  expect((await modern.call('svc_retry_sync', { ids })).text).toMatch(text);
  expect(asked).toEqual([`The agent wants to retry 2 syncs (${ids.join(', ')}).`]);
  expect(takeCalls().filter((id) => id === 'retrySync')).toHaveLength(retries);
});

function nextOf({ data }: ToolResult): { readonly tool: string; readonly args: Record<string, unknown> } {
  const [next] = data.next as { tool: string; args: Record<string, unknown> }[];
  if (next === undefined) throw new Error('the answer names no next call');
  return next;
}
