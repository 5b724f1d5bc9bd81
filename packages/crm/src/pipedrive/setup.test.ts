import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { LAST_VALUE_NAMES } from '@svc/domain/policy/last-values';
import { type PipedriveSimulator, startPipedriveSimulator } from '@svc/simulators';
import { accessTo } from '../../test/support/batch.ts';
import { TOKEN } from '../../test/support/pipedrive.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { PIPEDRIVE_FACTS } from '../../test/vendors/pipedrive.ts';
import type { CrmSetup } from '../port/setup.ts';
import { createPipedriveSetup } from './setup.ts';

let simulator: PipedriveSimulator;
let setup: CrmSetup;
const onExchange = checkExchanges(PIPEDRIVE_FACTS);
const access = accessTo(TOKEN);
beforeAll(async () => {
  simulator = await startPipedriveSimulator({ tokens: [TOKEN], onExchange });
  setup = createPipedriveSetup({ fetch, baseUrl: simulator.url, timeoutMs: 10_000 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

async function makeField(body: object): Promise<void> {
  const init = { method: 'POST', headers: { 'x-api-token': TOKEN }, body: JSON.stringify(body) };
  expect((await fetch(`${simulator.url}/api/v2/personFields`, init)).ok).toBe(true);
}

test('describes the fields of persons, labels, and pipelines with their stages, for 30 tokens', async () => {
  await makeField({ field_name: 'Tier', field_type: 'enum', options: [{ label: 'Gold' }] });
  await makeField({ field_name: 'Budget', field_type: 'monetary' });
  const before = simulator.state().counts.tokens;
  const schema = await setup.describe(access);
  expect(simulator.state().counts.tokens - before).toBe(30);
  const [tier] = simulator.state().personFields;
  const options = [{ value: String(tier?.options?.[0]?.id), label: 'Gold' }];
  const ofTier = { label: 'Tier', type: 'option', options, maxLength: null, isWritable: true };
  expect(schema).toMatchObject({
    status: 'described',
    leadStatuses: [{ label: 'Customer' }, { value: '902', label: 'Hot lead' }, {}, {}],
    lifecycleStages: null,
    pipelines: [
      { value: '1', label: 'Sales', stages: [{ value: '1001', label: 'Qualified' }, { label: 'Meeting' }] },
      { value: '2', label: 'Partners', stages: [{ value: '2001' }] },
    ],
  });
  const properties = schema.status === 'described' ? (schema.records[0]?.properties ?? []) : [];
  expect(properties.filter(({ label }) => label === 'Tier')).toEqual([
    { name: 'Tier', ...ofTier },
    { name: tier?.field_code, ...ofTier },
  ]);
  const notWritable = properties.filter(({ isWritable }) => !isWritable).map(({ name }) => name);
  expect(notWritable).toEqual(expect.arrayContaining(['name', 'email', 'owner', 'label_ids', 'Budget']));
});

test('pipelines that the token may not read are unknown', async () => {
  simulator.failNext(1, 403, { match: /pipelines/ });
  expect(await setup.describe(access)).toMatchObject({ status: 'described', pipelines: null });
});

test('makes the fields of last values once; a dry run makes none', async () => {
  const planned = await setup.prepare({ access, isDryRun: true });
  expect(states(planned)).toEqual({ missing: LAST_VALUE_NAMES.length });
  expect(simulator.state().personFields).toEqual([]);
  expect(states(await setup.prepare({ access, isDryRun: false }))).toEqual({ made: LAST_VALUE_NAMES.length });
  const made = simulator.state().personFields;
  expect(made).toHaveLength(LAST_VALUE_NAMES.length);
  expect(made).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ field_name: 'Sequencer: last sent at', field_type: 'date' }),
      expect.objectContaining({ field_name: 'Sequencer: messages sent', field_type: 'double' }),
      expect.objectContaining({ field_name: 'Sequencer: last reply text', field_type: 'varchar' }),
    ]),
  );
  expect(states(await setup.prepare({ access, isDryRun: false }))).toEqual({ exists: LAST_VALUE_NAMES.length });
  expect(simulator.state().personFields).toEqual(made);
});

test('goes on where a failure ended it', async () => {
  simulator.failNext(1, 'lost-answer', { match: /POST/, skip: 3 });
  expect(await setup.prepare({ access, isDryRun: false })).toMatchObject({ status: 'error' });
  expect(states(await setup.prepare({ access, isDryRun: false }))).toEqual({
    exists: 4,
    made: LAST_VALUE_NAMES.length - 4,
  });
});

test('says why a field is refused: its name is taken by another type, or the permission is missing', async () => {
  await makeField({ field_name: 'Sequencer: opens', field_type: 'varchar' });
  simulator.failNext(1, 403, { match: /POST/ });
  const before = simulator.requests().length;
  const prepared = await setup.prepare({ access, isDryRun: false });
  expect(states(prepared)).toEqual({ refused: LAST_VALUE_NAMES.length });
  expect(prepared).toMatchObject({
    items: expect.arrayContaining([
      {
        name: 'person field "Sequencer: opens"',
        state: 'refused',
        note: 'it is of the type varchar, not double: rename it, and prepare again',
      },
    ]),
  });
  // What refuses one refuses all.
  expect(simulator.requests().length - before).toBe(2);
});

test('a refused token is a failure', async () => {
  simulator.failNext(2, 401);
  expect(await setup.describe(access)).toMatchObject({ status: 'error', disconnected: true });
  expect(await setup.prepare({ access, isDryRun: true })).toMatchObject({ status: 'error', disconnected: true });
});

function states(prepared: Awaited<ReturnType<CrmSetup['prepare']>>): Record<string, number> {
  const items = prepared.status === 'prepared' ? prepared.items : [];
  return Object.fromEntries([...Map.groupBy(items, ({ state }) => state)].map(([state, some]) => [state, some.length]));
}
