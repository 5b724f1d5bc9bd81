/** `/mcp` of a running server: official clients of both eras of the protocol, real HTTP, a real database. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LIMITS } from '@svc/contract/limits';
import { anyBackend } from '@svc/engine/test/backends';
import { createSecretBox, generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../support/harness.ts';

interface Result {
  isError?: boolean;
  content: { text: string }[];
  structuredContent?: { rows?: { id: number }[]; next?: { args: { planId?: string } }[] };
}

const READS = [
  ...['svc_status', 'svc_explain_sync', 'svc_person', 'svc_search_syncs', 'svc_search_log'],
  ...['svc_get', 'svc_list', 'svc_metrics', 'svc_doctor'],
];
const WRITES = ['svc_retry_sync', 'svc_replay_delivery', 'svc_blocklist', 'svc_webhook'];

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

describe('/mcp', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyBackend, { env: { SVC_MCP: 'write' } });
  });
  afterAll(async () => server.close());

  const post = (headers: Record<string, string>, body: unknown = CALL) =>
    fetch(`${server.url}/mcp`, { method: 'POST', headers: { ...HEADERS, ...headers }, body: JSON.stringify(body) });

  /** Connects a client of the protocol of 2026, or of 2025. */
  async function connect(era: 'modern' | 'legacy', key: string) {
    const url = new URL(`${server.url}/mcp`);
    const options = { requestInit: { headers: { authorization: `Bearer ${key}` } } };
    if (era === 'modern') {
      const client = new Client(
        { name: 'test', version: '1' },
        { versionNegotiation: { mode: { pin: '2026-07-28' } } },
      );
      await client.connect(new StreamableHTTPClientTransport(url, options));
      return client;
    }
    const client = new LegacyClient({ name: 'test', version: '1' });
    // Its types do not allow for `exactOptionalPropertyTypes`.
    await client.connect(new LegacyTransport(url, options) as unknown as Parameters<typeof client.connect>[0]);
    return client;
  }

  test.each(['modern', 'legacy'] as const)('%s clients find why a sync failed, and retry it', async (era) => {
    const client = await connect(era, 'osapi_demo_write');
    const call = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })) as unknown as Result;
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([...READS, ...WRITES]);

    const { structuredContent: found } = await call('svc_search_syncs', { status: 'error', since: '30d', limit: 3 });
    const [id = 0, ...others] = found?.rows?.map((row) => row.id) ?? [];
    const explained = await call('svc_explain_sync', { id });
    expect(explained.content[0]?.text).toContain(`Sync ${id}: The event is not in the CRM.`);

    const ids = [id, ...others];
    const planned = await call('svc_retry_sync', { ids });
    expect(planned.content[0]?.text).toContain('Nothing is done yet.');
    const planId = planned.structuredContent?.next?.[0]?.args.planId;
    const stranger = await connect(era, 'osapi_demo_other');
    const stolen = (await stranger.callTool({ name: 'svc_retry_sync', arguments: { planId } })) as unknown as Result;
    expect(stolen).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('planId is not valid') }],
    });

    const done = await call('svc_retry_sync', { planId });
    expect(done.content[0]?.text).toMatch(/^Queued: \d/);
    const { rows } = await server.db.query<{ actor: string; operation: string; outcome: string }>(
      'select actor, operation, outcome from audit_log order by id desc limit 1',
    );
    expect(rows).toEqual([
      { actor: expect.stringMatching(/^mcp:key-\d+$/), operation: 'api/retrySync', outcome: 'done' },
    ]);
    await client.close();
    await stranger.close();
  });

  test('a key with the scope read is offered no tool that writes', async () => {
    const client = await connect('modern', 'osapi_demo_read');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(READS);
    await client.close();
  });

  test('only calls of tools take from the limit of the account', async () => {
    const take = vi.spyOn(server.running.ctx.limiter, 'take');
    const taken = () => take.mock.calls.flatMap(([, bucket, of]) => ('accountId' in of ? [bucket] : []));
    const authorization = 'Bearer osapi_demo_write';
    expect((await post({ authorization })).status).toBe(200);
    expect(taken()).toEqual([]);
    const params = { name: 'svc_get', arguments: { kind: 'sync', id: 2657 } };
    expect((await post({ authorization }, { ...CALL, method: 'tools/call', params })).status).toBe(200);
    expect(taken()).toEqual(['general']);
    take.mockRestore();
  });

  test('callers without a valid key, and pages of other sites, are refused', async () => {
    const none = await post({});
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, expect.not.stringContaining('metadata')]);
    expect((await post({ authorization: 'Bearer osapi_unknown' })).status).toBe(401);
    const authorization = 'Bearer osapi_demo_read';
    expect((await post({ authorization, origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ authorization, origin: new URL(server.url).origin })).status).toBe(200);
    const got = await fetch(`${server.url}/mcp`, { headers: { authorization } });
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('a body that is too large or no JSON is refused', async () => {
    const authorization = 'Bearer osapi_demo_read';
    expect((await post({ authorization }, 'x'.repeat(2_000_000))).status).toBe(413);
    const plain = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: { ...HEADERS, authorization, 'content-type': 'text/plain' },
      body: '{}',
    });
    expect(plain.status).toBe(415);
  });
});

test('posts without a key count against the limit of their address, as calls of the API do', async () => {
  const server = await startTestServer(anyBackend, { rateLimit: 'on' });
  const post = () => fetch(`${server.url}/mcp`, { method: 'POST', headers: HEADERS, body: JSON.stringify(CALL) });
  const answers = await Promise.all(Array.from({ length: LIMITS.generalRequestsPerWindow + 1 }, post));
  expect(answers.map(({ status }) => status).filter((status) => status !== 401)).toEqual([429]);
  await server.close();
});

test('the tools are loaded again when that failed at the first call', async () => {
  const box = createSecretBox([generateEncryptionKey()]);
  const deriveKey = vi.fn<typeof box.deriveKey>(box.deriveKey).mockImplementationOnce(() => {
    throw new Error('EMFILE: too many open files');
  });
  const server = await startTestServer(anyBackend, { secrets: { ...box, deriveKey } });
  const headers = { ...HEADERS, authorization: 'Bearer osapi_demo_read' };
  const post = () => fetch(`${server.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(CALL) });
  expect([(await post()).status, (await post()).status]).toEqual([500, 200]);
  await server.close();
});
