/** The dry run of a connector, for each CRM: the calls that are shown are those that the connector makes. */
import { SOURCE_CONFIG_DEFAULTS } from '@svc/contract/schemas';
import { planWrite } from '@svc/domain/policy/plan-write';
import { writePolicySchema } from '@svc/domain/policy/write-policy';
import { BLANK_CONTACT, type InboundEvent } from '@svc/sequencers';
import type { CrmWrite } from '@svc/crm';
import { describe, expect, test } from 'vitest';
import { dryRun } from './dry-run.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const reply: InboundEvent = {
  eventKey: 'k1',
  eventType: 'EMAIL_REPLY',
  toEmail: 'kim@fjord.example.org',
  occurredAt: NOW,
  contact: { ...BLANK_CONTACT, email: 'kim@fjord.example.org', firstName: 'Kim', lastName: 'Berg' },
  fromEmail: 'rep@acme.example',
  replySender: null,
  campaign: { id: '7', name: 'Spring' },
  subject: 'Re: Routes',
  bodyHtml: null,
  bodyText: 'Call me.',
  messageId: null,
  answeredMessageId: null,
  category: null,
  linkUrls: [],
  sequenceNumber: 1,
};

function write(policy: object = {}, event: InboundEvent = reply): CrmWrite {
  const switches = { ...SOURCE_CONFIG_DEFAULTS, writeStateFields: false };
  const plan = planWrite(switches, writePolicySchema.parse(policy), event);
  return {
    plan,
    event,
    idempotencyKey: event.eventKey,
    receivedAt: NOW,
    fields: [],
    lastValues: null,
    isRepeated: false,
  };
}

async function callsOf(crm: string, areContactsKnown: boolean, ...events: CrmWrite[]) {
  const runs = (await dryRun(events, { crm, areContactsKnown, now: () => NOW })) ?? [];
  expect(runs.map(({ outcome }) => outcome.status)).toEqual(events.map(() => 'success'));
  return runs.map(({ calls }) => calls.map(({ method, path }) => `${method} ${path}`));
}

describe('an event of an unknown contact, and the next one', () => {
  test('HubSpot', async () => {
    expect(await callsOf('HUBSPOT', false, write(), write({}, { ...reply, eventKey: 'k2' }))).toEqual([
      [
        'POST /crm/objects/2026-09/contacts/batch/read',
        'POST /crm/objects/2026-09/contacts/batch/upsert',
        'POST /crm/objects/2026-09/emails/batch/upsert',
        'POST /crm/associations/2026-09/emails/contacts/batch/associate/default',
      ],
      [
        'POST /crm/objects/2026-09/emails/batch/upsert',
        'POST /crm/associations/2026-09/emails/contacts/batch/associate/default',
      ],
    ]);
  });

  test('Salesforce', async () => {
    const [first = [], second = []] = await callsOf(
      'SALESFORCE',
      false,
      write(),
      write({}, { ...reply, eventKey: 'k2' }),
    );
    expect(first.length).toBeGreaterThan(second.length);
    expect(second).toEqual(['POST /services/data/v66.0/composite/sobjects']);
  });

  test('Pipedrive', async () => {
    const [first = [], second = []] = await callsOf(
      'PIPEDRIVE',
      false,
      write(),
      write({}, { ...reply, eventKey: 'k2' }),
    );
    expect(first.at(-2)).toBe('POST /api/v2/persons');
    expect(second).toHaveLength(1);
  });
});

test.each(['HUBSPOT', 'SALESFORCE', 'PIPEDRIVE'])('%s: a known contact is not created', async (crm) => {
  const [calls = []] = await callsOf(crm, true, write());
  expect(calls.length).toBeLessThanOrEqual(2);
});

test('the calls have what would be sent', async () => {
  const [run] = (await dryRun([write()], { crm: 'HUBSPOT', areContactsKnown: true, now: () => NOW })) ?? [];
  expect(JSON.stringify(run?.calls)).toContain('Re: Routes');
});

test('HubSpot: the statuses, stages, lists and pipelines that outcomes name are there', async () => {
  const deals = [{ pipeline: 'Enterprise', stage: 'Demo' }, { stage: 'First call' }];
  const outcomes = [
    {
      when: {},
      leadStatus: 'Warm',
      lifecycleStage: 'Champion',
      list: '123',
      deal: deals[0],
      task: { subject: 'Call' },
    },
    { when: {}, deal: deals[1] },
  ];
  const [calls = []] = await callsOf('HUBSPOT', true, write({ outcomes }));
  expect(calls).toContain('PUT /crm/lists/2026-09/123/memberships/add');
  expect(calls).toContain('POST /crm/objects/2026-09/deals/batch/upsert');
  expect(calls).toContain('POST /crm/objects/2026-09/tasks/batch/upsert');
});

test('a CRM that this release does not write to has no dry run', async () => {
  expect(await dryRun([write()], { crm: 'ATTIO', areContactsKnown: true, now: () => NOW })).toBeNull();
});

describe('properties that a policy names, and last values', () => {
  test.each([
    ['HUBSPOT', 'region', 'svc_reply_count'],
    ['SALESFORCE', 'Region__c', 'Svc_Reply_Count__c'],
    ['PIPEDRIVE', 'Region', null],
  ])('are there in the simulated %s', async (crm, property, lastValue) => {
    const event: CrmWrite = {
      ...write(),
      fields: [{ property, write: 'fill', value: 'DACH', valueOfNew: 'DACH' }],
      lastValues: { replyCount: 1 },
    };
    const runs = (await dryRun([event], { crm, areContactsKnown: false, now: () => NOW })) ?? [];
    expect(runs.map(({ outcome }) => outcome.status)).toEqual(['success']);
    const sent = JSON.stringify(runs[0]?.calls);
    expect(sent).toContain('DACH');
    if (lastValue !== null) expect(sent).toContain(lastValue);
  });
});
