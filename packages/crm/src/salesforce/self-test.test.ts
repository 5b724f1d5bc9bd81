import { readFileSync } from 'node:fs';
import { type SalesforceSimulator, startSalesforceSimulator } from '@svc/simulators';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { accessTo } from '../../test/support/batch.ts';
import type { CrmStatement } from '../port/setup.ts';
import { createSalesforceConnector } from './connector.ts';
import { createSalesforceSetup } from './setup.ts';
import { SALESFORCE_STATEMENTS } from './statements.ts';

const IDS = SALESFORCE_STATEMENTS.map(({ id }) => id);
const NOT_TESTED = IDS.slice(20);
const WRITTEN_TYPES = ['Contact', 'Lead', 'Task', 'Opportunity', 'Campaign'] as const;

async function startOrg(breaks?: string): Promise<SalesforceSimulator> {
  return startSalesforceSimulator({ tokens: ['t'], ...(breaks === undefined ? {} : { breaks }) });
}

/** Gives the org what each statement needs. */
async function prepare(simulator: SalesforceSimulator): Promise<void> {
  simulator.configure({
    duplicateRules: [
      { name: 'Standard', objectType: 'Contact', matches: ['Contact'], fields: ['Email', 'LastName'], action: 'alert' },
    ],
  });
  simulator.createListView({ objectType: 'Contact', name: 'All' });
  await setupOf().prepare({ access: accessOf(simulator), isDryRun: false });
}

const options = { fetch, timeoutMs: 10_000 };
const setupOf = () => createSalesforceSetup(options);
const accessOf = (simulator: SalesforceSimulator) => accessTo('t', { apiUrl: simulator.url });

async function runSelfTest(simulator: SalesforceSimulator, isKept = false): Promise<CrmStatement[]> {
  const connector = createSalesforceConnector(options);
  const { organizationId } = simulator;
  const input = { access: accessOf(simulator), organizationId, connector, randomId: 'a1b2', isKept };
  const statements: CrmStatement[] = [];
  for await (const statement of setupOf().selfTest?.(input) ?? []) statements.push(statement);
  return statements;
}

const resultsOf = (statements: readonly CrmStatement[], wanted: CrmStatement['result']) =>
  statements.filter(({ result }) => result === wanted).map(({ id }) => id);

let simulator: SalesforceSimulator;
beforeAll(async () => {
  simulator = await startOrg();
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

test('the simulator does what the document says, and nothing is left of the test', async () => {
  await prepare(simulator);
  const before = simulator.requests().length;
  const statements = await runSelfTest(simulator);
  expect(statements.map(({ id }) => id)).toEqual(IDS);
  expect(statements.filter(({ result }) => result === 'differs')).toEqual([]);
  expect(resultsOf(statements, 'not tested')).toEqual(NOT_TESTED);
  for (const type of WRITTEN_TYPES) expect(simulator.records(type)).toEqual([]);
  // What docs/crm/salesforce.md says.
  expect(simulator.requests().length - before).toBe(54);
});

test('the records are kept when that is asked for', async () => {
  await prepare(simulator);
  const statements = await runSelfTest(simulator, true);
  expect(resultsOf(statements, 'not tested')).toEqual(['salesforce-20', ...NOT_TESTED]);
  expect(simulator.records('Contact').map(({ values }) => values['Email'])).toContain(
    'svc-selftest-a1b2@selftest.example.com',
  );
});

test('what an org does not have is not tested, and each line says why', async () => {
  simulator.configure({
    hasEventKeyField: false,
    hasCallObject: false,
    hasDealKeyField: false,
    hasLastValueFields: false,
    mayCustomize: false,
  });
  const statements = await runSelfTest(simulator);
  expect(resultsOf(statements, 'differs')).toEqual([]);
  const absent = [3, 4, 7, 8, 9, 11, 14, 15, 17, 18, 19].map((number) => `salesforce-${number}`);
  expect(resultsOf(statements, 'not tested')).toEqual([...absent, ...NOT_TESTED]);
  for (const { result, detail } of statements) expect(detail === null).toBe(result === 'holds');
  for (const type of WRITTEN_TYPES) expect(simulator.records(type)).toEqual([]);
});

test('a contact of somebody else, whom a duplicate rule names, is neither written to further nor deleted', async () => {
  const other = simulator.seed('Contact', { FirstName: 'Selftest', LastName: 'Berg', Email: 'kim@fjord.example.org' });
  simulator.configure({
    duplicateRules: [
      { name: 'Names', objectType: 'Contact', matches: ['Contact'], fields: ['FirstName'], action: 'alert' },
    ],
  });
  expect(resultsOf(await runSelfTest(simulator), 'not tested')).toEqual(IDS);
  expect(simulator.records('Contact')).toMatchObject([{ id: other, values: { Email: 'kim@fjord.example.org' } }]);
  expect(simulator.records('Task')).toEqual([]);
});

test('an org that stops answering keeps nothing of the test', async () => {
  await prepare(simulator);
  simulator.failNext(1, 503, { match: /Opportunity\/describe$/ });
  const statements = await runSelfTest(simulator);
  expect(resultsOf(statements, 'not tested')).toEqual(IDS);
  for (const type of WRITTEN_TYPES) expect(simulator.records(type)).toEqual([]);
});

test('without an org that answers nothing is tested, and each line says why', async () => {
  simulator.failNext(1_000, 'session');
  const statements = await runSelfTest(simulator);
  expect(resultsOf(statements, 'not tested')).toEqual(IDS);
  expect(statements[0]?.detail).toContain('401');
});

test.each(IDS.filter((id) => !NOT_TESTED.includes(id)))(
  '%s alone differs when Salesforce does otherwise',
  async (id) => {
    const broken = await startOrg(id);
    try {
      await prepare(broken);
      const statements = await runSelfTest(broken);
      expect(resultsOf(statements, 'differs')).toEqual([id]);
      expect(statements.find((statement) => statement.id === id)?.detail).toEqual(expect.any(String));
    } finally {
      await broken.close();
    }
  },
);

test('the document has the same statements', () => {
  const document = readFileSync(new URL('../../../../docs/crm/salesforce.md', import.meta.url), 'utf8');
  const lines = [...document.matchAll(/^- \*\*`(salesforce-\d+)`\*\* (.*)$/gm)].map(([, id, title]) => ({ id, title }));
  expect(lines).toEqual(SALESFORCE_STATEMENTS.map(({ id, title }) => ({ id, title })));
});
