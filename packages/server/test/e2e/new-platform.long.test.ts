/**
 * A sequencer that this release does not know, as an operator meets it: real processes, real HTTP, a simulated CRM. Its posts are
 * kept, the command line proposes how to read them, and what comes next is written.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { API_PREFIX } from '@svc/contract/vocabulary';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type FinishedProcess,
  getJson,
  type Process,
  runServerCommandHere,
  startServerProcess,
  startSimulatorProcess,
} from '../support/processes.ts';

const DAY_MS = 86_400_000;

let dir: string;
let simulator: Process;
let server: Process;
beforeAll(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'svc mapping '));
  simulator = await startSimulatorProcess();
  server = await startServerProcess(['--port', '0', '--data-dir', dir], { SVC_HUBSPOT_URL: simulator.url });
}, 600_000);
afterAll(async () => {
  await server.stop('SIGKILL');
  await simulator.stop('SIGKILL');
  await rm(dir, { recursive: true, force: true });
});

/** Runs a command against the running server, through its socket. */
async function run(...args: string[]): Promise<FinishedProcess> {
  return runServerCommandHere([...args, '--data-dir', dir], { SVC_HUBSPOT_URL: simulator.url }, 'any-token');
}

async function runOk(...args: string[]): Promise<FinishedProcess> {
  const finished = await run(...args);
  expect(finished).toMatchObject({ code: 0 });
  return finished;
}

async function runJson(...args: string[]): Promise<ReturnType<typeof JSON.parse>> {
  return JSON.parse((await runOk(...args, '--json')).stdout);
}

test('from unread posts to the CRM, with a proposed mapping', { timeout: 300_000 }, async () => {
  const { account } = await runJson('accounts', 'create', '--email', 'kim@example.com');
  const { token } = await runJson('keys', 'create', '--account', String(account.id), '--name', 'test');
  const organization = ['--organization-id', '47', '--organization-domain', 'northwind.example.com'];
  const connectionArgs = ['--account', String(account.id), '--crm', 'HUBSPOT', ...organization, '--no-check'];
  const { connection } = await runJson('connections', 'add', ...connectionArgs);
  const add = ['sources', 'add', '--connection', String(connection.id), '--platform', 'my-dialer'];
  const added = await runJson(...add, '--yes');
  const source = String(added.source.id);
  expect(added.notices.join()).toContain(`sources map --source ${source}`);
  const inbound = new URL(new URL(added.source.url).pathname, server.url);
  let calls = 0;
  const post = async (event: string, lead: string) => {
    calls += 1;
    const body = { event, id: `call-${calls}`, contact: { email: lead }, ended_at: `2026-03-01T10:00:0${calls}Z` };
    const response = await fetch(inbound, { method: 'POST', body: JSON.stringify(body) });
    expect(response.status).toBe(200);
    return JSON.parse(await response.text()).requestId as number;
  };
  const outcomes = async () => {
    const { requests: receipts } = await runJson('requests', 'list', '--source', source);
    return receipts.map(({ id, outcome }: { id: number; outcome: string }) => [id, outcome]);
  };
  const api = async (target: string) => {
    const response = await fetch(server.url + API_PREFIX + target, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    return JSON.parse(await response.text());
  };
  const now = Date.now();
  const range = `from=${new Date(now - DAY_MS).toISOString()}&to=${new Date(now + DAY_MS).toISOString()}`;
  const syncs = async () => (await api(`/sources/${source}/syncs?${range}`)).data;

  const first = [await post('call.ended', 'ada@dial.example.org'), await post('call.glorped', 'bo@dial.example.org')];
  await expect.poll(outcomes).toEqual(first.toReversed().map((id) => [id, 'unparsed']));
  expect(await syncs()).toEqual([]);

  const file = path.join(dir, 'my-dialer.json');
  const written = await runOk('sources', 'map', '--source', source, '--out', file);
  expect(written.stdout.split('\n')).toEqual(
    expect.arrayContaining([
      '2 different events in 2 requests.',
      expect.stringMatching(/^eventName +event +2 of 2 events +sure$/),
      expect.stringMatching(/^call\.ended +1 +CALL_COMPLETED$/),
      expect.stringMatching(/^call\.glorped +1 +not recognized: add it to eventTypes$/),
      expect.stringContaining(`Wrote the mapping to ${file}`),
    ]),
  );
  const mapping = JSON.parse(await readFile(file, 'utf8'));
  expect(mapping).toMatchObject({ fields: { eventName: 'event', email: 'contact.email' } });

  const payload = path.join(dir, 'event.json');
  await writeFile(payload, '{"event":"call.ended","contact":{"email":"Ada@dial.example.org"},"mood":"good"}');
  const tried = await runOk('sources', 'try', '--source', source, '--payload', payload, '--mapping', file);
  expect(tried.stdout).toMatch(/^CALL_COMPLETED of ada@dial\.example\.org \(read by the mapping\)$/m);
  expect(tried.stdout).toMatch(/^email +contact\.email +ada@dial\.example\.org$/m);
  expect(tried.stdout).toMatch(/^mood +good$/m);

  const applied = await runOk('sources', 'map', '--source', source, '--from', 'requests', '--apply');
  expect(applied.stdout).toContain(`Source ${source} reads its payloads with version 1 of its mapping.`);
  // stdout has the mapping, stderr the tables.
  expect(applied.stderr).toMatch(/^EVENT NAME +COUNT +BECOMES$/m);
  const next = await post('call.ended', 'ada@dial.example.org');
  await expect
    .poll(syncs)
    .toMatchObject([
      { payloadId: next, eventType: 'CALL_COMPLETED', toEmail: 'ada@dial.example.org', status: 'success' },
    ]);
  const state = await getJson(`${simulator.url}/__sim/state`);
  expect(JSON.stringify(state)).toContain('ada@dial.example.org');
  expect(await api('/contacts/outreach?email=ada@dial.example.org')).toMatchObject({
    found: true,
    summary: { everCalled: true, totalEvents: 1 },
    platforms: [{ platform: 'my-dialer' }],
  });

  await runOk('requests', 'reprocess', '--source', source, '--since', '30d');
  await expect.poll(outcomes).toEqual([
    [next, 'synced'],
    [first[1], 'unparsed'],
    [first[0], 'synced'],
  ]);

  const removed = await runOk('sources', 'set-mapping', '--source', source, '--none');
  expect(removed.stdout).toBe(`Source ${source} has no mapping from now on (version 2).\n`);
  const last = await post('call.ended', 'ada@dial.example.org');
  await expect.poll(outcomes).toContainEqual([last, 'unparsed']);
  const versions = await runOk('sources', 'mappings', '--source', source, '--show', '1');
  expect(JSON.parse(versions.stdout)).toEqual(mapping);
  expect(versions.stderr).toMatch(/^VERSION +SINCE +MAPPING\n2 +\S+ +removed\n1 +\S+ +replaced$/m);
  expect(await run('sources', 'mappings', '--source', source, '--show', '7')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has no version 7'),
  });
});
