/** What `svc status` says about parts that fail although READY is yes. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { buildCli } from '../support/run-cli.ts';

let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({ scenario: 'ready' }, runInProcess);
});
afterAll(() => service.close());
beforeEach(async () => {
  service.mock.reset();
  await service.mock.db.blocklists.updateMany({}, { data: (row) => void (row.lastError = null) });
  // Ends the incidents of the demo world.
  for (const { id: sourceId, connectionId } of service.mock.db.sources.all()) {
    await service.mock.db.events.create({
      type: 'sync.recovered',
      connectionId,
      sourceId,
      createdAt: service.mock.clock.now,
    });
  }
});

const recordEvent = (type: 'sync.failed' | 'sync.recovered', data = {}) =>
  service.mock.db.events.create({
    ...{ type, connectionId: 1, sourceId: 4, data },
    createdAt: new Date(service.mock.clock.now.getTime() + 1000),
  });

test('Ready without problems has no section of problems', async () => {
  for (const argv of [['status'], ['status', '--long']]) {
    const { stdout } = await service.svc(...argv);
    expect(stdout).toMatch(/^Ready \(checked /);
    expect(stdout).not.toContain('Problems');
    expect(stdout).not.toMatch(/^Ready:/m);
  }
});

test('the short page says what is wrong where, and the verdict again at its end', async () => {
  const text = 'The CRM list could not be read';
  await service.mock.db.blocklists.update({ where: { id: 8 } }, { data: (row) => void (row.lastError = text) });
  await service.mock.db.connections.update({ where: { id: 3 } }, { data: (row) => void (row.crmToken = null) });
  const { stdout } = await service.svc('status');
  expect(stdout).toMatch(/^Not ready \(checked /);
  expect(stdout).toMatch(
    /^Blockers\n  crm_disconnected on 3 PIPEDRIVE\n    Fix: .+\nProblems\n  BLOCK LISTS error \(7\) on 1 HUBSPOT\n/m,
  );
  expect(stdout).not.toContain(text);
  expect(stdout).toMatch(
    /\n\nNot ready: 1 blocker, 1 problem(, \d warnings?)?\nWhat they mean, and the fixes: svc status --long\n$/,
  );
  const long = await service.svc('status', '--long');
  expect(long.stdout).toContain(`    Last error: ${text}\n`);
  expect(long.stdout).toMatch(/\n\nNot ready: 1 blocker, 1 problem(, \d warnings?)?\n$/);
});

test('the short page names at most five of a kind', async () => {
  const sources = service.mock.db.sources.findMany({ where: { connectionId: 1 } });
  expect(sources).toHaveLength(6);
  for (const { id: sourceId } of sources) {
    const createdAt = new Date(service.mock.clock.now.getTime() + 1000 * sourceId);
    await service.mock.db.events.create({ type: 'sync.failed', connectionId: 1, sourceId, data: {}, createdAt });
  }
  const { stdout } = await service.svc('status');
  expect(stdout.match(/^  source \d+ has been failing/gm)).toHaveLength(5);
  expect(stdout).toContain('  and 1 more\n');
  expect((await service.svc('status', '--long')).stdout.match(/^  source \d+ has been failing/gm)).toHaveLength(6);
});

test('error (N) of block lists, and why READY stays yes', async () => {
  const text = 'The CRM list could not be read';
  await service.mock.db.blocklists.update({ where: { id: 8 } }, { data: (row) => void (row.lastError = text) });
  const { stdout, code } = await service.svc('status', '--long', '--exit-code');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Ready, but 1 part does not work \(checked /);
  expect(stdout).toContain('READY: whether events can be written to the CRM. disabled: switched off');
  expect(stdout).toContain(`Problems
  BLOCK LISTS error (7) on 1 HUBSPOT
    At least one list fails (7 are enabled): its new entries may not reach the sequencer. READY is yes because events are still written to the CRM.
    Last error: The CRM list could not be read
    See: svc blocklists list --connection 1
`);
});

test('a recorded error of the connection', async () => {
  const error = 'The daily limit is reached';
  await service.mock.db.connections.update({ where: { id: 2 } }, { data: (row) => void (row.recordedError = error) });
  const { stdout } = await service.svc('status', '--long');
  expect(stdout).toMatch(/^2 +SALESFORCE .* yes +error /m);
  expect(stdout).toContain('  CONNECTION error on 2 SALESFORCE\n');
  expect(stdout).toContain('READY is yes because the CRM is still connected, but events may not be written');
  expect(stdout).toContain(': The daily limit is reached\n');
  expect(stdout).not.toContain('crm_connection_error');
  expect(stdout).toContain('See: svc syncs list --connection 2 --status error --since 7d\n');
});

test('a connection that is ready but switched off', async () => {
  await service.mock.db.connections.update(
    { where: { id: 2 } },
    { data: (row) => void (row.capabilities = { ...row.capabilities, sync: false }) },
  );
  const { stdout } = await service.svc('status', '--long');
  expect(stdout).toContain('  CONNECTION disabled on 2 SALESFORCE\n    Syncing is switched off.');
});

test('a failing source of a ready connection, until it recovers', async () => {
  await recordEvent('sync.failed', {
    ...{ sourcePlatform: 'smartlead', reason: '3 syncs failed: no such property', remediation: 'Check the mapping' },
  });
  const { stdout } = await service.svc('status', '--long');
  expect(stdout).toMatch(/^Ready, but 1 part does not work/);
  expect(stdout).toContain(`  source 4 (smartlead) has been failing since 2026-01-15 12:00Z on 1 HUBSPOT
    READY is yes because the CRM is connected, but events of this source are not written to it at the moment.
    Reason: 3 syncs failed: no such property
    Fix: Check the mapping
    See: svc syncs list --source 4 --status error --since 2026-01-15
`);
  await service.mock.clock.advance('1m');
  await recordEvent('sync.recovered');
  expect((await service.svc('status')).stdout).not.toContain('has been failing');
});

test('JSON and --fields make no other request; without webhooks there are no failing sources', async () => {
  await recordEvent('sync.failed');
  expect(JSON.parse((await service.svc('status', '--json')).stdout)).not.toHaveProperty('problems');
  await service.svc('status', '--fields', 'ready');
  expect(service.mock.journal.find({ operation: 'listEvents' })).toEqual([]);
  await service.mock.db.accounts.updateMany({}, { data: (row) => void (row.canUseWebhooks = false) });
  const { code, stdout, stderr } = await service.svc('status');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).not.toContain('has been failing');
});
