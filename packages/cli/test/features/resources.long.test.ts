import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli, collectResult, spawnCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';

let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
});
afterAll(() => service.close());
beforeEach(() => service.mock.journal.clear());

const WEEK = ['--from', '2026-01-09', '--to', '2026-01-15'];

const calls = () => service.mock.journal.all();
const operations = () => calls().map(({ operationId }) => operationId);
const rowsOf = async (...argv: string[]): Promise<Record<string, unknown>[]> => {
  const { code, stdout, stderr } = await service.svc(...argv, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};
const valuesOf = (rows: readonly Record<string, unknown>[], field: string) => [
  ...new Set(rows.map((row) => row[field])),
];

describe('configuration', () => {
  test('destinations list', async () => {
    const { code, stdout, stderr } = await service.svc(
      'destinations',
      'list',
      '--fields',
      'id,url,sourceIds',
      '--format',
      'table',
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`id  url                                      sourceIds
1   https://hooks.example.com/crm-events     1
2   https://hooks.example.com/crm-events     2
3   https://alerts.example.org/replies       1, 2
4   https://ops.example.net/salesforce-feed  5
5   https://ops.example.net/spare
`);
    expect(operations()).toEqual(['listDestinations']);
  });

  test('destinations get', async () => {
    const { code, stdout } = await service.svc('destinations', 'get', '3');
    expect([code, stdout]).toEqual([
      0,
      `Destination:\t3
URL:\thttps://alerts.example.org/replies
Description:\tSales channel
Connection:\t1
Sources:\t1, 2
Events:\tEMAIL_REPLY, LEAD_UNSUBSCRIBED
Delayed:\tyes
Created:\t2025-04-10T12:00:00.000Z
`,
    ]);
    expect(operations()).toEqual(['getDestination']);
  });

  test.each([
    ['connections', '1', /^Connection:\t1\nCRM:\tHUBSPOT\nStatus:\tready\n/, 'listConnections'],
    [
      'sources',
      '2',
      /^Source:\t2\nURL:\thttp\S+\/webhooks\/\S+\nPlatform:\t\w+\nConnection:\t1 HUBSPOT\n/,
      'listSources',
    ],
    ['relays', '1', /^Reply relay:\t1\nCopy to:\t\S+@\S+\n/, 'listReplyRelays'],
    ['blocklists', '1', /^Block list:\t1\nList:\tCustomers\nStatus:\tSYNCED\n/, 'listBlocklists'],
  ])('%s get finds one in the list', async (topic, id, text, operation) => {
    const { code, stdout, stderr } = await service.svc(topic, 'get', id);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(text);
    expect(operations()).toEqual([operation]);
    const one = JSON.parse((await service.svc(topic, 'get', id, '--json')).stdout);
    expect(await rowsOf(topic, 'list')).toContainEqual(one);
    expect(await service.svc(topic, 'get', '99')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(
        /^Error: .+ 99 not found\n {2}`svc \w+ list` shows those that the key can access\.\n$/,
      ),
    });
  });

  test.each(['requests', 'deliveries'])('%s get finds one in the range', async (topic) => {
    const row = (await rowsOf(topic, 'list', ...WEEK, '--all')).at(-1);
    const [id, createdAt] = [String(row?.id), String(row?.createdAt)];
    const { code, stdout, stderr } = await service.svc(topic, 'get', id, ...WEEK);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`\\nTime:\t${createdAt}\\n`));
    expect(JSON.parse((await service.svc(topic, 'get', id, ...WEEK, '--json')).stdout)).toEqual(row);
    const absent = await service.svc(topic, 'get', '999999', '--from', '2026-01-15', '--to', '2026-01-15');
    expect([absent.code, absent.stdout]).toEqual([3, '']);
    expect(absent.stderr).toMatch(
      /^Error: (Request|Delivery) 999999 is not among the \d+ \w+ on 2026-01-15\n {2}Search a longer range: (--since 30d, or )?--all\.\n$/,
    );
  });

  test('relays list', async () => {
    const { code, stdout } = await service.svc('relays', 'list', '--format', 'table');
    expect(code).toBe(0);
    expect(
      stdout,
    ).toBe(`ID  CONNECTION  COPY TO                 DELAY   SOURCES  ONLY FOR                     DESCRIPTION                 CREATED
1   1           sam.rivera@example.com  5 min   1, 2     all replies                  Copy the account executive  2025-05-20
2   1           june.park@example.com   0 min   none     all replies                  Not in use yet              2025-12-26
3   2           lee.brandt@example.org  30 min  5        Interested, Meeting Request  Interested leads only       2025-09-27
`);
    expect(operations()).toEqual(['listReplyRelays']);
  });

  test('empty lists print a note', async () => {
    const apiKey = service.mock.keys.osapi_demo_empty ?? '';
    for (const [topic, whenEmpty] of [
      ['destinations', 'No destinations are accessible with this key.\n'],
      ['relays', 'No reply relays are accessible with this key.\n'],
      ['sources', 'No sources are accessible with this key.\n'],
    ] as const) {
      expect(await service.run([topic, 'list'], { apiKey })).toMatchObject({ code: 0, stdout: '', stderr: whenEmpty });
      expect(await service.run([topic, 'list', '--json'], { apiKey })).toMatchObject({ code: 0, stdout: '[]\n' });
    }
  });
});

