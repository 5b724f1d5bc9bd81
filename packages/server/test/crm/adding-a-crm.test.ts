/** A CRM that only a test knows goes through the whole server: that is what `docs/adding-a-crm.md` promises. */
import { readFileSync } from 'node:fs';
import { CRM_REGISTRY } from '@svc/crm';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anyBackend } from '@svc/engine/test/backends';
import { NOW, startTestServer, type TestServer } from '../support/harness.ts';
import { startToySimulator, TOY_CRM, type ToySimulator } from '../support/toy-crm.ts';

const TOKEN = 'notebook-token';
const root = new URL('../../../../', import.meta.url);

/** Around the start of the server's clock. */
const RANGE = `from=${NOW.toISOString()}&to=${new Date(NOW.getTime() + 86_400_000).toISOString()}`;

describe('a CRM that is only registered', () => {
  let toy: ToySimulator;
  let server: TestServer;
  const logged: object[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => logged.push(JSON.parse(line)) });
  beforeAll(async () => {
    toy = await startToySimulator(TOKEN);
    const crmRegistry = [...CRM_REGISTRY, { ...TOY_CRM, apiUrl: toy.url }];
    server = await startTestServer(anyBackend, { crmRegistry, log });
    const sealed = server.running.ctx.secrets.encrypt(TOKEN, { kind: 'CRM token', id: 1 });
    await server.db.query("update connections set crm = 'NOTEBOOK', crm_token = $1 where id = 1", [sealed]);
  });
  afterAll(async () => {
    await server.close();
    await toy.close();
  });

  const post = async (id: string) => {
    const body = { event_type: 'EMAIL_OPEN', to_email: 'kim@example.org', stats_id: id };
    const { json } = await server.post('/webhooks/demo-smartlead', body);
    await server.running.runner.runDue();
    return json.requestId as number;
  };
  const syncs = async (requestId: number) => {
    const { json } = await server.get('listSyncs', `/api/v1/syncs?${RANGE}&limit=100`);
    return json.data.filter((row: { payloadId: number }) => row.payloadId === requestId);
  };

  test('an event is written, and its sync is in the API', async () => {
    const requestId = await post('one');
    expect(toy.lines()).toEqual(['kim@example.org: EMAIL_OPEN']);
    expect(await syncs(requestId)).toMatchObject([{ status: 'success', connectionId: 1, error: null }]);
    const { json } = await server.get('listConnections', '/api/v1/connections');
    expect(json.connections).toContainEqual(expect.objectContaining({ id: 1, crm: 'NOTEBOOK', status: 'ready' }));
  });

  test('a refusal is the error of the sync, a temporary failure is retried, a refused token disconnects', async () => {
    toy.failNext(400);
    expect(await syncs(await post('two'))).toMatchObject([{ status: 'error', error: { code: 'refused' } }]);
    toy.failNext(503);
    const retried = await post('three');
    expect(await syncs(retried)).toEqual([]);
    for (let second = 0; second < 90; second += 1) {
      server.clock.advance(1_000);
      await server.running.runner.runDue();
    }
    expect(await syncs(retried)).toMatchObject([{ status: 'success' }]);
    toy.failNext(401);
    expect(await syncs(await post('four'))).toMatchObject([{ status: 'error' }]);
    const { json } = await server.get('listConnections', '/api/v1/connections');
    expect(json.connections).toContainEqual(expect.objectContaining({ id: 1, status: 'disconnected' }));
    expect(await syncs(await post('five'))).toMatchObject([{ error: { code: 'crm_disconnected' } }]);
    // One warning, in a log that shows only warnings.
    expect(logged).toEqual([
      expect.objectContaining({
        ...{ connectionId: 1, crm: 'NOTEBOOK', httpStatus: 401 },
        msg: expect.stringContaining('svc-server doctor prints the command'),
      }),
    ]);
  });
});

test('the document names every file that a new CRM touches, and they exist', () => {
  const document = readFileSync(new URL('docs/adding-a-crm.md', root), 'utf8');
  const named = [...document.matchAll(/`((?:packages|docs|README)[\w./-]*\.(?:ts|md|yaml))`/g)].map(([, file]) => file);
  expect(named).toContain('packages/crm/src/registry.ts');
  for (const file of named) expect(() => readFileSync(new URL(file ?? '', root))).not.toThrow();
});
