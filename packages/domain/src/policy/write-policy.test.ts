import { SOURCE_CONFIG_DEFAULTS } from '@svc/contract/schemas';
import { describe, expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import { dealNameOf } from './outcomes.ts';
import { type DescribedEvent, type FieldRule, type FieldValue, planFields } from './planned-fields.ts';
import { dropsAt, type HeldEvent, leadOf, releasesLead } from './hold.ts';
import {
  type EventCategory,
  matchesPattern,
  mergePolicies,
  type PlannedEvent,
  planWrite,
  type SourceSwitches,
  unmappedMailbox,
} from './plan-write.ts';
import { type HoldRule, policyJsonSchema, type WritePolicy, writePolicySchema } from './write-policy.ts';

interface PlanInput {
  switches?: Partial<SourceSwitches>;
  policy?: unknown;
  event?: Partial<PlannedEvent>;
  latestCategory?: EventCategory;
}

interface FieldsInput {
  rules: FieldRule[];
  event?: Partial<DescribedEvent>;
  custom?: Record<string, FieldValue>;
  tags?: string[];
  payload?: Record<string, FieldValue>;
}

interface DealNameInput {
  name: string;
  contact?: Partial<DescribedEvent['contact']>;
  campaign?: string | null;
}

const SWITCHES: SourceSwitches = { ...SOURCE_CONFIG_DEFAULTS, writeStateFields: false };
const EVENT: HeldEvent = {
  eventType: 'EMAIL_OPEN',
  toEmail: 'kim@example.org',
  fromEmail: 'rep@acme.example',
  campaign: { id: null, name: null },
  category: null,
  sequenceNumber: null,
};

const DESCRIBED: DescribedEvent = {
  ...EVENT,
  occurredAt: null,
  subject: null,
  contact: {
    email: 'kim@example.org',
    profileUrl: null,
    firstName: 'Kim',
    lastName: 'Berg',
    companyName: 'Fjord',
    companyDomain: null,
    jobTitle: null,
    phone: null,
    leadId: null,
    leadUrl: null,
    tags: [],
    custom: {},
  },
};

const parse = (policy: unknown): WritePolicy => writePolicySchema.parse(policy);
const parseHold = (holdUntil: unknown): HoldRule => {
  const { holdUntil: parsed } = parse({ holdUntil });
  if (!parsed) throw new Error('The case has no rule.');
  return parsed;
};
const plan = ({ switches, policy = {}, event, latestCategory }: PlanInput) =>
  planWrite({ ...SWITCHES, ...switches }, parse(policy), { ...EVENT, ...event }, latestCategory);

testRuleCases('write-policy', ({ rule }) => {
  rule<PlanInput>('writes', (input) => plan(input).writes);
  rule<PlanInput>('mayCreate', (input) => plan(input).mayCreate);
  rule<PlanInput>('owner', (input) => plan(input).owner);
  rule<PlanInput>('outcomes', (input) => plan(input).outcomes);
  rule<PlanInput>('lastValues', (input) => plan(input).lastValues);
  rule<PlanInput>('associations', (input) => plan(input).associations);
  rule<FieldsInput>('fields', ({ rules, event, custom = {}, tags = [], payload = {} }) =>
    planFields(
      parse({ fields: rules }).fields ?? [],
      { ...DESCRIBED, ...event, contact: { ...DESCRIBED.contact, custom, tags } },
      { sequencer: 'smartlead', readPayload: (path) => payload[path] ?? null },
    ),
  );
  rule<DealNameInput>('dealNameOf', ({ name, contact, campaign = 'Spring' }) =>
    dealNameOf(
      { pipeline: null, stage: 'new', name },
      { ...DESCRIBED, campaign: { id: null, name: campaign }, contact: { ...DESCRIBED.contact, ...contact } },
    ),
  );
  rule<PlanInput>('unmappedMailbox', ({ switches, policy = {}, event }) =>
    unmappedMailbox({ ...SWITCHES, ...switches }, parse(policy), { ...EVENT, ...event }),
  );
  rule<{ pattern: string; value: string | null }>('matchesPattern', ({ pattern, value }) =>
    matchesPattern(pattern, value),
  );
  rule<{ source: unknown; connection: unknown }>('mergePolicies', ({ source, connection }) =>
    mergePolicies(source === null ? null : parse(source), connection === null ? null : parse(connection)),
  );
  rule<{ hold: unknown; event: Partial<HeldEvent> }>('releasesLead', ({ hold, event }) =>
    releasesLead(parseHold(hold), { ...EVENT, ...event }),
  );
  rule<Partial<HeldEvent>>('leadOf', (event) => leadOf({ ...EVENT, ...event }));
  rule<{ hold: unknown; heldAt: string }>('dropsAt', ({ hold, heldAt }) =>
    dropsAt(parseHold(hold), new Date(heldAt)).toISOString(),
  );
});

test('company and state fields are fields: a rule without fields writes neither', () => {
  const switches = { createOrUpdateCompany: true, writeStateFields: true };
  const policy = { events: [{ write: ['timeline'] }] };
  expect(plan({ switches })).toMatchObject({ company: true, stateFields: true });
  expect(plan({ switches, policy })).toMatchObject({ company: false, stateFields: false });
});

describe('a policy that is refused', () => {
  test.each([
    ['another key', { crate: 'never' }, 'crate'],
    ['another word', { create: 'sometimes' }, 'always, on-reply, never, or {onCategory: [...]}'],
    ['no category', { create: { onCategory: [] } }, 'must have at least one entry'],
    ['another target', { events: [{ write: ['notes'] }] }, 'timeline'],
    [
      'an event type in small letters',
      { events: [{ when: { types: ['email_open'] }, write: [] }] },
      'event type such as',
    ],
    ['a hold that nothing ends', { holdUntil: {} }, 'must have reply: true, categories, or both'],
    ['a hold of no time', { holdUntil: { reply: true, dropAfter: '0s' } }, 'a duration such as 30d'],
    ['a hold of ten years', { holdUntil: { reply: true, dropAfter: '3650d' } }, 'at most 365d'],
    [
      'an owner by two',
      { owner: { map: [{ mailbox: 'a@b.example', domain: 'b.example', user: '1' }] } },
      'exactly one',
    ],
    [
      'a property twice',
      {
        fields: [
          { to: 'a', value: 1 },
          { to: 'A', value: 2 },
        ],
      },
      'must not name a property twice',
    ],
    ['a field from nothing', { fields: [{ to: 'a' }] }, 'either from or value'],
    ['a field from two', { fields: [{ to: 'a', from: 'email', value: 'x' }] }, 'either from or value'],
    ['another field of the event', { fields: [{ to: 'a', from: 'e-mail' }] }, 'custom.NAME, payload:PATH, or one of'],
    ['a path that is none', { fields: [{ to: 'a', from: 'payload:lead[' }] }, '['],
    ['another last value', { lastValues: ['lastSeenAt'] }, 'true, false, or a list of names'],
    ['an outcome without a result', { outcomes: [{ when: {} }] }, 'at least one result'],
    ['an outcome without conditions', { outcomes: [{ list: '1' }] }, 'when'],
  ])('%s', (_name, policy, message) => {
    const { error } = writePolicySchema.safeParse(policy);
    expect(JSON.stringify(error?.issues)).toContain(message);
  });
});

test('the JSON Schema says what each part is', () => {
  expect(policyJsonSchema()).toMatchObject({
    title: 'Write policy',
    type: 'object',
    additionalProperties: false,
    properties: { create: {}, events: {}, holdUntil: {}, owner: {}, fields: {}, lastValues: {}, outcomes: {} },
  });
});
