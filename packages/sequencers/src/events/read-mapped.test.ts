/** What a mapping reads, and what becomes of the rest. */
import type { EventMapping } from '@svc/domain/mappings/event-mapping';
import { expect, test } from 'vitest';
import { countReads } from '../../test/any-body.ts';
import { normalize } from './index.ts';

const HASH = 'd'.repeat(64);
const mapping: EventMapping = {
  fields: {
    eventName: ['header:x-event', ['object', 'action']],
    eventKey: [['mail.id', 'at']],
    email: ['lead.email', 'people[role=lead].email'],
    profileUrl: 'lead["linked.in"]',
    fromEmail: ['mail.to', 'mail.from'],
    occurredAt: 'at',
    campaignName: '$.account.name',
    linkUrls: 'links[*].url',
  },
  eventTypes: { 'email.opened': 'EMAIL_OPEN', 'email replied': 'EMAIL_REPLY', 'email.rated': 'ignored' },
};
const read = (body: unknown, headers: Record<string, string> = {}, given = mapping) =>
  normalize({ platform: 'my-dialer', mapping: given }, { headers, body, bodyHash: HASH });

test('reads each field from its first place with a valid value', () => {
  const body = {
    object: 'email',
    action: 'opened',
    at: 1772359200,
    lead: { email: 'n/a', 'linked.in': 'https://www.linkedin.com/in/Kim/' },
    people: [
      { role: 'rep', email: 'rep@example.com' },
      { role: 'lead', email: 'Kim <KIM@example.org>' },
    ],
    mail: { id: 7, from: 'rep@example.com', to: 'kim@example.org' },
    account: { name: 'North' },
    links: [{ url: 'https://example.com/a' }, { url: 'javascript:0' }, { url: 'https://example.com/b' }],
  };
  expect(read(body)).toMatchObject({
    outcome: 'events',
    events: [
      {
        eventType: 'EMAIL_OPEN',
        toEmail: 'kim@example.org',
        occurredAt: new Date('2026-03-01T10:00:00.000Z'),
        contact: { profileUrl: 'https://www.linkedin.com/in/kim' },
        fromEmail: 'rep@example.com',
        campaign: { name: 'North' },
        linkUrls: ['https://example.com/a', 'https://example.com/b'],
      },
    ],
  });
  expect(read(body, { 'x-event': 'Email-Replied' })).toMatchObject({ events: [{ eventType: 'EMAIL_REPLY' }] });
});

test.each([
  ['an event name without a type', { object: 'email', action: 'forwarded' }, 'unparsed', 'EMAIL_FORWARDED'],
  ['an ignored event name', { object: 'email', action: 'rated' }, 'ignored', 'EMAIL_RATED'],
  ['no event name', { object: 'email' }, 'unparsed', 'no event name'],
  ['no lead', { object: 'email', action: 'opened' }, 'unparsed', 'EMAIL_OPENED without an email address'],
  ['an empty body', {}, 'ignored', 'empty body'],
])('%s', (_name, body, outcome, reason) => {
  expect(read(body)).toEqual({ outcome, reason: expect.stringContaining(reason) });
});

test('the adapter of a platform reads first, and the mapping what it leaves', () => {
  const reader = { platform: 'smartlead', mapping };
  const input = { headers: {}, bodyHash: HASH };
  const known = { event_type: 'EMAIL_OPEN', to_email: 'kim@example.org' };
  expect(normalize(reader, { ...input, body: known })).toEqual(
    normalize({ platform: 'smartlead', mapping: null }, { ...input, body: known }),
  );
  const other = { object: 'email', action: 'opened', lead: { email: 'kim@example.org' } };
  expect(normalize(reader, { ...input, body: other })).toMatchObject({ events: [{ eventType: 'EMAIL_OPEN' }] });
});

