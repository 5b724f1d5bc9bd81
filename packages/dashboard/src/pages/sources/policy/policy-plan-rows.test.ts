import { describe, expect, test } from 'vitest';
import { comparePlans, planRows, type TriedWrite } from './policy-plan-rows.ts';

const WRITE: TriedWrite = {
  eventType: 'EMAIL_REPLY',
  toEmail: 'ada@example.com',
  decision: 'written',
  plan: {
    writes: { timeline: true, fields: true, task: false },
    mayCreate: true,
    company: true,
    stateFields: false,
    salesforceObjectType: null,
    owner: { candidates: ['kim@example.com'], contact: 'if-empty', activities: true, companies: false },
    associations: { company: true, deal: false },
    lastValues: ['replyCount'],
    outcomes: null,
  },
  fields: [{ property: 'region', write: 'fill', value: null, valueOfNew: 'unknown' }],
  lastValues: { replyCount: 1 },
  outcome: { status: 'success', contactId: '1', engagementId: null },
  calls: [{ method: 'POST', path: '/contacts', body: { a: 1 } }],
};
const textOf = (rows: readonly { name: string; text: string }[]) =>
  Object.fromEntries(rows.map(({ name, text }) => [name, text]));

describe('rows of one plan', () => {
  test('say what is written, of whom, and with which calls', () => {
    expect(textOf(planRows(WRITE, 'unknown'))).toEqual({
      Event: 'written',
      Result: 'success',
      Contact: 'created',
      'Timeline entry': 'yes',
      'Details of the contact': 'yes',
      'Task for the reply': 'no',
      Company: 'yes',
      'Bounces and opt-outs': 'no',
      Owner: 'the first user of kim@example.com; of contacts (if-empty), activities',
      'The entry is also on': 'company',
      'Field region': 'unknown (fill)',
      'Last value replyCount': '1',
      'Call 1': 'POST /contacts',
    });
  });

  test('of a known contact say that it is matched, and leave out defaults', () => {
    expect(textOf(planRows(WRITE, 'known'))).toMatchObject({ Contact: 'matched', 'Field region': 'no value' });
  });

  test('of an event that nothing is written of say only that', () => {
    const rows = planRows({ ...WRITE, decision: 'nothing', outcome: null, calls: [] }, 'unknown');
    expect(textOf(rows)).toEqual({ Event: 'not written: a rule says that nothing of it is' });
  });

  test('name what an event changes besides', () => {
    const outcomes = {
      leadStatus: 'OPEN',
      lifecycleStage: null,
      campaigns: [{ id: '701', status: null }],
      lists: ['217'],
      deals: [{ pipeline: null, stage: 'new', name: '{person}' }],
      tasks: [{ subject: 'Call back', dueAfterMs: 14_400_000 }],
    };
    expect(textOf(planRows({ ...WRITE, plan: { ...WRITE.plan, outcomes } }, 'unknown'))).toMatchObject({
      'Lead status': 'OPEN',
      'Campaign 701': 'member',
      'List 217': 'added',
      'Deal in the first pipeline': 'new: {person}',
      'Task Call back': 'due after 4 h',
    });
  });
});

describe('two plans side by side', () => {
  test('equal plans differ nowhere', () => {
    const rows = planRows(WRITE, 'unknown');
    expect(comparePlans(rows, rows).filter(({ differs }) => differs)).toEqual([]);
  });

  test('rows that only one plan has stand at their place and differ, as does another body of a call', () => {
    const before = planRows(WRITE, 'unknown');
    const plan = { ...WRITE.plan, associations: { company: false, deal: false } };
    const calls = [{ method: 'POST', path: '/contacts', body: { a: 2 } }];
    const compared = comparePlans(before, planRows({ ...WRITE, plan, calls }, 'unknown'));
    expect(compared.map(({ name }) => name)).toEqual(before.map(({ name }) => name));
    expect(compared.filter(({ differs }) => differs).map(({ name }) => name)).toEqual([
      'The entry is also on',
      'Call 1',
    ]);
    expect(compared.find(({ name }) => name === 'The entry is also on')?.after).toBeNull();
  });
});
