import { describe, expect, test } from 'vitest';
import { type InboundEvent, normalize } from './index.ts';

const HASH = 'a'.repeat(64);

function eventOf(body: unknown, headers: Record<string, string> = {}, bodyHash = HASH): InboundEvent {
  const result = normalize({ platform: 'smartlead', mapping: null }, { headers, body, bodyHash });
  if (result.outcome !== 'events' || result.events[0] === undefined)
    throw new Error(`no event: ${JSON.stringify(result)}`);
  return result.events[0];
}

const open = {
  event_type: 'EMAIL_OPEN',
  event_timestamp: '2026-03-01T10:00:00.000Z',
  stats_id: 'row-1',
  to_email: 'kim@example.org',
  from_email: 'rep@example.com',
  campaign_id: 7,
};

describe('event key', () => {
  test('a retry has the key of the first attempt, even if other fields changed', () => {
    const retry = { ...open, campaign_status: 'PAUSED', app_url: 'https://app.example.com/other', campaign_id: '7' };
    expect(eventOf(retry, {}, 'b'.repeat(64)).eventKey).toBe(eventOf(open).eventKey);
  });

  test('two openings of one mail are two events', () => {
    expect(eventOf({ ...open, event_timestamp: '2026-03-01T10:00:01.000Z' }).eventKey).not.toBe(eventOf(open).eventKey);
  });

  test.each(['stats_id', 'to_email', 'campaign_id', 'event_type'])('a different %s gives a different key', (name) => {
    const other = {
      ...open,
      [name]: name === 'to_email' ? 'lou@example.org' : name === 'event_type' ? 'EMAIL_SENT' : '99',
    };
    expect(eventOf(other).eventKey).not.toBe(eventOf(open).eventKey);
  });

  test('different request ids give the same key (proxies set a new id per hop)', () => {
    const key = eventOf(open).eventKey;
    for (const id of ['aaaaaaaa-1', 'bbbbbbbb-2']) expect(eventOf(open, { 'x-request-id': id }).eventKey).toBe(key);
  });

  test('the same request id does not merge two events (some proxies set a constant)', () => {
    const headers = { 'x-request-id': 'f3b0c1de-0001' };
    expect(eventOf({ ...open, stats_id: 'row-2' }, headers).eventKey).not.toBe(eventOf(open, headers).eventKey);
  });

  test('without id and time in the payload, the request id distinguishes equal bodies', () => {
    const bare = { event_type: 'EMAIL_OPEN', to_email: 'kim@example.org' };
    const keyUnder = (id: string) => eventOf(bare, { 'x-request-id': id }).eventKey;
    expect(keyUnder('aaaaaaaa-1')).not.toBe(keyUnder('bbbbbbbb-2'));
    expect(keyUnder('aaaaaaaa-1')).toBe(keyUnder('aaaaaaaa-1'));
  });

  test.each(['', 'short', 'has space in it', 'x'.repeat(500), 'a\nb-injected-header'])(
    'the request id %j is not used',
    (id) => {
      const bare = { event_type: 'EMAIL_OPEN', to_email: 'kim@example.org' };
      expect(eventOf(bare, { 'x-request-id': id }).eventKey).toBe(eventOf(bare).eventKey);
    },
  );

  test('without id and time, the body hash decides', () => {
    const bare = { event_type: 'EMAIL_OPEN', to_email: 'kim@example.org' };
    expect(eventOf(bare, {}, 'b'.repeat(64)).eventKey).not.toBe(eventOf(bare).eventKey);
    expect(eventOf(bare).eventKey).toBe(eventOf(bare).eventKey);
  });
});

describe('the lead', () => {
  test.each([
    ['sl_lead_email', { sl_lead_email: 'Lead@Example.org', to_email: 'own@example.com' }],
    [
      'leadCorrespondence',
      { leadCorrespondence: { targetLeadEmail: 'lead@example.org' }, to_email: 'own@example.com' },
    ],
    ['lead_email', { lead_email: 'lead@example.org', to_email: 'own@example.com' }],
    ['lead.email', { lead: { email: 'lead@example.org' } }],
    ['to_email', { to_email: '"Lead" <LEAD@example.org>' }],
    ['a broken sl_lead_email', { sl_lead_email: 'n/a', to_email: 'lead@example.org' }],
  ])('from %s', (_place, fields) => {
    expect(eventOf({ event_type: 'EMAIL_REPLY', event_timestamp: 1772359200, ...fields }).toEmail).toBe(
      'lead@example.org',
    );
  });

  test('our own mailbox is the address that is not the lead', () => {
    const swapped = {
      ...open,
      event_type: 'EMAIL_REPLY',
      sl_lead_email: 'kim@example.org',
      from_email: 'kim@example.org',
      to_email: 'rep@example.com',
    };
    expect(eventOf(swapped).fromEmail).toBe('rep@example.com');
    expect(eventOf(open).fromEmail).toBe('rep@example.com');
  });
});

