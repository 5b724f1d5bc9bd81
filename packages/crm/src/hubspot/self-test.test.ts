import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type HubspotSimulator, startHubspotSimulator } from '@svc/simulators';
import { accessTo } from '../../test/support/batch.ts';
import { createExchangeCheck } from '../../test/vendors/check-exchanges.ts';
import { HUBSPOT_FACTS } from '../../test/vendors/hubspot.ts';
import type { CrmStatement } from '../port/setup.ts';
import { createHubspotConnector } from './connector.ts';
import { createHubspotSetup } from './setup.ts';
import { HUBSPOT_STATEMENTS } from './statements.ts';

const IDS = HUBSPOT_STATEMENTS.map(({ id }) => id);
const NOT_TESTED = IDS.slice(IDS.indexOf('hubspot-23'));

async function startAccount(breaks?: string, refuses?: string) {
  const deviations: string[] = [];
  const check = createExchangeCheck(HUBSPOT_FACTS);
  const simulator = await startHubspotSimulator({
    owners: ['rep@example.com'],
    onExchange: (exchange) => deviations.push(...check(exchange)),
    ...(breaks === undefined ? {} : { breaks }),
    validationRule: (type) => (type === refuses ? 'refused by a rule of the account' : null),
  });
  return { simulator, deviations };
}

const toOptions = (simulator: HubspotSimulator) => ({ fetch, baseUrl: simulator.url, timeoutMs: 10_000 });
const toInput = (simulator: HubspotSimulator, isKept: boolean) => ({
  ...{ access: accessTo('t'), organizationId: '1000001', randomId: 'a1b2', isKept },
  connector: createHubspotConnector(toOptions(simulator)),
});

async function runSelfTest(simulator: HubspotSimulator, isKept = false): Promise<CrmStatement[]> {
  const { selfTest } = createHubspotSetup(toOptions(simulator));
  const statements: CrmStatement[] = [];
  for await (const statement of selfTest?.(toInput(simulator, isKept)) ?? []) statements.push(statement);
  return statements;
}

const prepare = (simulator: HubspotSimulator) =>
  createHubspotSetup(toOptions(simulator)).prepare({ access: accessTo('t'), isDryRun: false });
const resultsOf = (statements: readonly CrmStatement[], wanted: CrmStatement['result']) =>
  statements.filter(({ result }) => result === wanted).map(({ id }) => id);
const EMPTY = { contacts: [], companies: [], deals: [], engagements: [], tasks: [], lists: [] };

let account: Awaited<ReturnType<typeof startAccount>>;
beforeAll(async () => {
  account = await startAccount();
});
afterAll(() => account.simulator.close());
beforeEach(() => account.simulator.reset());

test('the simulator does what the document says, and nothing is left of the test', async () => {
  const { simulator, deviations } = account;
  await prepare(simulator);
  const before = simulator.requests().length;
  const statements = await runSelfTest(simulator);
  expect(statements.map(({ id }) => id)).toEqual(IDS);
  expect(statements.filter(({ result }) => result === 'differs')).toEqual([]);
  expect(resultsOf(statements, 'not tested')).toEqual(NOT_TESTED);
  expect(simulator.state()).toMatchObject(EMPTY);
  expect(deviations).toEqual([]);
  // What docs/crm/hubspot.md says.
  const made = simulator.requests().length - before;
  expect(made).toBe(105);
});

test('the records are kept when that is asked for', async () => {
  const { simulator } = account;
  const statements = await runSelfTest(simulator, true);
  // Without the properties that the service makes.
  expect(resultsOf(statements, 'not tested')).toEqual(['hubspot-11', 'hubspot-22', ...NOT_TESTED]);
  expect(simulator.contacts()).toMatchObject([{ properties: { email: 'svc-selftest-a1b2@selftest.example.com' } }]);
});

test('a test that is not read to its end leaves nothing', async () => {
  const { simulator } = account;
  const { selfTest } = createHubspotSetup(toOptions(simulator));
  for await (const { id } of selfTest?.(toInput(simulator, false)) ?? []) if (id === 'hubspot-10') break;
  expect(simulator.state()).toMatchObject(EMPTY);
});

test('an account that takes the contact but no email is left as it was', async () => {
  const { simulator } = await startAccount(undefined, 'emails');
  try {
    const statements = await runSelfTest(simulator);
    expect(resultsOf(statements, 'not tested')).toEqual(IDS);
    expect(statements[0]?.detail).toContain('refused by a rule of the account');
    expect(simulator.state()).toMatchObject(EMPTY);
  } finally {
    await simulator.close();
  }
});

test('without an account that answers nothing is tested, and each line says why', async () => {
  const { simulator } = account;
  simulator.failNext(1_000, 401);
  const statements = await runSelfTest(simulator);
  expect(resultsOf(statements, 'not tested')).toEqual(IDS);
  expect(statements[0]?.detail).toContain('401');
});

test('a token that may not see deals, companies, users and lists tries the rest', async () => {
  const { simulator } = account;
  simulator.failNext(1_000, 403, { match: /deals|companies\/search|owners|\/lists\// });
  const statements = await runSelfTest(simulator);
  expect(resultsOf(statements, 'differs')).toEqual([]);
  expect(resultsOf(statements, 'not tested')).toEqual([
    ...['hubspot-8', 'hubspot-11', 'hubspot-12', 'hubspot-13', 'hubspot-14', 'hubspot-19', 'hubspot-20'],
    ...NOT_TESTED,
  ]);
});

test.each(IDS.filter((id) => !NOT_TESTED.includes(id)))('%s alone differs when HubSpot does otherwise', async (id) => {
  const { simulator } = await startAccount(id);
  try {
    await prepare(simulator);
    const statements = await runSelfTest(simulator);
    expect(resultsOf(statements, 'differs')).toEqual([id]);
    expect(statements.find((statement) => statement.id === id)?.detail).toEqual(expect.any(String));
  } finally {
    await simulator.close();
  }
});

test('the document has the same statements', () => {
  const document = readFileSync(new URL('../../../../docs/crm/hubspot.md', import.meta.url), 'utf8');
  const lines = [...document.matchAll(/^- \*\*`(hubspot-\d+)`\*\* (.*)$/gm)].map(([, id, title]) => ({ id, title }));
  expect(lines).toEqual(HUBSPOT_STATEMENTS.map(({ id, title }) => ({ id, title })));
});
