import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BLANK_CONTACT, type InboundEvent } from '@svc/sequencers';
import { activityOf } from '../events/activities.ts';
import { isReply } from '@svc/domain/policy/is-reply';
import { toEngagement, toUniqueKey } from './engagements.ts';

const AT = new Date('2026-03-01T10:00:00.000Z');
const event: InboundEvent = {
  eventKey: 'k',
  eventType: 'LEAD_CATEGORY_UPDATED',
  toEmail: 'kim@example.org',
  occurredAt: AT,
  contact: { ...BLANK_CONTACT, email: 'kim@example.org' },
  fromEmail: null,
  replySender: null,
  campaign: { id: '7', name: 'Spring <script>' },
  subject: null,
  bodyHtml: null,
  bodyText: null,
  messageId: null,
  answeredMessageId: null,
  category: { id: '2', name: 'Meeting & more' },
  linkUrls: ['https://example.com/?a=1&b=2'],
  sequenceNumber: 3,
};

test('a note contains the facts as escaped text', () => {
  expect(toEngagement(event, AT)).toEqual({
    objectType: 'notes',
    properties: {
      hs_timestamp: '2026-03-01T10:00:00.000Z',
      hs_note_body:
        '<p><strong>Category changed</strong></p><p>Campaign: Spring &lt;script&gt;<br>Step: 3<br>Category: Meeting &amp; more<br>Link: https://example.com/?a=1&amp;b=2</p>',
    },
  });
});

test('markup of the sender does not get into notes and messages', () => {
  const hostile = '<img src=x onerror=alert(1)><b>Hi</b>';
  for (const eventType of ['EMAIL_BOUNCE', 'MESSAGE_REPLY', 'CALL_COMPLETED']) {
    const { properties } = toEngagement({ ...event, eventType, bodyHtml: hostile, bodyText: null }, AT);
    const text = JSON.stringify(properties);
    expect(text).not.toMatch(/<img|<b>/);
    expect(text).toContain('Hi');
    expect(JSON.stringify(toEngagement({ ...event, eventType, bodyText: hostile }, AT).properties)).toContain(
      '&lt;img',
    );
  }
});

test.each([
  ['EMAIL_REPLY', true],
  ['MESSAGE_REPLY', true],
  ['INMAIL_REPLY', true],
  ['EMAIL_SENT', false],
  ['LEAD_CATEGORY_UPDATED', false],
  ['toString', false],
])('%s is a reply: %s', (eventType, expected) => {
  expect(isReply(eventType)).toBe(expected);
});

test.each([
  ['PROFILE_VIEWED', 'Profile viewed'],
  ['INMAIL_SENT', 'InMail sent'],
  ['MANUAL_STEP_REACHED', 'Manual step reached'],
])('%s reads %s', (eventType, expected) => {
  expect(activityOf(eventType).label).toBe(expected);
});

describe('unique key', () => {
  test('stays readable where possible', () => {
    expect(toUniqueKey('12:5d2f8f0e-7f0b/ab12')).toBe('12:5d2f8f0e-7f0b/ab12');
    expect(toUniqueKey('12:ABC')).toMatch(/^[0-9a-f]{64}$/);
  });

  test('different keys stay different although HubSpot ignores case and outer spaces', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        fc.pre(a !== b);
        expect(toUniqueKey(a).trim().toLowerCase()).not.toBe(toUniqueKey(b).trim().toLowerCase());
        expect(toUniqueKey(a).length).toBeLessThanOrEqual(200);
        expect(toUniqueKey('key-A')).not.toBe(toUniqueKey('key-a'));
      }),
    );
  });
});

test('a mail whose sender is not known has headers without one', () => {
  const { properties } = toEngagement({ ...event, eventType: 'EMAIL_SENT', fromEmail: null }, AT);
  expect(JSON.parse(properties['hs_email_headers'] ?? '')).toEqual({
    to: [{ email: 'kim@example.org' }],
    cc: [],
    bcc: [],
  });
});
