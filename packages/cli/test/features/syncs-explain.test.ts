/** What `svc syncs explain` says about events that were posted, written, refused and forwarded. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { buildCli } from '../support/run-cli.ts';

let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
});
afterAll(() => service.close());
beforeEach(() => service.mock.reset());

const newest = () => service.mock.db.syncs.findMany({}, { take: 1, orderBy: 'newest' })[0]?.id ?? 0;
const explain = (id: number, ...argv: string[]) => service.svc('syncs', 'explain', String(id), ...argv);

async function postEvent(code: string): Promise<number> {
  const body = JSON.stringify({ event_type: 'EMAIL_REPLY', to_email: 'kim@example.org', reply_body: 'Yes' });
  const { status } = await fetch(`${service.url}/webhooks/${code}`, { method: 'POST', body });
  expect(status).toBe(200);
  await service.mock.settle();
  return newest();
}

describe('a failed event', () => {
  const ERROR = { code: 'refused', message: 'Property values were not valid', httpStatus: 400, category: 'VALIDATION' };
  let id: number;
  beforeEach(async () => {
    service.mock.configure({ crmFailures: [{ status: 'error', error: ERROR }] });
    id = await postEvent('demo-smartlead');
    service.mock.configure({ crmFailures: [] });
  });

  test('shows the request, the answer of the CRM, the deliveries and the retry', async () => {
    const { stdout, stderr, code } = await explain(id);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^EMAIL_REPLY of kim@example\.org is not in HUBSPOT\.\n/);
    expect(stdout).toMatch(
      /^Received\n  request \d+ at 2026-01-15 12:00:00Z, from smartlead to source 1, http:.*\/webhooks\/demo-smartlead$/m,
    );
    expect(stdout).toContain('Connection\n  1 HUBSPOT, northwind.example.com: ready\n');
    expect(stdout).toContain(`One attempt to write it
  2026-01-15 12:00:00Z  error  sync ${id} (this one)
      Property values were not valid
      category: VALIDATION
      code: refused
      httpStatus: 400
`);
    expect(stdout).toMatch(/^Forwarded\n  2026-01-15 .*  success 200  delivery \d+\n      to destination 1, https:/m);
    expect(stdout).toContain(`  2. Retry it:\n     svc syncs retry ${id}\n`);
  });

  test('after a retry both attempts are shown, and nothing is left to do', async () => {
    await service.svc('syncs', 'retry', String(id));
    await service.mock.settle();
    const { stdout } = await explain(id);
    expect(stdout).toMatch(`EMAIL_REPLY of kim@example.org is in HUBSPOT: sync ${newest()} wrote it.\n`);
    expect(stdout).toContain('2 attempts to write it\n');
    expect(stdout).toContain(`success  sync ${newest()}\n`);
    expect(stdout).toContain('What to do\n  1. Nothing to do: the event is in the CRM.\n');
  });

  test('says that the key has no write scope', async () => {
    const { stdout } = await service.run(['syncs', 'explain', String(id)], {
      apiKey: service.mock.keys.osapi_demo_read,
    });
    expect(stdout).toContain('Retry it with a key that has the scope write (yours may only read):');
  });

  test('parts that cannot be read are named, and the rest is shown', async () => {
    service.mock.faults.add({ operations: ['listDeliveries'], effect: { kind: 'status', status: 403 } });
    service.mock.faults.add({ operations: ['getAccountStatus'], effect: { kind: 'status', status: 404 } });
    service.mock.faults.add({ operations: ['listEvents'], effect: { kind: 'status', status: 403 } });
    const { stdout, code } = await explain(id, '--json');
    expect(code).toBe(0);
    const explanation = JSON.parse(stdout);
    expect(explanation.gaps.map(({ part }: { part: string }) => part)).toEqual(
      expect.arrayContaining(['connection', 'deliveries']),
    );
    expect(explanation).toMatchObject({
      outcome: 'failed',
      connection: null,
      deliveries: [],
      request: { sourceId: 1 },
    });
    expect(explanation.nextSteps.at(-1)).toEqual({
      text: 'Retry it, if its CRM is HUBSPOT or SALESFORCE:',
      command: `svc syncs retry ${id}`,
    });
    expect((await explain(id)).stdout).toMatch(/^Not known\n  connection: .+\n(  .+\n)*  deliveries: .+$/m);
  });
});

test('a CRM without retries, on a disconnected connection', async () => {
  const { stdout } = await explain(2582);
  expect(stdout).toMatch(
    /^  1\. The connection to PIPEDRIVE .* Reconnect the CRM .*\/dashboard\/connections\/3\n     svc open connection 3$/m,
  );
  expect(stdout).toContain('2. The sync cannot be retried: retries exist for HUBSPOT and SALESFORCE only');
  expect(stdout).not.toContain('svc syncs retry');
});

test('a reached daily limit is to be waited for', async () => {
  const { id } = await service.mock.db.syncs.create({
    ...{ status: 'error', connectionId: 1, sourceId: 1 },
    error: { code: 'daily_limit_reached', message: 'Limit exceeded', httpStatus: 429 },
  });
  const { nextSteps } = JSON.parse((await explain(id, '--json')).stdout);
  expect(nextSteps).toEqual([
    { text: expect.stringContaining('Wait until connection 1 is ready again'), command: 'svc status --watch' },
    { text: 'If no new sync follows, retry it:', command: `svc syncs retry ${id}` },
  ]);
});

test.each([
  { code: 'network', message: 'HubSpot could not be reached for the contact', httpStatus: null },
  { code: 'answer_too_large', message: "HubSpot's answer to the contact has more than 8 MB", httpStatus: 200 },
])('without an answer that can be used ($code), the service tries on by itself', async (error) => {
  const { id } = await service.mock.db.syncs.create({ status: 'error', connectionId: 1, sourceId: 1, error });
  const { nextSteps } = JSON.parse((await explain(id, '--json')).stdout);
  expect(nextSteps[0].text).toMatch(/^The CRM was not available, .* The service tries the event for 24 hours/);
});

test('a failed delivery is offered for replay', async () => {
  const delivery = service.mock.db.deliveries.findFirst({ where: { status: 'error', payloadId: 6633 } });
  const sync = service.mock.db.syncs.findFirst({ where: { payloadId: 6633 } });
  const { stdout } = await explain(sync?.id ?? 0);
  expect(stdout).toContain(`svc deliveries replay ${delivery?.id} --destination 1\n`);
});

test('a sync of a deleted source and request', async () => {
  const { id } = await service.mock.db.syncs.create({
    ...{ status: 'error', connectionId: 1, sourceId: null, payloadId: null, error: { message: 'no' } },
  });
  const { stdout } = await explain(id);
  expect(stdout).toContain('an unknown request');
  expect(stdout).toContain('request: the service no longer knows which request the sync belongs to');
  expect(stdout).toContain('The sync cannot be retried, because its source no longer exists.');
});

test('404 for a sync that does not exist exits with 3', async () => {
  const { code, stdout, stderr } = await explain(999999);
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toContain('Sync 999999 not found');
});
