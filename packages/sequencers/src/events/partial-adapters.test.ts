/** Platforms that document only a part of their payloads: by their keys, which posts are one event, and which are two. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type InboundEvent, normalize } from './index.ts';

type Body = Record<string, unknown>;

function payload(file: string): Body {
  return JSON.parse(readFileSync(new URL(`../../../../fixtures/payloads/${file}`, import.meta.url), 'utf8'));
}

function eventOf(platform: string, body: Body, { headers = {}, bodyHash = 'hash-of-the-body' } = {}): InboundEvent {
  const result = normalize({ platform, mapping: null }, { headers, body, bodyHash });
  if (result.outcome !== 'events') throw new Error(result.reason);
  const [event] = result.events;
  if (event === undefined) throw new Error('no event');
  return event;
}

describe('heyreach', () => {
  const reply = payload('heyreach/every-message-reply-received.json');
  const keyOf = (body: Body, bodyHash?: string) => eventOf('heyreach', body, bodyHash ? { bodyHash } : {}).eventKey;

  test('one reply that two hooks report is one event', () => {
    const first = payload('heyreach/odd.same-reply-of-another-hook.json');
    expect(keyOf(first)).toBe(keyOf(reply));
    const withAddress = { ...reply, lead: { ...(reply['lead'] as Body), email_address: 'ines@example.org' } };
    expect(keyOf(withAddress)).toBe(keyOf(reply));
  });

  test('a second reply, an InMail and a reply to another sender are other events', () => {
    const messages = reply['recent_messages'] as Body[];
    const second = { message: 'Hello?', is_reply: true, creation_time: '2026-02-09T10:12:31.000Z' };
    const keys = [
      reply,
      { ...reply, recent_messages: [...messages, second] },
      { ...reply, is_inmail: true },
      { ...reply, sender: { id: 42 } },
    ].map((body) => keyOf(body));
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('an event without a time is identified by the correlation id, without both by the body', () => {
    const liked = payload('heyreach/odd.no-time.json');
    expect(keyOf(liked, 'one')).toBe(keyOf(liked, 'other'));
    expect(keyOf({ ...liked, correlation_id: 'another' })).not.toBe(keyOf(liked));
    const { correlation_id: _id, ...anonymous } = liked;
    expect(keyOf(anonymous, 'one')).toBe('one');
  });

  test('events of a lead that share a correlation id are not taken for one', () => {
    const sent = payload('heyreach/message-sent.json');
    expect(keyOf({ ...sent, timestamp: '2026-02-09T08:00:01.000Z' })).not.toBe(keyOf(sent));
    expect(keyOf({ ...sent, event_type: 'inmail_sent' })).not.toBe(keyOf(sent));
  });
});

describe('reply-io', () => {
  const opened = payload('reply-io/email-opened.json');
  const keyOf = (body: Body, bodyHash: string) => eventOf('reply-io', body, { bodyHash }).eventKey;

  test('a repeated delivery has the same event.id and is one event', () => {
    expect(keyOf({ ...opened, extra: 1 }, 'one')).toBe(keyOf(opened, 'other'));
    const another = { ...opened, event: { ...(opened['event'] as Body), id: 'another' } };
    expect(keyOf(another, 'one')).not.toBe(keyOf(opened, 'one'));
  });

  test('without event.id the body identifies the event', () => {
    expect(keyOf(payload('reply-io/odd.no-id.json'), 'one')).toBe('one');
  });

  test('an automatic reply is a category', () => {
    expect(eventOf('reply-io', payload('reply-io/email-auto-reply.json'))).toMatchObject({
      eventType: 'LEAD_CATEGORY_UPDATED',
      category: { name: 'Auto reply' },
    });
  });
});

describe('salesloft', () => {
  const person = payload('salesloft/person-updated.json');
  const headers = { 'x-salesloft-event': 'person_updated' };
  const keyOf = (body: Body, bodyHash: string) => eventOf('salesloft', body, { headers, bodyHash }).eventKey;

  test('a repeat is one event, a later change another', () => {
    expect(keyOf(person, 'one')).toBe(keyOf({ ...person, counts: {} }, 'other'));
    expect(keyOf({ ...person, updated_at: '2026-02-05T11:21:00.000000-05:00' }, 'one')).not.toBe(keyOf(person, 'one'));
    expect(keyOf({ ...person, updated_at: null, created_at: null }, 'one')).toBe('one');
  });
});

describe('outreach', () => {
  test('records of one job are several events, and without a job the body identifies the event', () => {
    const created = payload('outreach/prospect-created.json');
    const keyOf = (body: Body, bodyHash: string) => eventOf('outreach', body, { bodyHash }).eventKey;
    expect(keyOf({ ...created, beforeUpdate: {} }, 'one')).toBe(keyOf(created, 'other'));
    expect(keyOf({ ...created, data: { ...(created['data'] as Body), id: 457 } }, 'one')).not.toBe(
      keyOf(created, 'one'),
    );
    expect(keyOf(payload('outreach/odd.no-job-id.json'), 'one')).toBe('one');
  });
});

describe('a booked meeting means the same on every platform: the category "Meeting booked"', () => {
  const lead = 'kim@example.org';
  const meeting = { id: 9, title: 'Demo', recipient_email: lead, created_at: '2026-03-01T10:00:00Z' };
  test.each<[string, Body, Record<string, string>]>([
    ['instantly', { event_type: 'lead_meeting_booked', lead_email: lead }, {}],
    ['lemlist', { type: 'meetingBooked', email: lead }, {}],
    ['reply-io', { event: { id: 'e1', type: 'meeting_booked' }, contact_fields: { email: lead } }, {}],
    ['heyreach', { event_type: 'meeting_booked', lead: { email_address: lead } }, {}],
    ['salesloft', meeting, { 'x-salesloft-event': 'meeting_booked' }],
    [
      'smartlead',
      { event_type: 'LEAD_CATEGORY_UPDATED', to_email: lead, lead_category: { new_name: 'Meeting booked' } },
      {},
    ],
  ])('%s', (platform, body, headers) => {
    expect(eventOf(platform, body, { headers })).toMatchObject({
      eventType: 'LEAD_CATEGORY_UPDATED',
      toEmail: lead,
      category: { name: 'Meeting booked' },
    });
  });
});

describe('heyreach: tags that it sets itself', () => {
  const PROFILE = 'https://www.linkedin.com/in/ines-moreira';
  const flat = {
    eventType: 'LEAD_AUTO_TAGGED_POSITIVE',
    campaignId: 12,
    campaignName: 'Founders',
    leadProfileUrl: PROFILE,
    leadFirstName: 'Ines',
  };
  const nested = {
    eventType: 'LEAD_AUTO_TAGGED_NOT_INTERESTED',
    leadProfile: { linkedInUrl: PROFILE, emailAddress: 'ines@example.org' },
  };

  test('are categories, in a flat body and in one with a lead', () => {
    expect(eventOf('heyreach', flat)).toMatchObject({
      eventType: 'LEAD_CATEGORY_UPDATED',
      toEmail: PROFILE,
      category: { id: 'lead_auto_tagged_positive', name: 'Positive' },
      campaign: { id: '12', name: 'Founders' },
      contact: { firstName: 'Ines' },
    });
    expect(eventOf('heyreach', nested)).toMatchObject({
      toEmail: 'ines@example.org',
      category: { name: 'Not interested' },
      contact: { profileUrl: PROFILE },
    });
  });

  test('the sender’s own profile is never the lead', () => {
    const body = {
      eventType: 'LEAD_AUTO_TAGGED_POSITIVE',
      senderProfileUrl: PROFILE,
      sender: { profile_url: PROFILE },
    };
    const result = normalize({ platform: 'heyreach', mapping: null }, { headers: {}, body, bodyHash: 'x' });
    expect(result.outcome).toBe('unparsed');
  });

  test('a lead with only a link of Sales Navigator: the reason says what is missing', () => {
    const body = { event_type: 'message_sent', lead: { profile_url: 'https://www.linkedin.com/sales/lead/ACw' } };
    const result = normalize({ platform: 'heyreach', mapping: null }, { headers: {}, body, bodyHash: 'x' });
    expect(result).toMatchObject({ outcome: 'unparsed', reason: expect.stringContaining('Sales Navigator') });
  });
});

describe('reply-io: why a contact counts as replied', () => {
  const replied = payload('reply-io/email-replied.json');
  const eventFor = (reply_reason: unknown) => eventOf('reply-io', { ...replied, reply_reason });

  test.each(['EmailDetected', 'email_detected', undefined, null])('%s is a reply by mail', (reason) => {
    expect(eventFor(reason)).toMatchObject({ eventType: 'EMAIL_REPLY', category: null });
  });

  test('a mark that a user set is a category, because no mail came', () => {
    expect(eventFor('ManuallyMarked')).toMatchObject({
      eventType: 'LEAD_CATEGORY_UPDATED',
      category: { id: 'email_replied', name: 'Replied' },
    });
    expect(eventFor('ManuallyMarked').eventKey).toBe(eventFor('EmailDetected').eventKey);
  });

  test('custom fields fill what Reply does not say of the contact', () => {
    const contact_custom_fields = {
      'Job title': 'CFO',
      Phone: '+47 21 00 00 00',
      'First name': 'Other',
      Region: 'North',
    };
    expect(eventOf('reply-io', { ...replied, contact_custom_fields }).contact).toMatchObject({
      firstName: 'Oskar',
      jobTitle: 'CFO',
      phone: '+47 21 00 00 00',
    });
  });
});
