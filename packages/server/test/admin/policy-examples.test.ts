/** The examples of docs/policy.md: each does what its heading says, as `sources policy try` shows it. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Administration, makePipeline, openAdministration } from '../support/admin-harness.ts';
import { LAST_VALUES } from '@svc/domain/policy/last-values';
import { anyBackend } from '@svc/engine/test/backends';

const read = (file: string) => readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8');
const section = read('docs/policy.md').split('\n## Examples\n')[1]?.split('\n## ')[0] ?? '';
const examples = new Map(
  [...section.matchAll(/^### (.*)\n\n```yaml\n([^]*?)```/gm)].map(([, title = '', text = '']) => [title, text]),
);

let admin: Administration;
let sourceId: number;
beforeAll(async () => {
  admin = await openAdministration(anyBackend);
  sourceId = (await makePipeline(admin, 'one@example.com')).source.id;
  await admin.run('sources/update', { id: sourceId, createOrUpdateTask: true });
});
afterAll(() => admin.close());

type Changes = Readonly<Record<string, unknown>>;

/** Returns what becomes of a payload under an example: the decision, the result for an unknown contact, targets and owner. */
async function attempt(example: string, payload: string, changes: Changes = {}, contact = 'unknown') {
  const policy: object = parse(examples.get(example) ?? '');
  const body = { ...JSON.parse(read(`fixtures/payloads/smartlead/${payload}.json`)), ...changes };
  const input = { id: sourceId, payload: JSON.stringify(body), policy, contact };
  const { writes } = (await admin.runUnchecked('sources/try-policy', input)) as Awaited<
    ReturnType<typeof admin.run<'sources/try-policy'>>
  >;
  const [write] = writes;
  if (write === undefined) throw new Error('The payload has no event.');
  const { decision, outcome, plan, fields, lastValues, calls } = write;
  const targets = Object.entries(plan.writes).flatMap(([target, isWritten]) => (isWritten ? [target] : []));
  const code = outcome?.status === 'warning' ? outcome.error.code : (outcome?.status ?? null);
  return {
    ...{ decision, code, targets, owner: plan.owner?.candidates[0] ?? null, callCount: calls.length, lastValues },
    ...{ outcomes: plan.outcomes, associations: plan.associations },
    fields: Object.fromEntries(fields.map(({ property, value, valueOfNew }) => [property, value ?? valueOfNew])),
  };
}

const WHOLE_REPLY = ['timeline', 'fields', 'task'];

describe('An agency that writes replies only', () => {
  const example = 'An agency that writes replies only';
  test('a reply is written, and creates the contact', async () => {
    expect(await attempt(example, 'email-reply')).toMatchObject({
      decision: 'written',
      code: 'success',
      targets: WHOLE_REPLY,
    });
  });
  test.each(['email-sent', 'email-open', 'email-bounce', 'lead-category-updated'])('%s: no call', async (payload) => {
    expect(await attempt(example, payload)).toMatchObject({ decision: 'nothing', callCount: 0 });
  });
});

describe('A team that updates only', () => {
  const example = 'A team that updates only';
  test('an unknown contact is not created', async () => {
    expect(await attempt(example, 'email-reply')).toMatchObject({ decision: 'written', code: 'no_matching_contact' });
  });
  test('a known contact is updated', async () => {
    expect(await attempt(example, 'email-reply', {}, 'known')).toMatchObject({ code: 'success', targets: WHOLE_REPLY });
  });
  test('opens are not written', async () => {
    expect(await attempt(example, 'email-open', {}, 'known')).toMatchObject({ decision: 'nothing' });
  });
});

describe('Owners by mailbox', () => {
  test.each([
    ['kim@acme-mail.example', 'kim@acme.example'],
    ['any@acme-outreach.example', 'lea@acme.example'],
    ['jo@acme.example', 'jo@acme.example'],
  ])('%s: %s', async (from_email, owner) => {
    expect(await attempt('Owners by mailbox', 'email-sent', { from_email })).toMatchObject({ code: 'success', owner });
  });
});

describe('Nothing before somebody is interested', () => {
  const example = 'Nothing before somebody is interested';
  test('events wait', async () => {
    expect(await attempt(example, 'email-sent')).toMatchObject({ decision: 'held' });
    expect(await attempt(example, 'email-reply')).toMatchObject({ decision: 'held' });
  });
  test('the category is written', async () => {
    const lead_category = { new_name: 'Interested' };
    expect(await attempt(example, 'lead-category-updated', { lead_category })).toMatchObject({ decision: 'written' });
  });
});

