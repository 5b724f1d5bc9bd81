import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type PipedriveSimulator, startPipedriveSimulator } from '@svc/simulators';
import { createWriter, type EventChanges, of, START, TOKEN, type Writer } from '../../test/support/pipedrive.ts';
import { createPipedriveSetup } from './setup.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { PIPEDRIVE_FACTS } from '../../test/vendors/pipedrive.ts';

/** Fields and last values of write policies, in custom fields of persons. */

const DAY_MS = 24 * 3_600_000;
let simulator: PipedriveSimulator;
let writer: Writer;
let nowMs = START.getTime();
const now = () => new Date(nowMs);
const onExchange = checkExchanges(PIPEDRIVE_FACTS);
beforeAll(async () => {
  simulator = await startPipedriveSimulator({ tokens: [TOKEN], onExchange, now });
});
afterAll(() => simulator.close());
beforeEach(() => {
  nowMs = START.getTime();
  simulator.reset();
  writer = createWriter(simulator, { now });
});

async function send(method: string, path: string, body?: unknown): Promise<unknown> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${simulator.url}${path}`, { method, headers: { 'x-api-token': TOKEN }, ...init });
  expect(response.ok).toBe(true);
  return response.json();
}
async function makeField(name: string, type = 'varchar', labels: readonly string[] = []): Promise<string> {
  const options = labels.length === 0 ? {} : { options: labels.map((label) => ({ label })) };
  await send('POST', '/api/v2/personFields', { field_name: name, field_type: type, ...options });
  return simulator.state().personFields.findLast(({ field_name }) => field_name === name)?.field_code ?? '';
}
const optionId = (name: string, label: string) =>
  simulator
    .state()
    .personFields.find(({ field_name }) => field_name === name)
    ?.options?.find((option) => option.label === label)?.id;

/** Returns the calls of a run, and what they cost. */
async function costOf(run: () => Promise<unknown>): Promise<{ calls: string[]; tokens: number }> {
  const before = { calls: simulator.requests().length, tokens: simulator.state().counts.tokens };
  await run();
  return {
    calls: simulator
      .requests()
      .slice(before.calls)
      .map(({ method, path }) => `${method} ${path.split('?')[0]}`),
    tokens: simulator.state().counts.tokens - before.tokens,
  };
}
const customOf = (position = 0) => simulator.state().persons[position]?.custom_fields;
const kim = (key: string, fields: readonly object[], changes: EventChanges = {}) =>
  of('kim', { key, policy: { fields }, ...changes });

describe('fields', () => {
  const FILL = [{ to: 'Lead source', from: 'campaign.name' }];
  const OVERWRITE = [{ to: 'Lead source', from: 'subject', write: 'overwrite' }];

  test('a new person gets the values of all rules, and defaults, without a call more', async () => {
    const codes = [await makeField('Lead source'), await makeField('Tier'), await makeField('Score', 'double')];
    await writer.write(of('lou'));
    const fields = [
      ...FILL,
      { to: codes[1], from: 'custom.tier', default: 'standard', write: 'create-only' },
      { to: 'score', value: 7, write: 'overwrite' },
    ];
    const { calls, tokens } = await costOf(async () =>
      expect(await writer.write(kim('k1', fields))).toMatchObject([{ status: 'success' }]),
    );
    expect(customOf(1)).toEqual({
      [codes[0] ?? '']: 'Spring <2026>',
      [codes[1] ?? '']: 'standard',
      [codes[2] ?? '']: 7,
    });
    expect(calls).toEqual([
      'GET /api/v2/persons/search',
      'GET /api/v2/personFields',
      'POST /api/v2/persons',
      'POST /api/v2/activities',
    ]);
    expect(tokens).toBe(10 + 30);
    expect(await costOf(() => writer.write(kim('k2', fields)))).toEqual({
      calls: ['POST /api/v2/activities'],
      tokens: 5,
    });
  });

  test('of an existing person, fill writes blanks, overwrite what differs, create-only nothing', async () => {
    const [source, tier, stage] = [await makeField('Lead source'), await makeField('Tier'), await makeField('Stage')];
    const emails = [{ value: 'kim@fjord.example.org', primary: true, label: 'work' }];
    await send('POST', '/api/v2/persons', { name: 'Kim', emails, custom_fields: { [source]: 'Fair', [tier]: 'gold' } });
    const fields = [
      ...FILL,
      { to: 'Tier', value: 'silver', write: 'overwrite' },
      { to: 'Stage', value: 'new', write: 'create-only' },
    ];
    await writer.write(kim('k1', fields));
    expect(customOf()).toEqual({ [source]: 'Fair', [tier]: 'silver' });
    expect(customOf()).not.toHaveProperty(stage);
  });

  test('overwrite does so again after an event that names the person by the profile URL', async () => {
    const code = await makeField('Lead source');
    const profileUrl = 'https://www.linkedin.com/in/kim';
    const byUrl = { toEmail: profileUrl, contact: { email: null, profileUrl } };
    for (const [index, changes] of [{}, byUrl, {}].entries()) {
      const contact = { profileUrl };
      const subject = String(index % 2);
      await writer.write(kim(`k${index}`, OVERWRITE, { contact, subject, ...changes }));
      expect(customOf()).toMatchObject({ [code]: subject });
    }
    expect(simulator.state().persons).toHaveLength(1);
  });

  test('a remembered person costs a read and a write when a value is new, and nothing when it is not', async () => {
    const code = await makeField('Lead source');
    await writer.write(of('kim'));
    const first = await costOf(() => writer.write(kim('k1', OVERWRITE, { subject: 'One' })));
    const same = await costOf(() => writer.write(kim('k2', OVERWRITE, { subject: 'One' })));
    const other = await costOf(() => writer.write(kim('k3', OVERWRITE, { subject: 'Two' })));
    expect([first.tokens, same.tokens, other.tokens]).toEqual([10 + 1 + 5 + 5, 5, 1 + 5 + 5]);
    expect(customOf()).toEqual({ [code]: 'Two' });
  });

  test('of several events in a batch, the first value fills and the last one overwrites', async () => {
    const [source, last] = [await makeField('Lead source'), await makeField('Last subject')];
    const fields = [
      { to: 'Lead source', from: 'subject' },
      { to: 'Last subject', from: 'subject', write: 'overwrite' },
    ];
    await writer.write(of('kim'));
    nowMs += 8 * DAY_MS;
    const subjects = ['One', 'Two', 'One'];
    await writer.write(...subjects.map((subject, index) => kim(`k${index + 1}`, fields, { subject })));
    expect(customOf()).toEqual({ [source]: 'One', [last]: 'One' });
  });

  test('of persons who are read together, each event sees what the one before has written', async () => {
    const code = await makeField('Lead source');
    const names = Array.from({ length: 12 }, (_, index) => `n${index}`);
    const event = (name: string, key: string, subject: string) =>
      of(name, { key, subject, policy: { fields: OVERWRITE } });
    await writer.write(...names.map((name) => event(name, name, 'One')));
    nowMs += 8 * DAY_MS;
    const again = names.map((name) => event(name, `${name}b`, 'One'));
    const { calls } = await costOf(() => writer.write(event('n0', 'k1', 'Two'), event('n0', 'k2', 'One'), ...again));
    expect(calls.filter((call) => call === 'GET /api/v2/persons')).toHaveLength(1);
    expect(customOf()).toEqual({ [code]: 'One' });
  });

  test('a value that somebody changed is overwritten again after a week', async () => {
    const code = await makeField('Lead source');
    await writer.write(kim('k1', OVERWRITE));
    await send('PATCH', '/api/v2/persons/2', { custom_fields: { [code]: 'by hand' } });
    await writer.write(kim('k2', OVERWRITE));
    expect(customOf()).toEqual({ [code]: 'by hand' });
    nowMs += 8 * DAY_MS;
    await writer.write(kim('k3', OVERWRITE));
    expect(customOf()).toEqual({ [code]: 'Route planning' });
  });

  test('values are converted for the type of the field', async () => {
    const [size, when, tier] = [
      await makeField('Size', 'double'),
      await makeField('When', 'date'),
      await makeField('Tier', 'enum', ['Gold', 'Silver']),
    ];
    const [tags, memo] = [await makeField('Tags', 'set', ['A, B', 'C', 'D']), await makeField('Memo', 'text')];
    const fields = [
      { to: 'Size', from: 'custom.size' },
      { to: 'When', from: 'occurredAt' },
      { to: 'Tier', value: ' gold ' },
      { to: 'Tags', value: 'D; c' },
      { to: 'Memo', value: true },
    ];
    await writer.write(kim('k1', fields, { contact: { custom: { Size: '12.5' } } }));
    const [c, d] = [optionId('Tags', 'C'), optionId('Tags', 'D')];
    expect(customOf()).toEqual({
      ...{ [size]: 12.5, [when]: '2026-03-01', [tier]: optionId('Tier', 'Gold') },
      ...{ [tags]: [c, d], [memo]: 'true' },
    });
    await writer.write(of('lou', { policy: { fields: [{ to: 'Tags', value: 'a, b' }] } }));
    expect(customOf(1)).toEqual({ [tags]: [optionId('Tags', 'A, B')] });
  });

  test.each([
    ['a field that is not there', 'Nope', 'x', 'unknown_property'],
    ['a number that is none', 'Size', 'many', 'value_does_not_fit'],
    ['an option that is not there', 'Tier', 'Bronze', 'value_does_not_fit'],
    ['a type that is not written', 'Budget', 5, 'value_does_not_fit'],
  ])('%s is a warning without a call, and the event is written', async (_name, to, value, code) => {
    await makeField('Size', 'double');
    await makeField('Tier', 'enum', ['Gold']);
    await makeField('Budget', 'monetary');
    await writer.write(of('kim'));
    const fields = [{ to, value }];
    expect(await writer.write(kim('k1', fields))).toMatchObject([{ status: 'warning', error: { code } }]);
    expect((await costOf(() => writer.write(kim('k2', fields)))).calls).toEqual(['POST /api/v2/activities']);
  });

  test('a field that is made later is found after ten minutes', async () => {
    expect(await writer.write(kim('k1', FILL))).toMatchObject([{ status: 'warning' }]);
    const code = await makeField('Lead source');
    nowMs += 11 * 60_000;
    expect(await writer.write(kim('k2', FILL))).toMatchObject([{ status: 'success' }]);
    expect(customOf()).toEqual({ [code]: 'Spring <2026>' });
  });

  test('a value that Pipedrive refuses is left out alone, with a warning, and not tried again', async () => {
    const [source, gone] = [await makeField('Lead source'), await makeField('Tier')];
    await writer.write(of('kim'), kim('k1', []));
    await writer.write(of('lou', { policy: { fields: FILL } }));
    // An admin deletes a field that is remembered.
    simulator.deletePersonField(gone);
    const fields = [...FILL, { to: 'Tier', value: 'gold' }];
    const phone = '+47 55';
    expect(await writer.write(kim('k2', fields, { contact: { phone } }))).toMatchObject([
      { status: 'warning', error: { code: 'refused' } },
    ]);
    expect(simulator.state().persons[0]).toMatchObject({
      phones: [{ value: phone }],
      custom_fields: { [source]: 'Spring <2026>' },
    });
    expect(await writer.write(of('ada', { policy: { fields } }))).toMatchObject([{ status: 'warning' }]);
    expect(customOf(2)).toEqual({ [source]: 'Spring <2026>' });
  });

  test('a plan that does not fill leaves an existing person as it is; a created one gets the fields', async () => {
    const code = await makeField('Lead source');
    await writer.write(of('kim'));
    const policy = { fields: FILL, events: [{ write: ['timeline'] }] };
    await writer.write(of('kim', { key: 'k1', policy }), of('lou', { policy }));
    expect([customOf(0), customOf(1)]).toEqual([{}, { [code]: 'Spring <2026>' }]);
  });

  test('without the permission to read fields the event is written, with a warning', async () => {
    await makeField('Lead source');
    simulator.failNext(1, 403, { match: /personFields/ });
    expect(await writer.write(kim('k1', FILL))).toMatchObject([{ status: 'warning', error: { code: 'forbidden' } }]);
    expect(simulator.state().activities).toHaveLength(1);
  });
});

describe('last values', () => {
  const prepare = async () => {
    const setup = createPipedriveSetup({ fetch, baseUrl: simulator.url, timeoutMs: 10_000, now });
    expect(await setup.prepare({ access: writer.access, isDryRun: false })).toMatchObject({ status: 'prepared' });
  };
  /** By the name of the field. */
  const valuesOf = (position = 0) => {
    const { persons, personFields } = simulator.state();
    const nameOf = new Map(personFields.map(({ field_code, field_name }) => [field_code, field_name]));
    const custom = Object.entries(persons[position]?.custom_fields ?? {});
    return Object.fromEntries(custom.map(([code, value]) => [nameOf.get(code), value]));
  };
  const LAST = { lastValues: true };
  const sent = (key: string, sentCount: number, changes: EventChanges = {}) =>
    of('kim', { key, policy: LAST, lastValues: { lastSentAt: START.getTime(), sentCount }, ...changes });

  test('come with the creation of a person, and cost one write of a remembered one', async () => {
    await prepare();
    await writer.write(of('lou', { policy: LAST, lastValues: { sentCount: 1 } }));
    expect((await costOf(() => writer.write(sent('k1', 1)))).tokens).toBe(30);
    expect(valuesOf(1)).toEqual({ 'Sequencer: last sent at': '2026-03-01', 'Sequencer: messages sent': 1 });
    expect(await costOf(() => writer.write(sent('k2', 2)))).toEqual({
      calls: [`PATCH /api/v2/persons/${simulator.state().persons[1]?.id}`, 'POST /api/v2/activities'],
      tokens: 5 + 5,
    });
    expect(valuesOf(1)).toMatchObject({ 'Sequencer: messages sent': 2 });
  });

  test('that did not change cost nothing, and a batch writes those of a person once', async () => {
    await prepare();
    await writer.write(sent('k1', 1));
    expect((await costOf(() => writer.write(sent('k2', 1)))).calls).toEqual(['POST /api/v2/activities']);
    const { calls } = await costOf(() => writer.write(sent('k3', 2), of('kim', { key: 'k4' }), sent('k5', 3)));
    expect(calls.filter((call) => call.startsWith('PATCH'))).toHaveLength(1);
    expect(valuesOf()).toMatchObject({ 'Sequencer: messages sent': 3 });
  });

  test('are written with new details in one call', async () => {
    await prepare();
    await writer.write(of('kim'));
    const { calls } = await costOf(() => writer.write(sent('k1', 1, { contact: { phone: '+47 55' } })));
    expect(calls.filter((call) => call.startsWith('PATCH'))).toHaveLength(1);
    expect(simulator.state().persons).toMatchObject([{ phones: [{ value: '+47 55' }] }]);
    expect(valuesOf()).toMatchObject({ 'Sequencer: messages sent': 1 });
  });

  test('without their fields are left out, with one warning that says what to do', async () => {
    await writer.write(of('kim'));
    const [outcome] = await writer.write(sent('k1', 1));
    expect(outcome).toMatchObject({ status: 'warning', error: { code: 'last_values_not_prepared' } });
    expect(outcome).toMatchObject({ error: { message: expect.stringContaining('svc-server connections prepare') } });
    await prepare();
    nowMs += 11 * 60_000;
    expect(await writer.write(sent('k2', 1))).toMatchObject([{ status: 'success' }]);
    expect(valuesOf()).toMatchObject({ 'Sequencer: messages sent': 1 });
  });

  test('go to the person that is there now when the remembered one was deleted', async () => {
    await prepare();
    await writer.write(sent('k1', 1));
    await send('DELETE', `/api/v2/persons/${simulator.state().persons[0]?.id}`);
    expect(await writer.write(sent('k2', 2))).toMatchObject([{ status: 'success' }]);
    expect(valuesOf()).toMatchObject({ 'Sequencer: messages sent': 2 });
  });

  test('do not keep a person from being read after a week', async () => {
    await prepare();
    const owned = (key: string, count: number) =>
      sent(key, count, { policy: { ...LAST, owner: { contact: 'always', map: [{ mailbox: '*', user: '501' }] } } });
    await writer.write(owned('k1', 1));
    for (let day = 1; day <= 8; day += 1) {
      nowMs += DAY_MS;
      await writer.write(owned(`day${day}`, day + 1));
    }
    const read = `/api/v2/persons/${simulator.state().persons[0]?.id}`;
    expect(simulator.requests().filter(({ method, path }) => method === 'GET' && path === read)).toHaveLength(1);
  });
});
