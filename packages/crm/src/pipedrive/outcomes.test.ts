import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type PipedriveSimulator, startPipedriveSimulator } from '@svc/simulators';
import { createWriter, type EventChanges, of, START, TOKEN, type Writer } from '../../test/support/pipedrive.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { PIPEDRIVE_FACTS } from '../../test/vendors/pipedrive.ts';
import type { CrmOutcome } from '../port/types.ts';

/** What events change besides the timeline, and on what else than the person an entry stands. */

const REP = 502;
let simulator: PipedriveSimulator;
let writer: Writer;
let nowMs = START.getTime();
const now = () => new Date(nowMs);
const onExchange = checkExchanges(PIPEDRIVE_FACTS);
beforeAll(async () => {
  const users = ['owner@example.com', 'rep@example.com'];
  simulator = await startPipedriveSimulator({ tokens: [TOKEN], onExchange, users, now });
});
afterAll(() => simulator.close());
beforeEach(() => {
  nowMs = START.getTime();
  simulator.reset();
  writer = createWriter(simulator, { now });
});

async function send(method: string, path: string, body?: unknown): Promise<void> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${simulator.url}${path}`, { method, headers: { 'x-api-token': TOKEN }, ...init });
  expect(response.ok).toBe(true);
}
async function costOf(run: () => Promise<unknown>): Promise<{ calls: string[]; tokens: number }> {
  const before = { calls: simulator.requests().length, tokens: simulator.state().counts.tokens };
  await run();
  const made = simulator.requests().slice(before.calls);
  return {
    calls: made.map(({ method, path }) => `${method} ${path.split('?')[0]}`),
    tokens: simulator.state().counts.tokens - before.tokens,
  };
}
const when = { types: ['EMAIL_SENT'] };
const outcome = (result: object, more: object = {}) => ({ outcomes: [{ when, ...result }], ...more });
const kim = (key: string, policy: object, changes: EventChanges = {}) => of('kim', { key, policy, ...changes });
const ACTIVITY = ['POST /api/v2/activities'];

describe('a label', () => {
  const HOT = outcome({ leadStatus: ' hot lead ' });

  test('is added once to the labels of the person', async () => {
    await writer.write(of('kim'));
    await send('PATCH', '/api/v2/persons/1', { label_ids: [901] });
    const first = await costOf(async () =>
      expect(await writer.write(kim('k1', HOT))).toMatchObject([{ status: 'success' }]),
    );
    expect(simulator.state().persons).toMatchObject([{ label_ids: [901, 902] }]);
    // The fields of persons are listed for it.
    expect(first.tokens).toBe(5 + 10 + 1 + 5);
    expect((await costOf(() => writer.write(kim('k2', HOT), kim('k1', HOT, { isRepeated: true })))).calls).toEqual(
      ACTIVITY,
    );
    expect((await costOf(() => writer.write(of('lou', { policy: HOT })))).tokens).toBe(30 + 1 + 5);
  });

  test('that is not there is a warning', async () => {
    expect(await writer.write(kim('k1', outcome({ leadStatus: 'Boiling' })))).toMatchObject([
      { status: 'warning', engagementId: expect.any(String), error: { code: 'unknown_lead_status' } },
    ]);
  });

  test('is added by an event that fills nothing', async () => {
    await writer.write(of('kim'));
    await writer.write(kim('k1', outcome({ leadStatus: '902' }, { events: [{ write: ['timeline'] }] })));
    expect(simulator.state().persons).toMatchObject([{ label_ids: [902] }]);
  });
});

describe('a deal', () => {
  const DEAL = outcome({ deal: { pipeline: 'sales', stage: 'Meeting' } });
  const dealsOf = () =>
    simulator.state().deals.map(({ title, pipeline_id, stage_id, status }) => [title, pipeline_id, stage_id, status]);

  test('is made once per person and pipeline, with the owner of the plan and the organization', async () => {
    const policy = { ...DEAL, owner: {} };
    const source = { createOrUpdateCompany: true };
    await writer.write(kim('k1', policy, { source }), kim('k2', policy, { source }));
    expect(dealsOf()).toEqual([['Kim Berg (Spring <2026>)', 1, 1002, 'open']]);
    const [{ id } = { id: 0 }] = simulator.state().persons;
    expect(simulator.state().deals).toMatchObject([{ person_id: id, owner_id: REP, org_id: expect.any(Number) }]);
    const again = await costOf(() => writer.write(kim('k3', policy), kim('k1', policy, { isRepeated: true })));
    expect(again.calls).toEqual(ACTIVITY);
    const partners = outcome({ deal: { pipeline: '2', stage: '2001', name: 'Partner {company}' } });
    await writer.write(kim('k4', partners));
    expect(dealsOf()).toContainEqual(['Partner Fjord', 2, 2001, 'open']);
  });

  test('is made once for a person with two addresses, whose events are written at the same time', async () => {
    await writer.write(of('kim'), of('lou'));
    const emails = ['kim', 'kim2'].map((name) => ({ value: `${name}@fjord.example.org`, primary: name === 'kim' }));
    await send('PATCH', '/api/v2/persons/1', { emails });
    await writer.write(of('kim2'));
    expect(simulator.state().persons).toHaveLength(2);
    const both = [kim('k1', DEAL), of('kim2', { key: 'k2', policy: DEAL })];
    expect(await writer.write(...both)).toMatchObject([{ status: 'success' }, { status: 'success' }]);
    expect(dealsOf()).toHaveLength(1);
  });

  test('costs 15 tokens, and the list of pipelines 20 in six hours', async () => {
    await writer.write(of('kim'), of('lou'));
    expect((await costOf(() => writer.write(kim('k1', DEAL)))).tokens).toBe(5 + 20 + 10 + 5);
    expect((await costOf(() => writer.write(of('lou', { key: 'l1', policy: DEAL })))).tokens).toBe(5 + 10 + 5);
  });

  test('is not made beside an open one, and not again when ours was lost', async () => {
    await writer.write(of('kim'), of('lou'));
    await send('POST', '/api/v2/deals', { title: 'By hand', person_id: 1, stage_id: 1001 });
    await writer.write(kim('k1', DEAL), of('lou', { key: 'l1', policy: DEAL }));
    expect(dealsOf().map(([title]) => title)).toEqual(['By hand', 'Kim Berg (Spring <2026>)']);
    for (const { id } of simulator.state().deals) await send('PATCH', `/api/v2/deals/${id}`, { status: 'lost' });
    await writer.write(of('lou', { key: 'l2', policy: DEAL }));
    expect(dealsOf()).toHaveLength(2);
    // The connector remembers only deals that it made itself. It looks for a deal of somebody else again, and that deal is closed now.
    await writer.write(kim('k2', DEAL));
    expect(dealsOf()).toHaveLength(3);
  });

  test.each([
    ['a stage of another pipeline', { pipeline: 'Partners', stage: 'Meeting' }],
    ['a pipeline that is not there', { pipeline: 'Nope', stage: 'Qualified' }],
  ])('with %s is a warning', async (_name, deal) => {
    expect(await writer.write(kim('k1', outcome({ deal })))).toMatchObject([
      { status: 'warning', error: { code: 'unknown_stage' } },
    ]);
    expect(dealsOf()).toEqual([]);
  });

  test('without the permission for deals is a warning, and the event is written', async () => {
    simulator.failNext(1, 403, { match: /POST .*deals/ });
    simulator.failNext(1, 403, { match: /POST .*deals/ });
    expect(await writer.write(kim('k1', DEAL))).toMatchObject([{ status: 'warning', error: { code: 'forbidden' } }]);
    expect(await writer.write(kim('k1', DEAL, { isRepeated: true }))).toMatchObject([{ status: 'success' }]);
    expect(simulator.state()).toMatchObject({ activities: [{}], deals: [{}] });
  });
});

describe('a task', () => {
  const TASK = outcome({ task: { subject: 'Call back', due: '36h' } });

  test('is open, due so long after the event, and made once per event and subject', async () => {
    await writer.write(of('kim'));
    const policy = { ...TASK, owner: { contact: 'never' } };
    const { tokens } = await costOf(() => writer.write(kim('k1', { ...policy, events: [{ write: ['timeline'] }] })));
    // The users are listed for the owner.
    expect(tokens).toBe(5 + 20 + 5);
    const task = { subject: 'Call back', type: 'task', done: false, due_date: '2026-03-02', due_time: '22:00' };
    expect(simulator.state().activities.slice(2)).toMatchObject([{ ...task, owner_id: REP }]);
    await writer.write(kim('k1', policy, { isRepeated: true }));
    expect(simulator.state().activities).toHaveLength(3);
    await writer.write(kim('k2', policy));
    expect(simulator.state().activities).toHaveLength(5);
  });
});

test('what Pipedrive does not have is left out, with one warning', async () => {
  const policy = outcome({ lifecycleStage: 'customer', campaign: { id: '701' }, list: '7' });
  expect(await writer.write(kim('k1', policy))).toMatchObject([
    {
      status: 'warning',
      engagementId: expect.any(String),
      error: {
        code: 'not_supported',
        message: 'Pipedrive has no lifecycle stages, members of campaigns, lists: the outcome is left out',
      },
    },
  ]);
});

test('any faults, repetitions and restarts leave one label, one deal and one task per event', async () => {
  const everything = outcome({ leadStatus: 'Hot lead', deal: { stage: 'Qualified' }, task: { subject: 'Call' } });
  const faults = [null, null, null, 503, 'reset', 'lost-answer', 'truncated', 'burst'] as const;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('kim', 'lou'), { minLength: 1, maxLength: 4 }),
      fc.array(fc.constantFrom(...faults), { maxLength: 40 }),
      async (names, planned) => {
        simulator.reset();
        let skip = 0;
        for (const fault of planned) {
          if (fault !== null) simulator.failNext(1, fault, { skip });
          skip = fault === null ? skip + 1 : 0;
        }
        const { records } = createWriter(simulator, { now });
        const all = names.map((name, index) => of(name, { key: `k${index}`, policy: everything }));
        let waiting: EventChanges[] = [...all];
        for (let round = 0; waiting.length > 0; round += 1) {
          expect(round).toBeLessThan(60);
          const outcomes: readonly CrmOutcome[] = await createWriter(simulator, { now, records }).write(...waiting);
          waiting = waiting.filter((_, index) => outcomes[index]?.status === 'error');
          waiting = waiting.map((changes) => ({ ...changes, isRepeated: true }));
        }
        await createWriter(simulator, { now, records }).write(...all.map((event) => ({ ...event, isRepeated: true })));
        const { persons, deals, activities } = simulator.state();
        expect(persons.map(({ label_ids }) => label_ids)).toEqual(persons.map(() => [902]));
        expect(deals.map(({ person_id }) => person_id).toSorted()).toEqual(persons.map(({ id }) => id).toSorted());
        expect(activities.filter(({ type }) => type === 'task')).toHaveLength(names.length);
      },
    ),
    { numRuns: 40 },
  );
});

describe('associations', () => {
  const BOTH = { associations: { company: true, deal: true } };
  const source = { createOrUpdateCompany: true };
  const deal = (title: string) => send('POST', '/api/v2/deals', { title, person_id: personId(), stage_id: 1001 });
  const personId = () => simulator.state().persons[0]?.id;

  test('a note stands on the organization, and entries on the one open deal', async () => {
    await writer.write(of('kim', { source }));
    await deal('Open');
    const [{ id } = { id: 0 }] = simulator.state().deals;
    const [{ id: organizationId } = { id: 0 }] = simulator.state().organizations;
    await writer.write(kim('k1', BOTH), kim('k2', BOTH, { eventType: 'EMAIL_OPEN' }));
    expect(simulator.state().activities.at(-1)).toMatchObject({ deal_id: id, org_id: organizationId });
    expect(simulator.state().notes).toMatchObject([{ deal_id: id, org_id: organizationId, person_id: personId() }]);
  });

  test('with the deal an entry costs 10 tokens more, once per person and batch; with the company nothing', async () => {
    await writer.write(of('kim', { source }));
    const ofDeal = { associations: { deal: true } };
    expect((await costOf(() => writer.write(kim('k1', ofDeal), kim('k2', ofDeal)))).tokens).toBe(10 + 5 + 5);
    const ofCompany = kim('k3', { associations: { company: true } }, { eventType: 'EMAIL_OPEN' });
    expect((await costOf(() => writer.write(ofCompany))).tokens).toBe(10);
  });

  test('of two open deals none is chosen', async () => {
    await writer.write(of('kim'));
    await deal('One');
    await deal('Two');
    await writer.write(kim('k1', BOTH));
    expect(simulator.state().activities.at(-1)).toMatchObject({ deal_id: null });
  });

  test('that Pipedrive refuses are left out, with a warning', async () => {
    await writer.write(of('kim', { source }));
    await deal('Open');
    simulator.failNext(1, 400, { match: /POST .*notes/ });
    expect(await writer.write(kim('k1', BOTH, { eventType: 'EMAIL_OPEN' }))).toMatchObject([{ status: 'warning' }]);
    simulator.failNext(1, 403, { match: /GET .*deals/ });
    expect(await writer.write(kim('k2', BOTH, { eventType: 'EMAIL_OPEN' }))).toMatchObject([
      { status: 'warning', error: { code: 'forbidden' } },
    ]);
    expect(simulator.state().notes).toMatchObject([
      { deal_id: null, org_id: null },
      { deal_id: null, org_id: expect.any(Number) },
    ]);
  });
});
