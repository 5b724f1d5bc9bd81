/** The tools, called by real clients of both eras of the protocol, on the demo world of the mock. */
import { operations } from '@svc/contract/operations';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ANSWER_BYTES_MAX } from '../src/answers/answer.ts';
import { OPERATION_TOOLS } from '../src/operations.ts';
import { type Bench, startBench, type TestClient } from './support/clients.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
beforeEach(() => void bench.takeCalls());

const ERAS = ['modern', 'legacy'] as const;
const RANGE = { since: '2026-01-01' };

/** Calls of each tool that together reach all of its operations. */
const CALLS: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
  ['svc_status', {}],
  ['svc_explain_sync', { id: 2657 }],
  ['svc_person', { email: 'replied@example.com' }],
  ['svc_person', { profileUrls: ['https://www.linkedin.com/in/somebody'] }],
  ['svc_search_syncs', RANGE],
  ['svc_search_log', { log: 'requests', ...RANGE }],
  ['svc_search_log', { log: 'deliveries', ...RANGE }],
  ['svc_search_log', { log: 'events' }],
  ['svc_search_log', { log: 'webhook_deliveries', webhookId: 'oswhk_demo01' }],
  ['svc_get', { kind: 'sync', id: 1001 }],
  ['svc_get', { kind: 'destination', id: 1 }],
  ['svc_get', { kind: 'webhook', id: 'oswhk_demo01' }],
  ['svc_get', { kind: 'event', id: 'osevt_demo0001' }],
  ...['connections', 'sources', 'destinations', 'reply_relays', 'blocklists', 'webhooks'].map(
    (resource) => ['svc_list', { resource }] as const,
  ),
  ['svc_metrics', { of: 'account', ...RANGE }],
  ['svc_metrics', { of: 'syncs', ...RANGE }],
  ['svc_metrics', { of: 'requests', ...RANGE }],
  ['svc_metrics', { of: 'deliveries', destinationId: 1, ...RANGE }],
  ['svc_doctor', {}],
];

/** Operations that tools call beside their own, to say more about what they show. */
const HELPERS = [
  ...['getMe', 'getAccountStatus', 'listSources', 'listEvents', 'listRequests', 'listSyncs', 'listDeliveries'],
  ...['getHealthReady', 'getSync'],
];

