/** What is proposed for payloads as vendors publish them. */
import { eventMappingSchema } from '@svc/domain/mappings/event-mapping';
import { expect, test } from 'vitest';
import { hashBody, type InboundEvent, normalize, type NormalizeInput } from '../src/events/index.ts';
import { proposeMapping } from '../src/mapping-tools/index.ts';
import { PUBLISHED_PLATFORMS, type PublishedPlatform } from './published-payloads.ts';

const samplesOf = ({ samples }: PublishedPlatform): NormalizeInput[] =>
  samples.map(({ body, headers = {} }) => toInput(body, headers));

function toInput(body: unknown, headers: NormalizeInput['headers']): NormalizeInput {
  const text = JSON.stringify(body);
  return { body: JSON.parse(text), headers, bodyHash: hashBody(new TextEncoder().encode(text)) };
}

function eventsOf(platform: PublishedPlatform, inputs: readonly NormalizeInput[]): InboundEvent[] {
  const mapping = eventMappingSchema.parse(proposeMapping(samplesOf(platform)).mapping);
  return inputs.flatMap((input) => {
    const result = normalize({ platform: platform.platform, mapping }, input);
    return result.outcome === 'events' ? result.events : [];
  });
}

/** The next event of the same lead: every id is the same, every time is an hour later. */
function anHourLater(value: unknown): unknown {
  if (typeof value === 'number' && value > 1_700_000_000_000 && value < 1_900_000_000_000) return value + 3_600_000;
  if (typeof value === 'string' && /^2026-\d\d-\d\dT/.test(value))
    return new Date(Date.parse(value) + 3_600_000).toISOString();
  if (Array.isArray(value)) return value.map(anHourLater);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, anHourLater(inner)]));
}

const platformNamed = (name: string) => {
  const platform = PUBLISHED_PLATFORMS.find((each) => each.platform === name);
  if (platform === undefined) throw new Error(`There is no ${name}.`);
  return platform;
};

const READABLE = PUBLISHED_PLATFORMS.filter(({ platform }) => platform !== 'kakiyo');

test.each(READABLE)('$platform: the next event of a lead is no repeat of the first', (platform) => {
  // An id of the event differs in a real post, so a platform that has one is not asked.
  const key = proposeMapping(samplesOf(platform)).mapping.fields.eventKey;
  if (key === 'event.id') return;
  const [sample] = samplesOf(platform);
  const next = toInput(anHourLater(sample?.body), sample?.headers ?? {});
  const keys = eventsOf(platform, [...samplesOf(platform), next]).map(({ eventKey }) => eventKey);
  expect(keys.length).toBeGreaterThan(platform.samples.length);
  expect(new Set(keys).size).toBe(keys.length);
});

test.each([
  ['pipl', undefined],
  ['zoho-campaigns', undefined],
  ['salesforge', [['sequenceEmail.emailId', 'webhookInfo.eventTime']]],
  ['kakiyo', undefined],
  ['replyify', undefined],
  ['close', 'event.id'],
  ['woodpecker', undefined],
  ['reachinbox', [['message_id', 'timestamp']]],
])('%s: the proposed key is %j', (name, expected) => {
  const { eventKey } = proposeMapping(samplesOf(platformNamed(name))).mapping.fields;
  expect(eventKey).toEqual(expected);
});

test('short and abbreviated keys are found, and the title of a flow is no job title', () => {
  const sample = (kind: string, sent: string) => ({
    kind,
    sent,
    person: { address: 'maren.holt@fjordfreight.example.org' },
    sender_account: 'frank@northwind.example.com',
    mail: { msgid: '<m1@mail.example.com>', preview: 'Hi' },
    flow: { title: 'Freight in Norway', colour: 'blue' },
    step_no: 2,
  });
  const { mapping, places, unused } = proposeMapping([
    toInput(sample('opened', '2026-03-01T10:00:00Z'), {}),
    toInput(sample('opened', '2026-03-01T11:00:00Z'), {}),
  ]);
  expect(mapping.fields).toEqual({
    eventName: 'kind',
    eventKey: [['mail.msgid', 'sent']],
    occurredAt: 'sent',
    email: 'person.address',
    fromEmail: 'sender_account',
    campaignName: 'flow.title',
    sequenceNumber: 'step_no',
    messageId: 'mail.msgid',
  });
  expect(unused).toEqual([
    { path: 'mail.preview', count: 2 },
    { path: 'flow.colour', count: 2 },
  ]);
  expect(places.find(({ field }) => field === 'email')).toMatchObject({ count: 2, sureness: 'sure' });
});