describe('logs', () => {
  test('requests list with and without --source', async () => {
    const all = await rowsOf('requests', 'list', ...WEEK, '--all');
    const ofOne = await rowsOf('requests', 'list', ...WEEK, '--all', '--source', '2');
    expect(valuesOf(ofOne, 'sourceId')).toEqual([2]);
    expect(ofOne).toEqual(all.filter(({ sourceId }) => sourceId === 2));
    expect(operations()).toEqual(['listRequests', 'listSourceRequests']);
  });

  test('syncs list with every filter', async () => {
    const all = await rowsOf('syncs', 'list', ...WEEK, '--all');
    const some = await rowsOf('syncs', 'list', ...WEEK, '--source', '5', '--status', 'error', '--connection', '2');
    expect(some.length).toBeGreaterThan(0);
    expect(some).toEqual(all.filter(({ sourceId, status }) => sourceId === 5 && status === 'error'));
    expect(calls().at(-1)).toMatchObject({
      operationId: 'listSourceSyncs',
      query: { status: 'error', connectionId: '2' },
    });
    expect(await rowsOf('syncs', 'list', ...WEEK, '--source', '5', '--connection', '1')).toEqual([]);
    expect(operations()[0]).toBe('listSyncs');
  });

  test('deliveries list with every filter', async () => {
    const all = await rowsOf('deliveries', 'list', ...WEEK, '--all');
    const failed = await rowsOf('deliveries', 'list', ...WEEK, '--all', '--status', 'error');
    expect(failed.length).toBeGreaterThan(0);
    expect(failed).toEqual(all.filter(({ status }) => status === 'error'));
    const ofOne = await rowsOf('deliveries', 'list', ...WEEK, '--all', '--destination', '1', '--status', 'success');
    expect(ofOne).toEqual(all.filter(({ destinationId, status }) => destinationId === 1 && status === 'success'));
    expect(operations()).toEqual(['listDeliveries', 'listDeliveries', 'listDestinationDeliveries']);
  });

  test('events list filters by type and delivery', async () => {
    const all = await rowsOf('events', 'list', '--all');
    const some = await rowsOf('events', 'list', '--all', '--type', 'sync.recovered', '--type', 'test.ping');
    expect(some).toEqual(all.filter(({ type }) => type !== 'sync.failed'));
    const undelivered = await rowsOf('events', 'list', '--all', '--no-delivered');
    expect(undelivered.length).toBeGreaterThan(0);
    expect(undelivered).toEqual(all.filter(({ delivered }) => delivered === false));
    expect(valuesOf(await rowsOf('events', 'list', '--all', '--delivered'), 'delivered')).toEqual([true]);
  });

  test('events list --from and --to limit the range', async () => {
    const all = await rowsOf('events', 'list', '--all');
    const range = ['--from', '2026-01-10', '--to', '2026-01-12'];
    const within = await rowsOf('events', 'list', '--all', ...range);
    const isWithin = ({ createdAt }: Record<string, unknown>) =>
      String(createdAt) >= '2026-01-10' && String(createdAt) < '2026-01-13';
    expect(within.length).toBeGreaterThan(2);
    expect(within).toEqual(all.filter(isWithin));
    expect(await rowsOf('events', 'list', '--until', '2026-01-12', '--all')).toEqual(
      all.filter(({ createdAt }) => String(createdAt) < '2026-01-13'),
    );
    const { stdout, stderr } = await service.svc('events', 'list', ...range, '--limit', '2', '--format', 'csv');
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(stderr).toBe('Showing the newest 2 events (2026-01-10 to 2026-01-12). More: --all or --limit N.\n');
  });

  test('events get shows the data and the deliveries', async () => {
    const { code, stdout } = await service.svc('events', 'get', 'osevt_demo0001');
    expect(code).toBe(0);
    expect(stdout).toContain('Delivered            no\n');
    expect(stdout).toContain('data.crm             HUBSPOT\n');
    expect(stdout).toMatch(/^ID +STATUS +CREATED +ATTEMPTS +HTTP +ERROR/m);
    expect(stdout).toMatch(/^oswhd_demo0002 +DEAD .* 503 +HTTP 503$/m);
  });

  test('no rows: a note for people, an empty list as JSON', async () => {
    const range = ['--from', '2020-01', '--to', '2020-01'];
    for (const topic of ['requests', 'deliveries', 'events']) {
      const stderr = `No ${topic} from 2020-01-01 to 2020-01-31.\n`;
      expect(await service.svc(topic, 'list', ...range)).toMatchObject({ code: 0, stdout: '', stderr });
      expect(await service.svc(topic, 'list', ...range, '--format', 'ndjson')).toMatchObject({ code: 0, stdout: '' });
    }
  });
});

