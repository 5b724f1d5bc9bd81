import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type SequencerSimulator, startSequencerSimulator } from '@svc/simulators';
import { createBlocklistConnectors } from './index.ts';
import type { BlocklistConnector } from './types.ts';

const NOW = new Date('2026-03-31T12:00:00Z');
const TOKEN = 'secret/key+1';

let simulator: SequencerSimulator;
beforeAll(async () => {
  simulator = await startSequencerSimulator({ tokens: [TOKEN] });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

function connectorOf(platform: string, fetch: typeof globalThis.fetch = globalThis.fetch, timeoutMs = 5_000) {
  const { url } = simulator;
  const options = { fetch, timeoutMs, now: () => NOW, smartleadUrl: url, instantlyUrl: url };
  const connector = createBlocklistConnectors(options).get(platform);
  if (!connector) throw new Error(`no connector for ${platform}`);
  return connector;
}
const add = (
  connector: BlocklistConnector,
  { clientId = null, token = TOKEN }: { clientId?: string | null; token?: string } = {},
) => connector.addEntries({ token, clientId, values: ['a@example.org', 'example.com'] });
const answering =
  (status: number, body: string, headers: Record<string, string> = {}): typeof globalThis.fetch =>
  async () =>
    new Response(body, { status, headers });

describe.each([['smartlead'], ['instantly']] as const)('%s', (platform) => {
  test('sends the entries with the token', async () => {
    expect(await add(connectorOf(platform))).toEqual({ status: 'success' });
    expect(simulator.entries({ platform, token: TOKEN })).toEqual(['a@example.org', 'example.com']);
  });

  test.each<[number, string | null, 'never' | { afterMs: number | null }]>([
    [429, '120', { afterMs: 120_000 }],
    [429, 'Tue, 31 Mar 2026 12:05:00 GMT', { afterMs: 300_000 }],
    [429, null, { afterMs: null }],
    [503, '5', { afterMs: 5_000 }],
    [500, null, { afterMs: null }],
    [408, null, { afterMs: null }],
    [400, null, 'never'],
    [401, null, 'never'],
    [403, null, 'never'],
    [302, null, 'never'],
  ])('status %i with Retry-After %s: retry %j', async (status, retryAfter, retry) => {
    const headers: Record<string, string> = retryAfter === null ? {} : { 'retry-after': retryAfter };
    const outcome = await add(connectorOf(platform, answering(status, '{}', headers)));
    expect(outcome).toMatchObject({ status: 'error', retry, message: expect.stringContaining(String(status)) });
  });

  test.each([
    [400, true],
    [409, true],
    [413, true],
    [422, true],
    [401, false],
    [402, false],
    [403, false],
    [404, false],
    [302, false],
    [503, false],
  ])('status %i is caused by the entries: %s', async (status, isOfEntries) => {
    const outcome = await add(connectorOf(platform, answering(status, '{}')));
    expect(outcome.status === 'error' && (outcome.isOfEntries ?? false)).toBe(isOfEntries);
  });

  test('a missing answer may be retried, and its message does not show the URL', async () => {
    simulator.failNext(1, 'reset');
    const broken = await add(connectorOf(platform));
    simulator.failNext(1, 'hang');
    const slow = await add(connectorOf(platform, fetch, 50));
    const name = platform === 'smartlead' ? 'Smartlead' : 'Instantly';
    expect([broken, slow]).toMatchObject([
      { status: 'error', retry: { afterMs: null }, message: expect.stringMatching(`^${name} could not be reached`) },
      { status: 'error', retry: { afterMs: null }, message: `${name} did not answer in time` },
    ]);
    for (const outcome of [broken, slow]) expect(JSON.stringify(outcome)).not.toMatch(/secret|127\.0\.0\.1/);
  });

  test('recognizes a refusal sent with status 200', async () => {
    const outcome = await add(connectorOf(platform, answering(200, '{"ok": false, "message": "plan is over"}')));
    expect(outcome).toMatchObject({
      status: 'error',
      retry: 'never',
      isOfEntries: true,
      message: expect.stringContaining('plan is over'),
    });
  });

  test('stops reading an endless answer', async () => {
    const chunk = new TextEncoder().encode('x'.repeat(65_536));
    let chunks = 0;
    const endless = new ReadableStream({
      pull(controller) {
        chunks += 1;
        controller.enqueue(chunk);
      },
    });
    expect(await add(connectorOf(platform, async () => new Response(endless)))).toEqual({ status: 'success' });
    expect(chunks).toBeLessThan(10);
  });
});

test('removes the token and addresses from messages of the sequencer', async () => {
  const body = JSON.stringify({
    message: `${TOKEN} ${encodeURIComponent(TOKEN)} <a@example.org>\nexample.com is bad ${'x'.repeat(500)}`,
  });
  const outcome = await add(connectorOf('smartlead', answering(422, body)));
  const message = outcome.status === 'error' ? outcome.message : '';
  expect(message).toMatch(/^Smartlead refused the entries \(422\): \[…\] \[…\] \[…\] example\.com is bad x+$/);
  expect(message.length).toBeLessThan(300);
});

test("sends Smartlead's client as a number when it is one, and omits it for the whole account", async () => {
  const bodies: unknown[] = [];
  const connector = connectorOf('smartlead', async (_, init) => {
    bodies.push(await new Request('http://127.0.0.1', init).json());
    return new Response('{}');
  });
  for (const clientId of ['42', 'client-42', null]) await add(connector, { clientId });
  const domain_block_list = ['a@example.org', 'example.com'];
  expect(bodies).toEqual([
    { domain_block_list, client_id: 42 },
    { domain_block_list, client_id: 'client-42' },
    { domain_block_list },
  ]);
});

test('returns an error outcome for a token that is no valid header value', async () => {
  expect(await add(connectorOf('instantly'), { token: 'a\nb' })).toMatchObject({ status: 'error' });
});
