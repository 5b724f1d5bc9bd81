/**
 * Invented platforms: what each posts, what a person corrects in the proposed mapping, and what is read then. Payload shapes are
 * made up to differ from each other; no real platform is meant.
 */
import type { EventMapping } from '@svc/domain/mappings/event-mapping';

export interface Correction {
  /** A part of the mapping, such as `fields.email`. */
  readonly at: readonly [keyof EventMapping, string?];
  /** Undefined removes it. */
  readonly value: unknown;
  readonly why: string;
}

export interface ExpectedEvent {
  readonly eventType: string;
  readonly toEmail: string;
  readonly occurredAt?: string | null;
  readonly fromEmail?: string | null;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly campaign?: string;
  readonly subject?: string;
  readonly category?: string;
  readonly links?: readonly string[];
}

export interface StrangerPlatform {
  readonly platform: string;
  readonly shape: string;
  readonly payloads: readonly {
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: unknown;
    readonly expect: readonly ExpectedEvent[];
  }[];
  readonly corrections: readonly Correction[];
}

const AT = '2026-03-01T10:00:00.000Z';
const kim = 'kim@example.org';
const rep = 'rep@example.com';

export const STRANGER_PLATFORMS: readonly StrangerPlatform[] = [
  {
    platform: 'flat-snake',
    shape: 'flat, snake_case',
    corrections: [],
    payloads: [
      {
        body: {
          event_type: 'email_sent',
          event_id: 'e1',
          lead_email: 'Kim@Example.org',
          sender_email: rep,
          occurred_at: AT,
          campaign_name: 'Spring',
          subject: 'Hello',
          first_name: 'Kim',
        },
        expect: [
          {
            eventType: 'EMAIL_SENT',
            toEmail: kim,
            occurredAt: AT,
            fromEmail: rep,
            campaign: 'Spring',
            subject: 'Hello',
            firstName: 'Kim',
          },
        ],
      },
      {
        body: { event_type: 'email_replied', event_id: 'e2', lead_email: kim, sender_email: rep, occurred_at: AT },
        expect: [{ eventType: 'EMAIL_REPLY', toEmail: kim }],
      },
      {
        body: { event_type: 'email_bounced', event_id: 'e3', lead_email: kim, occurred_at: AT },
        expect: [{ eventType: 'EMAIL_BOUNCE', toEmail: kim }],
      },
    ],
  },
  {
    platform: 'flat-camel',
    shape: 'flat, camelCase',
    corrections: [],
    payloads: [
      {
        body: {
          eventName: 'emailOpened',
          eventId: 11,
          prospectEmail: kim,
          mailboxEmail: rep,
          eventTime: 1772359200,
          campaignName: 'Spring',
          firstName: 'Kim',
          lastName: 'Holt',
        },
        expect: [
          {
            eventType: 'EMAIL_OPEN',
            toEmail: kim,
            fromEmail: rep,
            occurredAt: AT,
            firstName: 'Kim',
            lastName: 'Holt',
            campaign: 'Spring',
          },
        ],
      },
      {
        body: {
          eventName: 'linkClicked',
          eventId: 12,
          prospectEmail: kim,
          eventTime: 1772359200,
          clickedUrl: 'https://example.com/a',
        },
        expect: [{ eventType: 'EMAIL_LINK_CLICK', toEmail: kim, links: ['https://example.com/a'] }],
      },
    ],
  },
  {
    platform: 'flat-kebab',
    shape: 'flat, kebab-case',
    corrections: [],
    payloads: [
      {
        body: {
          'event-type': 'reply-received',
          'event-id': 'k-1',
          'contact-email': kim,
          'sender-email': rep,
          timestamp: AT,
          'campaign-name': 'Kebab',
        },
        expect: [{ eventType: 'EMAIL_REPLY', toEmail: kim, campaign: 'Kebab', fromEmail: rep }],
      },
      {
        body: { 'event-type': 'unsubscribed', 'event-id': 'k-2', 'contact-email': kim, timestamp: AT },
        expect: [{ eventType: 'LEAD_UNSUBSCRIBED', toEmail: kim }],
      },
    ],
  },
  {
    platform: 'title-case',
    shape: 'flat, column titles with spaces',
    corrections: [],
    payloads: [
      {
        body: {
          'Event Type': 'Email Opened',
          'Event ID': 'T1',
          'Email Address': kim,
          'First Name': 'Kim',
          'Last Name': 'Holt',
          'Campaign Name': 'Titles',
          'Event Date': '2026-03-01 10:00:00',
        },
        expect: [{ eventType: 'EMAIL_OPEN', toEmail: kim, occurredAt: AT, firstName: 'Kim', campaign: 'Titles' }],
      },
      {
        body: { 'Event Type': 'Email Bounced', 'Event ID': 'T2', 'Email Address': kim },
        expect: [{ eventType: 'EMAIL_BOUNCE', toEmail: kim, occurredAt: null }],
      },
    ],
  },
  {
    platform: 'nested-two',
    shape: 'nested: event, lead, campaign, message',
    corrections: [],
    payloads: [
      {
        body: {
          event: 'message.sent_email',
          id: 'n1',
          occurredAt: AT,
          lead: { id: 5, email: kim, name: 'Kim Holt', company: { name: 'North' } },
          campaign: { id: 9, name: 'Nest' },
          message: { id: '<m1@x>', subject: 'Hi', from: rep },
        },
        expect: [
          {
            eventType: 'EMAIL_SENT',
            toEmail: kim,
            firstName: 'Kim',
            lastName: 'Holt',
            campaign: 'Nest',
            subject: 'Hi',
            fromEmail: rep,
          },
        ],
      },
      {
        body: {
          event: 'message.opened',
          id: 'n2',
          occurredAt: AT,
          lead: { id: 5, email: kim },
          campaign: { id: 9, name: 'Nest' },
        },
        expect: [{ eventType: 'EMAIL_OPEN', toEmail: kim }],
      },
    ],
  },
  {
    platform: 'deep-data',
    shape: 'nested five levels deep',
    corrections: [],
    payloads: [
      {
        body: {
          webhook: {
            payload: {
              event: { name: 'mail.clicked', uuid: 'u1', time: AT },
              target: { person: { contact: { email: kim } } },
              click: { url: 'https://example.com/x' },
            },
          },
        },
        expect: [{ eventType: 'EMAIL_LINK_CLICK', toEmail: kim, occurredAt: AT, links: ['https://example.com/x'] }],
      },
      {
        body: {
          webhook: {
            payload: {
              event: { name: 'mail.bounced', uuid: 'u2', time: AT },
              target: { person: { contact: { email: kim } } },
            },
          },
        },
        expect: [{ eventType: 'EMAIL_BOUNCE', toEmail: kim }],
      },
    ],
  },
  {
    platform: 'json-api',
    shape: 'JSON:API with included resources',
    corrections: [],
    payloads: [
      {
        body: {
          data: { type: 'event', id: 'ja1', attributes: { action: 'opened-email', 'occurred-at': AT } },
          included: [
            { type: 'prospect', id: '4', attributes: { email: kim, 'first-name': 'Kim' } },
            { type: 'user', id: '1', attributes: { email: rep } },
          ],
        },
        expect: [{ eventType: 'EMAIL_OPEN', toEmail: kim, firstName: 'Kim', fromEmail: rep, occurredAt: AT }],
      },
      {
        body: {
          data: { type: 'event', id: 'ja2', attributes: { action: 'replied-email', 'occurred-at': AT } },
          included: [
            { type: 'user', id: '1', attributes: { email: rep } },
            { type: 'prospect', id: '4', attributes: { email: kim } },
          ],
        },
        expect: [{ eventType: 'EMAIL_REPLY', toEmail: kim, fromEmail: rep }],
      },
    ],
  },
  {
    platform: 'header-event',
    shape: 'event name in a header',
    corrections: [],
    payloads: [
      {
        headers: { 'x-dialer-event': 'call.completed', 'content-type': 'application/json' },
        body: { id: 'h1', contact: { email: kim, phone: '+49 30 123456' }, ended_at: AT, agent: { email: rep } },
        expect: [{ eventType: 'CALL_COMPLETED', toEmail: kim, occurredAt: AT, fromEmail: rep }],
      },
      {
        headers: { 'x-dialer-event': 'call.ended' },
        body: { id: 'h2', contact: { email: kim }, ended_at: AT, agent: { email: rep } },
        expect: [{ eventType: 'CALL_COMPLETED', toEmail: kim }],
      },
    ],
  },
  {
    platform: 'batched-items',
    shape: 'batched: a list inside an envelope',
    corrections: [],
    payloads: [
      {
        body: {
          account: { name: 'Team' },
          events: [
            { type: 'open', id: 1, email: kim, ts: 1772359200 },
            { type: 'click', id: 2, email: 'lou@example.org', ts: 1772359200 },
          ],
        },
        expect: [
          { eventType: 'EMAIL_OPEN', toEmail: kim, occurredAt: AT },
          { eventType: 'EMAIL_LINK_CLICK', toEmail: 'lou@example.org' },
        ],
      },
      {
        body: { account: { name: 'Team' }, events: [{ type: 'bounce', id: 3, email: kim, ts: 1772359200 }] },
        expect: [{ eventType: 'EMAIL_BOUNCE', toEmail: kim }],
      },
    ],
  },
  {
    platform: 'batched-top',
    shape: 'batched: the body is a list',
    corrections: [],
    payloads: [
      {
        body: [
          { event: 'delivered', sg_id: 'a', email: kim, timestamp: 1772359200 },
          { event: 'open', sg_id: 'b', email: kim, timestamp: 1772359200 },
        ],
        expect: [{ eventType: 'EMAIL_OPEN', toEmail: kim, occurredAt: AT }],
      },
      {
        body: [{ event: 'unsubscribe', sg_id: 'c', email: kim, timestamp: 1772359200 }],
        expect: [{ eventType: 'LEAD_UNSUBSCRIBED', toEmail: kim }],
      },
    ],
  },
  {
    platform: 'string-numbers',
    shape: 'numbers and times as strings',
    corrections: [],
    payloads: [
      {
        body: {
          action: 'sent',
          id: '901',
          contact: kim,
          sequence_step: '2',
          time: '1772359200000',
          sequence_name: 'Numbers',
        },
        expect: [{ eventType: 'EMAIL_SENT', toEmail: kim, occurredAt: AT, campaign: 'Numbers' }],
      },
      {
        body: { action: 'replied', id: '902', contact: kim, sequence_step: '2', time: '1772359200000' },
        expect: [{ eventType: 'EMAIL_REPLY', toEmail: kim }],
      },
    ],
  },
  {
    platform: 'social-only',
    shape: 'profile URL, no email address',
    corrections: [],
    payloads: [
      {
        body: {
          eventType: 'connection_accepted',
          uid: 's1',
          lead: { fullName: 'Kim Holt', linkedInUrl: 'https://www.linkedin.com/in/kim-holt/' },
          createdAt: AT,
        },
        expect: [
          {
            eventType: 'CONNECTION_REQUEST_ACCEPTED',
            toEmail: 'https://www.linkedin.com/in/kim-holt',
            firstName: 'Kim',
          },
        ],
      },
      {
        body: {
          eventType: 'linkedin_message_replied',
          uid: 's2',
          lead: { fullName: 'Kim Holt', linkedInUrl: 'https://www.linkedin.com/in/kim-holt/' },
          createdAt: AT,
        },
        expect: [{ eventType: 'MESSAGE_REPLY', toEmail: 'https://www.linkedin.com/in/kim-holt' }],
      },
    ],
  },
  {
    platform: 'name-value',
    shape: 'lead as a list of names and values',
    corrections: [],
    payloads: [
      {
        body: {
          trigger: 'Email Replied',
          event_uuid: 'v1',
          fields: [
            { name: 'Email', value: kim },
            { name: 'First Name', value: 'Kim' },
            { name: 'Phone', value: '030 1234567' },
          ],
          date: '2026-03-01T10:00:00Z',
        },
        expect: [{ eventType: 'EMAIL_REPLY', toEmail: kim, firstName: 'Kim', occurredAt: AT }],
      },
      {
        body: {
          trigger: 'Email Opened',
          event_uuid: 'v2',
          fields: [
            { name: 'First Name', value: 'Kim' },
            { name: 'Email', value: kim },
          ],
          date: '2026-03-01T10:00:00Z',
        },
        expect: [{ eventType: 'EMAIL_OPEN', toEmail: kim }],
      },
    ],
  },
  {
    platform: 'object-action',
    shape: 'event name in two fields',
    corrections: [],
    payloads: [
      {
        body: { channel: 'linkedin', action: 'sent', id: 'o1', person: { email: kim }, at: AT },
        expect: [{ eventType: 'MESSAGE_SENT', toEmail: kim }],
      },
      {
        body: { channel: 'email', action: 'sent', id: 'o2', person: { email: kim }, at: AT },
        expect: [{ eventType: 'EMAIL_SENT', toEmail: kim, occurredAt: AT }],
      },
    ],
  },
  {
    platform: 'from-to',
    shape: 'mail headers only: from and to change places on a reply',
    corrections: [],
    payloads: [
      {
        body: {
          kind: 'sent',
          uuid: 'f1',
          outbound: { from: `Rep <${rep}>`, to: `Kim Holt <${kim}>`, subject: 'Hi' },
          at: AT,
        },
        expect: [{ eventType: 'EMAIL_SENT', toEmail: kim, fromEmail: rep, firstName: 'Kim', subject: 'Hi' }],
      },
      {
        body: { kind: 'reply', uuid: 'f2', inbound: { from: `Kim Holt <${kim}>`, to: rep, subject: 'Re: Hi' }, at: AT },
        expect: [{ eventType: 'EMAIL_REPLY', toEmail: kim, fromEmail: rep }],
      },
    ],
  },
  {
    platform: 'numeric-codes',
    shape: 'event names that say nothing',
    corrections: [{ at: ['eventTypes'], value: { E1: 'EMAIL_SENT', E7: 'EMAIL_REPLY' }, why: 'the names say nothing' }],
    payloads: [
      {
        body: { type: 'E1', uid: 'c1', recipient: kim, when: AT },
        expect: [{ eventType: 'EMAIL_SENT', toEmail: kim, occurredAt: AT }],
      },
      {
        body: { type: 'E7', uid: 'c2', recipient: kim, when: AT },
        expect: [{ eventType: 'EMAIL_REPLY', toEmail: kim }],
      },
    ],
  },
  {
    platform: 'shared-message-id',
    shape: 'no event id: one Message-ID for all events of a mail',
    corrections: [],
    payloads: [
      {
        body: { event: 'opened', messageId: '<m1@x>', to: kim, from: rep, timestamp: AT },
        expect: [{ eventType: 'EMAIL_OPEN', toEmail: kim, fromEmail: rep }],
      },
      {
        body: { event: 'opened', messageId: '<m1@x>', to: kim, from: rep, timestamp: '2026-03-01T11:00:00.000Z' },
        expect: [{ eventType: 'EMAIL_OPEN', toEmail: kim, occurredAt: '2026-03-01T11:00:00.000Z' }],
      },
    ],
  },
  {
    platform: 'categories',
    shape: 'categories of leads, and events that are not wanted',
    corrections: [{ at: ['eventTypes', 'list.synced'], value: 'ignored', why: 'it is about a list, not a lead' }],
    payloads: [
      {
        body: { event: 'lead.interested', id: 'g1', lead: { email: kim }, created_at: AT },
        expect: [{ eventType: 'LEAD_CATEGORY_UPDATED', toEmail: kim, category: 'Interested' }],
      },
      {
        body: { event: 'lead.status_changed', id: 'g2', lead: { email: kim }, new_status: 'Won', created_at: AT },
        expect: [{ eventType: 'LEAD_CATEGORY_UPDATED', toEmail: kim, category: 'Won' }],
      },
      { body: { event: 'list.synced', id: 'g3', list: { size: 7 }, created_at: AT }, expect: [] },
    ],
  },
  {
    platform: 'single-event',
    shape: 'one kind of event, without a name',
    corrections: [{ at: ['constants'], value: { eventName: 'CALL_COMPLETED' }, why: 'the payload has no event name' }],
    payloads: [
      {
        body: { call_uuid: 'x1', callee: { email: kim, phone: '+4930123456' }, duration: 61, date: AT },
        expect: [{ eventType: 'CALL_COMPLETED', toEmail: kim, occurredAt: AT }],
      },
      {
        body: { call_uuid: 'x2', callee: { email: 'lou@example.org' }, duration: 5, date: AT },
        expect: [{ eventType: 'CALL_COMPLETED', toEmail: 'lou@example.org' }],
      },
    ],
  },
  {
    platform: 'missing-parts',
    shape: 'two shapes of one platform, parts missing',
    corrections: [],
    payloads: [
      {
        body: { event: 'email_sent', id: 'p1', lead: { email: kim, first_name: 'Kim' }, sent_at: AT },
        expect: [{ eventType: 'EMAIL_SENT', toEmail: kim, firstName: 'Kim', occurredAt: AT }],
      },
      {
        body: { event: 'email_replied', id: 'p2', prospect: { email_address: kim }, replied_at: AT },
        expect: [{ eventType: 'EMAIL_REPLY', toEmail: kim, occurredAt: AT }],
      },
      {
        body: { event: 'email_opened', id: 'p3', lead: { email: kim } },
        expect: [{ eventType: 'EMAIL_OPEN', toEmail: kim, occurredAt: null }],
      },
    ],
  },
];
