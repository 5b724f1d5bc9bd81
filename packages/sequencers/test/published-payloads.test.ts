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
  const platform = PUBLISHED_PLATFORMS.find((each) => each.platform === name);
  if (platform === undefined) throw new Error(`There is no ${name}.`);
  const { eventKey } = proposeMapping(samplesOf(platform)).mapping.fields;
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
