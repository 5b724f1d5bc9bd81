/** What a mapping reads, and what becomes of the rest. */
import type { EventMapping } from '@svc/domain/mappings/event-mapping';
import { expect, test } from 'vitest';
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
