import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PipedriveSimulator, startPipedriveSimulator } from '@svc/simulators';
import { accessTo } from '../../test/support/batch.ts';
import { TOKEN } from '../../test/support/pipedrive.ts';
import { createExchangeCheck } from '../../test/vendors/check-exchanges.ts';
import { PIPEDRIVE_FACTS } from '../../test/vendors/pipedrive.ts';
import type { CrmStatement } from '../port/setup.ts';
import { createPipedriveConnector } from './connector.ts';
import { createPipedriveSetup } from './setup.ts';
import { PIPEDRIVE_STATEMENTS } from './statements.ts';

const NOT_TESTED = ['pipedrive-17', 'pipedrive-18', 'pipedrive-19', 'pipedrive-20'];
const IDS = PIPEDRIVE_STATEMENTS.map(({ id }) => id);

async function startAccount(breaks?: string) {
  const deviations: string[] = [];
  const check = createExchangeCheck(PIPEDRIVE_FACTS);
  const simulator = await startPipedriveSimulator({
    tokens: [TOKEN],
    users: ['owner@example.com', 'rep@example.com'],
    onExchange: (exchange) => deviations.push(...check(exchange)),
    ...(breaks === undefined ? {} : { breaks }),
  });
  simulator.setRateLimit({ burst: 10_000, dailyTokens: 1_000_000 });
  return { simulator, deviations };
}

async function runSelfTest(simulator: PipedriveSimulator, isKept = false): Promise<CrmStatement[]> {
  const options = { fetch, baseUrl: simulator.url, timeoutMs: 10_000 };
  const { selfTest } = createPipedriveSetup(options);
  const connector = createPipedriveConnector(options);
  const input = { access: accessTo(TOKEN), organizationId: '7000001', connector, randomId: 'a1b2', isKept };
  const statements: CrmStatement[] = [];
  for await (const statement of selfTest?.(input) ?? []) statements.push(statement);
  return statements;
}

/** Makes the fields that the service makes: for last values, and for profile URLs. */
async function prepare(simulator: PipedriveSimulator): Promise<void> {
  const options = { fetch, baseUrl: simulator.url, timeoutMs: 10_000 };
  await createPipedriveSetup(options).prepare({ access: accessTo(TOKEN), isDryRun: false });
  const body = JSON.stringify({ field_name: 'Sequencer profile URL', field_type: 'varchar' });
  await fetch(`${simulator.url}/api/v2/personFields`, { method: 'POST', headers: { 'x-api-token': TOKEN }, body });
}

const resultsOf = (statements: readonly CrmStatement[], wanted: CrmStatement['result']) =>
  statements.filter(({ result }) => result === wanted).map(({ id }) => id);

let account: Awaited<ReturnType<typeof startAccount>>;
beforeAll(async () => {
  account = await startAccount();
});
afterAll(() => account.simulator.close());

test('the simulator does what the document says, and nothing is left of the test', async () => {
  const { simulator, deviations } = account;
  await prepare(simulator);
  const before = simulator.state().counts.tokens;
  const statements = await runSelfTest(simulator);
  expect(statements.map(({ id }) => id)).toEqual(IDS);
  expect(resultsOf(statements, 'differs')).toEqual([]);
  expect(resultsOf(statements, 'not tested')).toEqual(NOT_TESTED);
  expect(simulator.state()).toMatchObject({ persons: [], activities: [], notes: [], deals: [] });
  // The write that has to be refused.
  expect(deviations).toEqual(["POST /api/v2/persons: body: must have required property 'name'"]);
  // What docs/crm/pipedrive.md says.
  expect(simulator.state().counts.tokens - before).toBe(330);
});

test('the records are kept when that is asked for', async () => {
  const { simulator } = account;
  simulator.reset();
  const statements = await runSelfTest(simulator, true);
  // Without the fields that the service makes.
  expect(resultsOf(statements, 'not tested')).toEqual([
    ...['pipedrive-8', 'pipedrive-14', 'pipedrive-15', 'pipedrive-16'],
    ...NOT_TESTED,
  ]);
  expect(simulator.state().persons).toMatchObject([
    { emails: [{ value: 'svc-selftest-a1b2@selftest.example.com' }], label_ids: [901] },
  ]);
});

test('without an account that answers nothing is tested, and each line says why', async () => {
  const { simulator } = account;
  simulator.failNext(1_000, 401);
  const statements = await runSelfTest(simulator);
  expect(resultsOf(statements, 'not tested')).toEqual(IDS);
  expect(statements[0]?.detail).toContain('401');
});

test.each(IDS.filter((id) => !NOT_TESTED.includes(id)))(
  '%s alone differs when Pipedrive does otherwise',
  async (id) => {
    const { simulator } = await startAccount(id);
    try {
      await prepare(simulator);
      const statements = await runSelfTest(simulator);
      expect(resultsOf(statements, 'differs')).toEqual([id]);
      expect(statements.find((statement) => statement.id === id)?.detail).toEqual(expect.any(String));
    } finally {
      await simulator.close();
    }
  },
);

test('the document has the same statements', () => {
  const document = readFileSync(new URL('../../../../docs/crm/pipedrive.md', import.meta.url), 'utf8');
  const lines = [...document.matchAll(/^- \*\*`(pipedrive-\d+)`\*\* (.*)$/gm)].map(([, id, title]) => ({ id, title }));
  expect(lines).toEqual(PIPEDRIVE_STATEMENTS.map(({ id, title }) => ({ id, title })));
});
