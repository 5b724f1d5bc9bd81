import { describe, expect, test } from 'vitest';
import { BLANK_CONTACT, type InboundEvent } from '@svc/sequencers';
import { toNoteHtml, toTaskSubject } from './event-text.ts';
import { toEngagement } from '../hubspot/engagements.ts';
import { payloadValues } from '../http/redaction.ts';

const AT = new Date('2026-03-01T10:00:00.000Z');
const reply: InboundEvent = {
  eventKey: 'k',
  eventType: 'EMAIL_REPLY',
  toEmail: 'kim@lead.example.org',
  occurredAt: AT,
  contact: { ...BLANK_CONTACT, email: 'kim@lead.example.org', firstName: 'Kim', lastName: 'Berg' },
  fromEmail: 'rep@example.com',
  replySender: null,
  campaign: { id: null, name: null },
  subject: 'Re: Route planning',
  bodyHtml: null,
  bodyText: 'I take this over.',
  messageId: null,
  answeredMessageId: null,
  category: null,
  linkUrls: [],
  sequenceNumber: null,
};
const ofColleague: InboundEvent = { ...reply, replySender: { email: 'bo@lead.example.org', name: 'Bo Stern' } };
const headersOf = (event: InboundEvent) => JSON.parse(toEngagement(event, AT).properties['hs_email_headers'] ?? '{}');

describe('a reply that a colleague of the lead wrote', () => {
  test('the mail at HubSpot comes from the colleague, and that of the lead from the lead', () => {
    expect(headersOf(ofColleague)).toMatchObject({
      from: { email: 'bo@lead.example.org' },
      to: [{ email: 'rep@example.com' }],
    });
    expect(headersOf(reply)).toMatchObject({ from: { email: 'kim@lead.example.org' } });
    expect(headersOf({ ...reply, replySender: null })).toMatchObject({ from: { email: 'kim@lead.example.org' } });
  });

  test('the task of the rep names who wrote', () => {
    expect(toTaskSubject(ofColleague, 255)).toBe('Reply from Bo Stern');
    expect(toTaskSubject({ ...ofColleague, replySender: { email: 'bo@lead.example.org', name: null } }, 255)).toBe(
      'Reply from bo@lead.example.org',
    );
    expect(toTaskSubject(reply, 255)).toBe('Reply from Kim Berg');
  });

  test('a note says from whom and to which mailbox it came', () => {
    expect(toNoteHtml(ofColleague, '', 1_000)).toContain(
      'From: Bo Stern &lt;bo@lead.example.org&gt;<br>To: rep@example.com',
    );
    expect(toNoteHtml(reply, '', 1_000)).not.toContain('From:');
    expect(toNoteHtml({ ...reply, eventType: 'EMAIL_SENT' }, '', 1_000)).toContain('From: rep@example.com');
  });

  test('the colleague’s address and name are removed from errors of the CRM', () => {
    expect(payloadValues(ofColleague)).toEqual(expect.arrayContaining(['bo@lead.example.org', 'Bo Stern']));
  });
});