test('an id that nothing proves is named in a warning, and is no key', () => {
  const sample = (id: number, email: string) => toInput({ event: 'opened', id, email }, {});
  const apart = proposeMapping([sample(1, 'maren.holt@fjordfreight.example.org'), sample(2, 'lou@example.org')]);
  expect(apart.mapping.fields.eventKey).toBeUndefined();
  expect(apart.warnings).toEqual([expect.stringContaining('whether id is the event')]);
  const together = proposeMapping([sample(1, 'lou@example.org'), sample(2, 'lou@example.org')]);
  expect(together).toMatchObject({ mapping: { fields: { eventKey: 'id' } }, warnings: [] });
});

const LEAD = 'maren.holt@fjordfreight.example.org';
const REP = 'frank@northwind.example.com';

test.each(READABLE)('$platform: the lead of every event is the lead, and never the rep', (platform) => {
  for (const event of eventsOf(platform, samplesOf(platform))) {
    expect([LEAD, 'nils@birkenau.example.org']).toContain(event.toEmail);
    expect([REP, null]).toContain(event.fromEmail);
  }
});

test('close: the sender of a reply is the lead, and a warning says what was guessed', () => {
  const { mapping, warnings } = proposeMapping(samplesOf(platformNamed('close')));
  expect(mapping.when).toEqual({
    'activity.email incoming': { email: 'event.data.sender', fromEmail: 'event.data.to[*]' },
  });
  expect(mapping.eventTypes).toEqual({
    'activity.email incoming': 'EMAIL_REPLY',
    'activity.email outgoing': 'EMAIL_SENT',
  });
  expect(warnings).toEqual([expect.stringContaining('and of activity.email incoming its sender')]);
});

test('both ends keep their places where the platform says so by the name of the lead', () => {
  const reply = { event: 'email_replied', from_email: REP, to_email: LEAD, to_name: 'Maren Holt', at: '2026-03-01' };
  const sent = { ...reply, event: 'email_sent' };
  for (const samples of [[reply], [reply, sent]]) {
    const { mapping } = proposeMapping(samples.map((body) => toInput(body, {})));
    expect(mapping.fields).toMatchObject({ email: 'to_email', fromEmail: 'from_email' });
    expect(mapping.when).toBeUndefined();
  }
});

test('samples without a reply are a warning, because both ends may change places on one', () => {
  const { warnings } = proposeMapping([toInput({ event: 'email_sent', from: REP, to: LEAD }, {})]);
  expect(warnings.join(' ')).toContain('No reply is among the payloads');
});

test('a lead with the domain of the sending mailbox in all samples is a warning', () => {
  const sample = { event: 'email_sent', lead: { email: 'kim@northwind.example.com' }, mailbox: REP };
  expect(proposeMapping([toInput(sample, {})]).warnings).toEqual([
    expect.stringContaining('the lead has the domain of the sending mailbox'),
  ]);
});

test('every element of a list of leads becomes an event, also beside bodies with one lead', () => {
  const list = {
    event: 'email_opened',
    campaign: { name: 'Freight' },
    leads: [{ email: LEAD }, { email: 'lou@example.org' }],
  };
  const one = { event: 'email_opened', campaign: { name: 'Freight' }, lead: { email: LEAD } };
  const read = (...bodies: object[]) => {
    const platform = { platform: 'lists', source: 'invented', samples: bodies.map((body) => ({ body })) };
    return eventsOf(platform, samplesOf(platform)).map(({ toEmail, campaign }) => [toEmail, campaign.name]);
  };
  const both = [
    [LEAD, 'Freight'],
    ['lou@example.org', 'Freight'],
  ];
  expect(read(list)).toEqual(both);
  expect(read(list, one)).toEqual([...both, [LEAD, 'Freight']]);
  expect(read({ ...list, leads: [LEAD, 'lou@example.org'] })).toEqual(both);
});

test('the order of day and month is proposed, and is a warning unless a day after the twelfth tells', () => {
  const propose = (...dates: string[]) =>
    proposeMapping(dates.map((date) => toInput({ event: 'email_opened', email: LEAD, date }, {})));
  expect(propose('13.01.2026 10:00')).toMatchObject({ mapping: { dateOrder: 'day-first' }, warnings: [] });
  expect(propose('03/01/2026 10:00 AM')).toMatchObject({
    mapping: { dateOrder: 'month-first', fields: { occurredAt: 'date' } },
    warnings: [expect.stringContaining('month-first is a guess')],
  });
});

test('an event name in the URL, and a text that only replies have, are proposed', () => {
  const body = { email: LEAD, sent_text: 'Hello', reply_text: 'Hi' };
  const { mapping } = proposeMapping([
    toInput(body, { '?event': 'email_replied' }),
    toInput(body, { '?event': 'email_sent' }),
  ]);
  expect(mapping).toMatchObject({
    fields: { eventName: 'query:event', bodyText: 'sent_text' },
    when: { EMAIL_REPLY: { bodyText: 'reply_text' } },
  });
});