const plain: EventMapping = {
  fields: { eventName: 'event', email: 'data.to', fromEmail: 'data.from', bodyText: 'text' },
  eventTypes: { opened: 'EMAIL_OPEN', answered: 'EMAIL_REPLY' },
};
const mail = { from: 'frank@northwind.example.com', to: 'maren@fjordfreight.example.org' };

test('an event has the places of its name, then those of its type, then those of all events', () => {
  const when: EventMapping['when'] = {
    Answered: { email: 'data.from', fromEmail: 'data.to' },
    EMAIL_REPLY: { email: 'data.to', subject: 'data.subject' },
    opened: { bodyText: null },
  };
  const given = { ...plain, when };
  const answered = { event: 'answered', text: 'Hi', data: { from: mail.to, to: mail.from, subject: 'Re' } };
  expect(read(answered, {}, given)).toMatchObject({
    events: [{ toEmail: mail.to, fromEmail: mail.from, subject: 'Re', bodyText: 'Hi' }],
  });
  expect(read({ event: 'opened', text: 'Hi', data: mail }, {}, given)).toMatchObject({
    events: [{ toEmail: mail.to, fromEmail: mail.from, subject: null, bodyText: null }],
  });
});

test('the event name can be in the URL that was posted to', () => {
  const given = { ...plain, fields: { ...plain.fields, eventName: 'query:event' } };
  expect(read({ data: mail }, { '?event': 'opened' }, given)).toMatchObject({ events: [{ eventType: 'EMAIL_OPEN' }] });
  expect(read({ data: mail }, { event: 'opened' }, given).outcome).toBe('unparsed');
});

test.each<[string, EventMapping['dateOrder'], string | null]>([
  ['Sun, 1 Mar 2026 11:00:00 +0100 (CET)', undefined, '2026-03-01T10:00:00.000Z'],
  ['1 Mar 2026 10:00:00', undefined, '2026-03-01T10:00:00.000Z'],
  ['March 1, 2026 10:00 AM', undefined, '2026-03-01T10:00:00.000Z'],
  ['03/01/2026 10:00 PM', 'month-first', '2026-03-01T22:00:00.000Z'],
  ['3/1/2026', 'month-first', '2026-03-01T00:00:00.000Z'],
  ['01.03.2026 10:00:05', 'day-first', '2026-03-01T10:00:05.000Z'],
  ['01-03-2026, 12:00 AM -0500', 'day-first', '2026-03-01T05:00:00.000Z'],
  ['02/31/2026', 'month-first', null],
  ['13/01/2026', 'month-first', null],
  ['03/01/2026', undefined, null],
  ['yesterday', 'day-first', null],
])('the time %j with dateOrder %s is %s; one that is not understood is a notice', (at, dateOrder, expected) => {
  const given = { ...plain, fields: { ...plain.fields, occurredAt: 'at' }, ...(dateOrder && { dateOrder }) };
  const result = read({ event: 'opened', at, data: mail }, {}, given);
  if (result.outcome !== 'events') throw new Error(result.reason);
  expect(result.events[0]?.occurredAt?.toISOString() ?? null).toBe(expected);
  expect(result.notices).toEqual(
    expected === null ? [expect.stringMatching(/^The time at at was not understood.*dateOrder/)] : [],
  );
});

test.each<[string, string]>([
  ['leads[*].email', 'leads'],
  ['leads[0].email', 'leads'],
  ['$.leads[-1].email', '$.leads'],
])('a place such as %s that passes over other leads is a notice', (email, list) => {
  const leads = ['maren@fjordfreight.example.org', 'nils@birkenau.example.org'].map((address) => ({ email: address }));
  const given = { ...plain, fields: { ...plain.fields, email } };
  const result = read({ event: 'opened', leads }, {}, given);
  expect(result).toMatchObject({
    events: [{ eventType: 'EMAIL_OPEN' }],
    notices: [`Only 1 of 2 leads in ${list} was read: set items to "${list}", so that each of them is an event.`],
  });
  expect(read({ event: 'opened', leads: leads.slice(0, 1) }, {}, given)).toMatchObject({ notices: [] });
  const whole = { items: 'leads', ...plain, fields: { eventName: '$.event', email: 'email' } };
  expect(read({ event: 'opened', leads }, {}, whole)).toMatchObject({ events: [{}, {}], notices: [] });
});

