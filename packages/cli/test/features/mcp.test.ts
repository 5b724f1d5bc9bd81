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