describe('One noisy campaign', () => {
  const example = 'One noisy campaign';
  const campaign_name = 'Newsletter May';
  test('its mails are not written, its replies fill the contact, other campaigns are written whole', async () => {
    expect(await attempt(example, 'email-sent', { campaign_name })).toMatchObject({ decision: 'nothing' });
    expect(await attempt(example, 'email-reply', { campaign_name })).toMatchObject({ targets: ['fields'] });
    expect(await attempt(example, 'email-sent')).toMatchObject({ targets: ['timeline', 'fields'] });
  });
});

describe('Status by category', () => {
  const example = 'Status by category';
  const categorized = (new_name: string) => attempt(example, 'lead-category-updated', { lead_category: { new_name } });
  test('the category decides; other events change nothing', async () => {
    expect(await categorized('Interested')).toMatchObject({
      outcomes: {
        leadStatus: 'CONNECTED',
        deals: [{ stage: 'appointmentscheduled', name: '{person} ({campaign})' }],
        tasks: [{ subject: 'Call back', dueAfterMs: 4 * 3_600_000 }],
      },
    });
    expect(await categorized('Not interested')).toMatchObject({ outcomes: { leadStatus: 'UNQUALIFIED', deals: [] } });
    expect(await attempt(example, 'email-bounce')).toMatchObject({ outcomes: { leadStatus: 'BAD_TIMING' } });
    expect(await attempt(example, 'email-sent')).toMatchObject({ code: 'success', outcomes: null });
  });
});

describe('Custom fields', () => {
  const lead = { score: 7 };
  const lead_data = { custom_fields: { Region: 'DACH' } };
  test('of lead, payload and event are written, with what happened last', async () => {
    const campaign_name = 'Spring';
    const written = await attempt('Custom fields', 'email-reply', { lead, lead_data, campaign_name });
    expect(written).toMatchObject({
      code: 'success',
      fields: { region: 'DACH', score: 7, last_campaign: 'Spring', origin: 'Outbound' },
      lastValues: { replyCount: 1 },
    });
    expect(written.lastValues).not.toHaveProperty('openCount');
  });
  test('a new contact gets the default of what the event does not have', async () => {
    expect(await attempt('Custom fields', 'email-sent')).toMatchObject({ fields: { region: 'unknown', score: null } });
  });
});

describe('Everything', () => {
  test('an open is not written, a mail waits, a reply is written without creating a contact', async () => {
    expect(await attempt('Everything', 'email-open')).toMatchObject({ decision: 'nothing' });
    expect(await attempt('Everything', 'email-sent')).toMatchObject({ decision: 'held' });
    expect(await attempt('Everything', 'email-reply', { campaign_name: 'DACH spring' })).toMatchObject({
      ...{ decision: 'written', code: 'no_matching_contact', owner: 'lea@acme.example' },
    });
  });
  test('the title of the lead is written, also where it is a custom field of the sequencer', async () => {
    const lead_data = { custom_fields: { title: 'CTO' } };
    expect(await attempt('Everything', 'email-reply', { lead_data })).toMatchObject({ fields: { jobtitle: 'CTO' } });
  });
  test('an interested lead gets status, stage, deal and task', async () => {
    const lead_category = { new_name: 'Interested' };
    expect(await attempt('Everything', 'lead-category-updated', { lead_category })).toMatchObject({
      decision: 'written',
      outcomes: { leadStatus: 'CONNECTED', lifecycleStage: 'opportunity', deals: [{}], tasks: [{}] },
      associations: { company: true, deal: true },
      lastValues: { lastCategory: 'Interested' },
    });
  });
});

test('every example has its test', () => {
  expect([...examples.keys()]).toEqual([
    'An agency that writes replies only',
    'A team that updates only',
    'Owners by mailbox',
    'Nothing before somebody is interested',
    'One noisy campaign',
    'Status by category',
    'Custom fields',
    'Everything',
  ]);
});

test('the table of last values is complete', () => {
  const rows = [...read('docs/policy.md').matchAll(/^\| `(\w+)` \| ([A-Z][^|]*) \|/gm)].map(([, name, label]) => [
    name,
    label,
  ]);
  expect(rows).toEqual(Object.entries(LAST_VALUES).map(([name, { label }]) => [name, label]));
});