test('several addresses of one lead are no notice', () => {
  const given = { ...plain, fields: { ...plain.fields, email: 'lead.emails[*]' } };
  const lead = { emails: ['maren@fjordfreight.example.org', 'holt@fjordfreight.example.org'] };
  expect(read({ event: 'opened', lead }, {}, given)).toMatchObject({ events: [{}], notices: [] });
});

test('elements of a list that are texts can be named, and those that are not read are a notice', () => {
  const given = { items: 'to', ...plain, fields: { eventName: '$.event', email: 'value' } };
  const result = read({ event: 'opened', to: ['maren@fjordfreight.example.org', 'nobody'] }, {}, given);
  expect(result).toMatchObject({
    events: [{ toEmail: 'maren@fjordfreight.example.org' }],
    notices: [expect.stringMatching(/^1 of 2 items were not read: OPENED without an email address/)],
  });
});

test('reads custom fields from objects, lists and single values, and tags, id and link of the lead', () => {
  const given: EventMapping = {
    ...mapping,
    fields: {
      ...mapping.fields,
      custom: ['lead.custom', 'lead.extra', 'lead.region', 'lead.fields[name=Tier].value', 'lead.none', '$.plan'],
      tags: ['lead.tags', 'lead.labels[*].name'],
      leadId: 'lead.id',
      leadUrl: ['lead.http', 'lead.link'],
    },
  };
  const lead = {
    ...{ email: 'kim@example.org', id: 7, http: 'http://example.com/7', link: 'https://example.com/leads/7' },
    custom: { Seats: 12, region: 'North', nested: { x: 1 } },
    extra: [{ name: 'Budget', value: '1,000' }, { name: 'Seats', value: 13 }, 'x'],
    region: 'South',
    fields: [{ name: 'Tier', value: 'A' }],
    tags: ['VIP', 'Q1'],
    labels: [{ name: 'Q2' }, { name: 'VIP' }],
  };
  expect(read({ object: 'email', action: 'opened', lead, plan: true }, {}, given)).toMatchObject({
    events: [
      {
        contact: {
          custom: { Seats: 12, region: 'North', Budget: '1,000', Tier: 'A', plan: true },
          tags: ['VIP', 'Q1', 'Q2'],
          leadId: '7',
          leadUrl: 'https://example.com/leads/7',
        },
      },
    ],
  });
  expect(read({ object: 'email', action: 'opened', lead: { email: 'kim@example.org' } })).toMatchObject({
    events: [{ contact: { custom: {}, tags: [], leadId: null, leadUrl: null } }],
  });
});

test('custom fields that all items of a body share are read once, and count as texts of its events', () => {
  const shared = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field ${index}`, 'x'.repeat(300)]));
  const rows = Array.from({ length: 1_000 }, (_, index) => ({
    id: index,
    event: 'email.opened',
    mail: 'kim@example.org',
  }));
  const given: EventMapping = {
    items: 'rows',
    fields: { eventName: 'event', eventKey: 'id', email: 'mail', custom: '$.shared' },
    eventTypes: mapping.eventTypes ?? {},
  };
  const reading = { reads: 0 };
  const body = countReads({ rows: rows.slice(0, 500), shared }, reading);
  expect(read(body, {}, given)).toMatchObject({ outcome: 'events', skipped: 0 });
  expect(reading.reads).toBeLessThan(30_000);
  expect(read({ rows, shared }, {}, given)).toEqual({
    outcome: 'unparsed',
    reason: 'more than 10000000 characters in the events of one body',
  });
});