describe('operations', () => {
  test('every operation has a tool that exists, or a reason', async () => {
    const { modern } = await startBench({ key: 'osapi_demo_write', allowsWrites: true });
    const names = (await modern.tools()).map(({ name }) => name);
    expect(Object.keys(OPERATION_TOOLS).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
    for (const [id, row] of Object.entries(OPERATION_TOOLS)) {
      if ('tool' in row) expect([id, names.includes(row.tool)]).toEqual([id, true]);
      else expect([id, row.reason]).toEqual([id, expect.stringMatching(/.{5}/)]);
    }
  });

  test('the tools call their operations, and no others', async () => {
    const called = new Set<string>();
    for (const [tool, args] of CALLS) {
      const { isError, text } = await bench.modern.call(tool, args);
      expect([tool, args, isError, text]).toEqual([tool, args, false, expect.anything()]);
      for (const id of bench.takeCalls()) {
        const row = OPERATION_TOOLS[id as keyof typeof OPERATION_TOOLS];
        const isOwn = 'tool' in row && row.tool === tool;
        if (isOwn) called.add(id);
        expect([tool, id, isOwn || HELPERS.includes(id)]).toEqual([tool, id, true]);
      }
    }
    const reads = operations.filter(({ id, method }) => method === 'GET' && 'tool' in OPERATION_TOOLS[id]);
    expect([...called].toSorted()).toEqual(reads.map(({ id }) => id).toSorted());
  });

  test('tools that read call nothing that writes', () => {
    const writing = operations.filter(({ method }) => method !== 'GET').map(({ id }) => OPERATION_TOOLS[id]);
    const reading = new Set<string>(CALLS.map(([tool]) => tool));
    expect(writing.every((row) => 'reason' in row || !reading.has(row.tool))).toBe(true);
  });
});

describe.each(ERAS)('a %s client', (era) => {
  let client: TestClient;
  beforeAll(() => {
    client = bench[era];
  });

  test('gets a list of tools of at most 12 kB, which says that they only read', async () => {
    const tools = await client.tools();
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(12_000);
    expect(tools.map(({ name }) => name)).toEqual([
      ...['svc_status', 'svc_explain_sync', 'svc_person', 'svc_search_syncs', 'svc_search_log'],
      ...['svc_get', 'svc_list', 'svc_metrics', 'svc_doctor'],
    ]);
    for (const tool of tools) {
      const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
      expect(tool).toMatchObject({ annotations: hints });
    }
  });

  test('gets text and structured content of at most 20 kB from every tool', async () => {
    for (const [tool, args] of CALLS) {
      const { text, data, bytes } = await client.call(tool, args);
      expect([tool, args, bytes < ANSWER_BYTES_MAX]).toEqual([tool, args, true]);
      expect(text).not.toBe('');
      expect(Object.keys(data)).not.toEqual([]);
    }
  });

  test('pages through a log, each row once', async () => {
    const ids: unknown[] = [];
    const all = await bench.mock.fetch(`https://x/api/v1/syncs?from=2026-01-12&to=2026-01-15T12:00:00Z&limit=500`, {
      headers: { authorization: `Bearer ${bench.mock.keys.osapi_demo_read}` },
    });
    const expected = ((await all.json()) as { data: { id: number }[] }).data.map(({ id }) => id);
    let cursor: unknown;
    let calls = 0;
    do {
      const args = cursor === undefined ? { since: '2026-01-12' } : { cursor };
      const { data } = await client.call('svc_search_syncs', args);
      ids.push(...(data.rows as { id: number }[]).map(({ id }) => id));
      cursor = data.nextCursor ?? undefined;
      calls += 1;
    } while (cursor !== undefined);
    expect(ids).toEqual(expected);
    expect(calls).toBeGreaterThan(1);
  });

  test('gets the reason why a sync failed, and the tool that helps', async () => {
    const { text, data } = await client.call('svc_explain_sync', { id: 2657 });
    expect(text).toMatch(
      /^Sync 2657: The event is not in the CRM\. Attempts: \d+\.\n<untrusted-0badcafe source="explanation">\n/,
    );
    expect(data).toMatchObject({
      outcome: 'failed',
      sync: { id: 2657 },
      next: [{ tool: 'svc_search_syncs', args: { sourceId: 4, status: 'error', since: '2026-01-15' } }],
    });
    expect(text).toContain('\nNext: see which syncs of the source failed: svc_search_syncs {"sourceId":4,');
  });

  test.each([
    ['svc_get', { kind: 'sync', id: 999_999 }, /^Sync 999999 not found\. Check the id .* Request id: \S+\.$/],
    ['svc_get', { kind: 'sync', id: 'nope' }, /^The id of a sync is a whole number\.$/],
    ['svc_search_syncs', { since: 'soon' }, /^"soon" is no time\. For example: 7d/],
    ['svc_search_syncs', { since: 'now', until: '7d' }, /^since \(.*\) lies after until/],
    ['svc_search_syncs', { cursor: 'abc' }, /^This is no cursor of this tool\./],
    ['svc_search_syncs', { nope: 1 }, /Unrecognized key: "nope"/],
    ['svc_search_log', { log: 'events', sourceId: 1 }, /^events have no filter sourceId, only eventType\.$/],
    [
      'svc_search_log',
      { log: 'deliveries', status: 'PENDING' },
      /^This log has no status PENDING, only success, error\.$/,
    ],
    ['svc_metrics', { of: 'deliveries' }, /^Name the destination: destinationId\.$/],
    ['svc_metrics', { of: 'requests', connectionId: 1 }, /^The counts of requests have no filter connectionId\.$/],
    ['svc_explain_sync', { email: 'nobody@example.com' }, /^No failed sync of this address since 2025-12-16/],
    ['svc_person', {}, /^Pass email or profileUrls\.$/],
  ])('gets an error that says what is wrong: %s %j', async (tool, args, message) => {
    expect(await client.call(tool, args)).toMatchObject({ isError: true, text: expect.stringMatching(message) });
  });

  test('leaves it to the API which identities there are', async () => {
    for (const args of [
      { email: 'jörg@example.com' },
      { email: 'joerg@xn--mller-kva.example' },
      { profileUrls: ['linkedin.com/in/somebody'] },
    ]) {
      expect(await client.call('svc_person', args)).toMatchObject({ isError: false });
    }
    const refused = await client.call('svc_person', { profileUrls: ['example.com'] });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('is not a profile URL') });
    const text = expect.stringMatching(/^No failed sync of this address/);
    expect(await client.call('svc_explain_sync', { email: 'jörg@example.com' })).toMatchObject({ text });
  });

  test('a cursor does not work with other filters, nor in another tool', async () => {
    const { data } = await client.call('svc_search_syncs', { ...RANGE, limit: 5 });
    const cursor = String(data.nextCursor);
    const other = await client.call('svc_search_syncs', { cursor, ...RANGE, status: 'error' });
    expect(other).toMatchObject({ isError: true, text: expect.stringContaining('a search with another status') });
    expect(await client.call('svc_search_log', { log: 'requests', cursor })).toMatchObject({ isError: true });
    expect((await client.call('svc_search_syncs', { cursor, ...RANGE })).isError).toBe(false);
  });

  test('a tool that does not exist is an error of the protocol', async () => {
    await expect(client.call('svc_retry_sync', { ids: [1] })).rejects.toThrow('Tool svc_retry_sync not found');
  });
});

test('the newest failure of an address is explained', async () => {
  const [failure] = bench.mock.db.syncs.findMany({ where: { status: 'error' } }, { take: 1, orderBy: 'newest' });
  const { data } = await bench.modern.call('svc_explain_sync', { email: failure?.toEmail.toUpperCase() });
  expect(data).toMatchObject({ sync: { toEmail: failure?.toEmail, status: 'error' } });
});

test('the rate limit says how long to wait, at once', async () => {
  bench.mock.faults.add({ operations: ['getSync'], effect: { kind: 'status', status: 429 }, times: 1 });
  const { isError, text } = await bench.modern.call('svc_get', { kind: 'sync', id: 1001 });
  expect([isError, text]).toEqual([true, expect.stringMatching(/Wait (a minute|\d+ s), then call again\./)]);
});

test('an unexpected error is logged and not told', async () => {
  const { modern, errors } = await startBench({ doctor: () => Promise.reject(new Error('secret /etc/path')) });
  const { isError, text } = await modern.call('svc_doctor');
  expect([isError, text]).toEqual([true, 'The tool failed. The log of the MCP server says why.']);
  expect(errors).toEqual([expect.objectContaining({ message: 'secret /etc/path' })]);
});