describe('exit codes are the same with and without --json', () => {
  test.each([
    ['destinations get with an unknown id', ['destinations', 'get', '99'], 3, 'Destination 99 not found'],
    ['events get with an unknown id', ['events', 'get', 'osevt_x'], 3, 'Event osevt_x not found'],
    ['requests of an unknown source', ['requests', 'list', '--source', '99'], 3, 'Source 99 not found'],
    ['syncs of an unknown source', ['syncs', 'list', '--source', '99'], 3, 'Source 99 not found'],
    [
      'deliveries to an unknown destination',
      ['deliveries', 'list', '--destination', '99'],
      3,
      'Destination 99 not found',
    ],
    ['a destination without an id', ['destinations', 'get'], 2, /ID is missing/],
    ['an invalid id', ['destinations', 'get', 'x'], 2, /must be a whole number of at least 1, not "x"/],
    ['an unknown status', ['deliveries', 'list', '--status', 'warning'], 2, /--status must be/],
    ['an unknown type', ['events', 'list', '--type', 'sync.paused'], 2, /--type must be/],
    [
      'a range that ends before it begins',
      ['events', 'list', '--from', '2026-02', '--to', '2026-01'],
      2,
      /ends before/,
    ],
    ['an unknown field', ['relays', 'list', '--fields', 'mail'], 2, 'Unknown field: mail'],
  ])('%s', async (_name, argv, code, message) => {
    const plain = await service.svc(...argv);
    const json = await service.svc(...argv, '--json');
    expect([plain.code, plain.stdout, json.code, json.stdout]).toEqual([code, '', code, '']);
    const { error } = JSON.parse(json.stderr);
    expect(error.message).toMatch(message);
    expect(plain.stderr).toContain(error.message.split('\n')[0]);
  });

  test('an account without webhooks has no events', async () => {
    const apiKey = service.mock.keys.osapi_demo_no_webhooks ?? '';
    const { code, stderr } = await service.run(['events', 'list'], { apiKey });
    expect(code).toBe(5);
    expect(stderr).toContain('Platform webhooks are not enabled for this account');
  });
});

test.each([
  ['destinations', 'list'],
  ['destinations', 'get', '1'],
  ['relays', 'list'],
  ['requests', 'list', ...WEEK],
  ['deliveries', 'list', ...WEEK],
  ['events', 'list'],
  ['events', 'get', 'osevt_demo0001'],
])('works with a closed stdin: %s %s', async (...argv) => {
  const child = spawnCli(argv, { server: service });
  child.stdin?.destroy();
  expect(await collectResult(child)).toMatchObject({ code: 0 });
});