describe('a reply that a colleague of the lead wrote', () => {
  const reply = {
    event_type: 'EMAIL_REPLY',
    event_timestamp: '2026-03-01T10:00:00.000Z',
    from_email: 'rep@example.com',
    to_email: 'bo@lead.example.org',
    to_name: 'Bo Stern',
    sl_lead_email: 'kim@lead.example.org',
  };
  const correspondence = {
    targetLeadEmail: 'kim@lead.example.org',
    replyReceivedFrom: 'Bo@lead.example.org',
    repliedCompanyDomain: 'SAME_COMPANY',
  };

  test.each([
    ['named by leadCorrespondence', { ...reply, leadCorrespondence: correspondence }],
    ['named by to_email beside sl_lead_email', reply],
    [
      'named by leadCorrespondence, posted with the ends of the mail swapped',
      {
        ...reply,
        from_email: 'bo@lead.example.org',
        to_email: 'rep@example.com',
        leadCorrespondence: correspondence,
      },
    ],
  ])('%s: the event is the lead’s, the sender is the colleague, and the lead gets no name of another', (_how, body) => {
    expect(eventOf(body)).toMatchObject({
      eventType: 'EMAIL_REPLY',
      toEmail: 'kim@lead.example.org',
      fromEmail: 'rep@example.com',
      replySender: { email: 'bo@lead.example.org', name: 'Bo Stern' },
      contact: { email: 'kim@lead.example.org', firstName: null, lastName: null },
    });
  });

  test('names that the payload gives to the lead are kept', () => {
    const lead_data = { first_name: 'Kim', last_name: 'Berg' };
    expect(eventOf({ ...reply, lead_data }).contact).toMatchObject({ firstName: 'Kim', lastName: 'Berg' });
  });

  test.each([
    ['the lead’s own reply', { ...reply, to_email: 'kim@lead.example.org', to_name: 'Kim Berg' }],
    ['a reply that was posted with our mailbox in to_email', { ...reply, from_email: 'kim@lead.example.org' }],
    ['a mail that was sent', { ...reply, event_type: 'EMAIL_SENT', leadCorrespondence: correspondence }],
  ])('%s has no other sender', (_what, body) => {
    expect(eventOf(body).replySender ?? null).toBeNull();
  });
});

test.each([
  ['EMAIL_UNSUBSCRIBED', 'LEAD_UNSUBSCRIBED'],
  ['LINK_CLICKED', 'EMAIL_LINK_CLICK'],
])('%s is %s', (name, eventType) => {
  const body = { ...open, event_type: name, link: { url: 'https://example.com/pricing' } };
  expect(eventOf(body)).toMatchObject({ eventType, linkUrls: ['https://example.com/pricing'] });
});

test.each([
  ['https://example.com/a', ['https://example.com/a']],
  [3, []],
  [['https://example.com/a', 'https://example.com/a', 5, null], ['https://example.com/a']],
  [
    [{ url: 'https://example.com/b' }, { link: 'http://example.com/c' }, {}],
    ['https://example.com/b', 'http://example.com/c'],
  ],
  [{ url: 'https://example.com/d' }, ['https://example.com/d']],
  ['javascript:alert(1)', []],
  [
    Array.from({ length: 5_000 }, (_, index) => `https://example.com/${index}`),
    Array.from({ length: 20 }, (_, index) => `https://example.com/${index}`),
  ],
])('link_clicked %#', (linkClicked, expected) => {
  expect(eventOf({ ...open, event_type: 'EMAIL_LINK_CLICK', link_clicked: linkClicked }).linkUrls).toEqual(expected);
});

test.each([
  ['2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z'],
  ['2026-03-01T12:00:00+02:00', '2026-03-01T10:00:00.000Z'],
  ['2026-03-01 10:00:00', '2026-03-01T10:00:00.000Z'],
  [1772359200, '2026-03-01T10:00:00.000Z'],
  ['1772359200000', '2026-03-01T10:00:00.000Z'],
  ['1', null],
  ['March', null],
  [-1, null],
  [1e300, null],
  ['9999-01-01T00:00:00Z', null],
])('event_timestamp %j is %j', (timestamp, expected) => {
  expect(eventOf({ ...open, event_timestamp: timestamp }).occurredAt?.toISOString() ?? null).toBe(expected);
});

test('an untracked reply that a mail server wrote is a bounce of the lead that it names, never a contact', () => {
  const notice = {
    event_type: 'UNTRACKED_REPLIES',
    event_timestamp: '2026-03-01T10:00:00.000Z',
    sender_detail: 'Mail Delivery Subsystem <mailer-daemon@googlemail.example>',
    recipient_detail: 'rep@example.com',
    subject: 'Delivery Status Notification (Failure)',
    reply_message: { text: "Your message from rep@example.com wasn't delivered to kim@lead.example.org." },
  };
  expect(eventOf(notice)).toMatchObject({
    eventType: 'EMAIL_BOUNCE',
    toEmail: 'kim@lead.example.org',
    fromEmail: 'rep@example.com',
    contact: { email: 'kim@lead.example.org', firstName: null, lastName: null },
  });
  const nameless = { ...notice, reply_message: { text: 'Undeliverable.' } };
  expect(
    normalize({ platform: 'smartlead', mapping: null }, { headers: {}, body: nameless, bodyHash: HASH }).outcome,
  ).toBe('ignored');
});
