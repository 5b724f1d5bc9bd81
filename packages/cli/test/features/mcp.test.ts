/** `svc mcp` as a process, as real MCP clients start it. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { BIN, buildCli, cliEnvironment, runCli } from '../support/run-cli.ts';

const INFO = { name: 'test', version: '1.0.0' };
interface Answer {
  readonly rows?: readonly { readonly id: number }[];
  readonly sync?: { readonly error: { readonly message: string } };
  readonly next?: readonly { readonly tool: string; readonly args: Record<string, unknown> }[];
}

let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService();
}, 120_000);
afterAll(() => service.close());

function program(...flags: string[]) {
  const env = cliEnvironment({ server: { url: service.url, apiKey: service.apiKey } });
  return { command: process.execPath, args: [BIN, 'mcp', ...flags], env, stderr: 'pipe' as const };
}

test('a client of the protocol of 2026 finds why a sync failed', async () => {
  const client = new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StdioClientTransport(program()));
  try {
    const { content, structuredContent } = await client.callTool({ name: 'svc_explain_sync', arguments: { id: 2657 } });
    expect(content).toEqual([
      { type: 'text', text: expect.stringMatching(/^Sync 2657: The event is not in the CRM\./) },
    ]);
    expect(structuredContent).toMatchObject({ outcome: 'failed', source: { id: 4 } });
  } finally {
    await client.close();
  }
}, 60_000);

test('a client finds what failed, why, and retries it by a plan; syncs explain and top say the same', async () => {
  const client = new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StdioClientTransport(program('--allow-write')));
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
    expect(isError ?? false).toBe(false);
    return { text: JSON.stringify(content), data: structuredContent as Answer };
  };
  try {
    const range = { since: '2026-01-14', until: '2026-01-15T12:00:00Z' };
    const { data: search } = await call('svc_search_syncs', { status: 'error', limit: 2, ...range });
    const ids = (search.rows ?? []).map(({ id }) => id);
    const [id = 0] = ids;
    const { data: explanation } = await call('svc_explain_sync', { id });
    const cause = explanation.sync?.error.message ?? '';
    expect(cause).toMatch(/\w{3}/);
    const [explained, top] = await Promise.all([
      service.svc('syncs', 'explain', String(id)),
      service.svc('top', '--once'),
    ]);
    expect(explained.stdout).toContain(cause);
    expect(top.stdout).toMatch(new RegExp(`error +${id} `));

    const plan = await call('svc_retry_sync', { ids });
    expect(plan.text).toContain(`Nothing is done yet. The plan: retry 2 syncs (${ids.join(', ')})`);
    const [next] = plan.data.next ?? [];
    const done = await call(next?.tool ?? '', next?.args ?? {});
    expect(done.text).toContain('Queued: 2. Refused: 0.');
    await service.mock.settle();
    expect((await call('svc_explain_sync', { id })).data).toMatchObject({ attempts: [{ id }, { status: 'success' }] });
  } finally {
    await client.close();
    service.mock.reset();
  }
}, 60_000);

test('a client of the protocol of 2025 checks the way to the service, without payloads', async () => {
  const client = new LegacyClient(INFO);
  const transport = new LegacyTransport(program('--no-payloads'));
  await client.connect(transport as unknown as Parameters<typeof client.connect>[0]);
  try {
    expect(client.getServerVersion()).toMatchObject({ name: 'svc' });
    const { structuredContent } = await client.callTool({ name: 'svc_doctor', arguments: {} });
    expect(structuredContent).toMatchObject({
      checks: expect.arrayContaining([expect.objectContaining({ status: 'pass' })]),
    });
    const { structuredContent: status } = await client.callTool({ name: 'svc_status', arguments: {} });
    expect(JSON.stringify(status)).not.toContain('northwind');
  } finally {
    await client.close();
  }
}, 60_000);

test('with --allow-write a client of 2025 asks its user before several syncs are retried', async () => {
  const client = new LegacyClient(INFO, { capabilities: { elicitation: {} } });
  const asked: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: { confirm: true } };
  });
  const transport = new LegacyTransport(program('--allow-write'));
  await client.connect(transport as unknown as Parameters<typeof client.connect>[0]);
  try {
    const failed = service.mock.db.syncs.findMany({ where: { status: 'error', connectionId: 1 } }, { take: 2 });
    const ids = failed.map(({ id }) => id);
    const { content } = await client.callTool({ name: 'svc_retry_sync', arguments: { ids } });
    expect(content).toEqual([{ type: 'text', text: expect.stringMatching(/^Queued: 2\. Refused: 0\./) }]);
    expect(asked).toEqual([`The agent wants to retry 2 syncs (${ids.join(', ')}).`]);
    service.mock.verify({ operation: 'retrySync', times: 2 });
  } finally {
    await client.close();
  }
}, 60_000);

test('ends with stdin, and writes nothing but messages to stdout', async () => {
  const ping = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`;
  const result = await runCli(['mcp'], { server: { url: service.url, apiKey: service.apiKey }, stdin: ping });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  for (const line of result.stdout.split('\n').filter((each) => each !== '')) {
    expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  }
});

test('without a key it says what to do, and serves nothing', async () => {
  const { code, stdout, stderr } = await runCli(['mcp'], { env: { SVC_BASE_URL: service.url } });
  expect([code, stdout]).toEqual([4, '']);
  expect(stderr).toMatch(/^Error: .*key/i);
});
