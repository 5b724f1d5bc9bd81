import { describe, expect, test } from 'vitest';
import { type InboundEvent, normalize } from './index.ts';

const HASH = 'a'.repeat(64);

function eventOf(body: unknown, bodyHash = HASH): InboundEvent {
  const result = normalize({ platform: 'emailbison', mapping: null }, { headers: {}, body, bodyHash });
  if (result.outcome !== 'events' || result.events[0] === undefined)
    throw new Error(`no event: ${JSON.stringify(result)}`);
  return result.events[0];
}

const workspace = { instance_url: 'https://send.example.com', workspace_id: 31 };
const lead = { id: 7, email: 'kim@example.org' };
const opened = {
  event: { type: 'EMAIL_OPENED', ...workspace },
  data: {
    scheduled_email: { id: 55, raw_message_id: '<sent@example.com>' },
    campaign_event: { id: 903, created_at: '2026-03-01T10:00:00.000000Z' },
    lead,
  },
};
const replied = {
  event: { type: 'LEAD_REPLIED', ...workspace },
  data: {
    reply: { id: 725, automated_reply: false, raw_message_id: '<answer@example.org>' },
    scheduled_email: { id: 55, raw_message_id: '<sent@example.com>' },
    lead,
  },
};
const withData = (body: { event: object; data: object }, data: object) => ({
  ...body,
  data: { ...body.data, ...data },
});

describe('event key', () => {
  test('a retry and a second webhook have the key of the first, even if counters and names changed', () => {
    const again = {
      event: { ...opened.event, type: 'email_opened', workspace_name: 'renamed' },
      data: { ...opened.data, lead: { ...lead, opens: 4, first_name: 'Kim' } },
    };
    expect(eventOf(again, 'b'.repeat(64)).eventKey).toBe(eventOf(opened).eventKey);
  });

  test.each([
    ['campaign event', withData(opened, { campaign_event: { ...opened.data.campaign_event, id: 904 } })],
    ['mail', withData(opened, { scheduled_email: { id: 56 } })],
    ['lead', withData(opened, { lead: { id: 8, email: 'lou@example.org' } })],
    ['workspace', { ...opened, event: { ...opened.event, workspace_id: 32 } }],
    ['instance', { ...opened, event: { ...opened.event, instance_url: 'https://other.example.com' } }],
  ])('another %s is another event', (_what, other) => {
    expect(eventOf(other).eventKey).not.toBe(eventOf(opened).eventKey);
  });

  test('a mail that two events report is one event', () => {
    const sentAs = (type: string, id: number) =>
      withData({ ...opened, event: { ...opened.event, type } }, { campaign_event: { id } });
    expect(eventOf(sentAs('LEAD_FIRST_CONTACTED', 1))).toEqual(eventOf(sentAs('EMAIL_SENT', 2)));
  });

  test('a reply, and the mark that it shows interest, are two events', () => {
    const interested = { ...replied, event: { ...replied.event, type: 'LEAD_INTERESTED' } };
    expect(eventOf(interested).eventKey).not.toBe(eventOf(replied).eventKey);
  });

  test('without ids, the body hash decides', () => {
    const bare = { event: { type: 'EMAIL_OPENED' }, data: { lead } };
    expect(eventOf(bare, 'b'.repeat(64)).eventKey).not.toBe(eventOf(bare).eventKey);
    expect(eventOf(bare).eventKey).toBe(eventOf(bare).eventKey);
  });
});

test('a reply names the mail that it answers', () => {
  expect(eventOf(replied)).toMatchObject({
    eventType: 'EMAIL_REPLY',
    messageId: '<answer@example.org>',
    answeredMessageId: '<sent@example.com>',
  });
});

test.each([
  ['LEAD_REPLIED', true, 'LEAD_CATEGORY_UPDATED', { id: 'automated_reply', name: 'Auto reply' }],
  ['LEAD_REPLIED', 'true', 'EMAIL_REPLY', null],
  ['LEAD_REPLIED', null, 'EMAIL_REPLY', null],
  ['EMAIL_BOUNCED', true, 'EMAIL_BOUNCE', null],
  ['LEAD_INTERESTED', true, 'LEAD_CATEGORY_UPDATED', { id: 'lead_interested', name: 'Interested' }],
])('%s with automated_reply %j is %s', (type, automated_reply, eventType, category) => {
  const body = { event: { ...workspace, type }, data: { ...replied.data, reply: { id: 1, automated_reply } } };
  expect(eventOf(body)).toMatchObject({ eventType, category });
});

test('a mail written by hand is not the mail of the campaign that it follows', () => {
  const reply = { id: 801, primary_to_email_address: 'kim@example.org', raw_message_id: '<hand@example.com>' };
  const manual = { event: { ...workspace, type: 'MANUAL_EMAIL_SENT' }, data: { ...opened.data, reply } };
  const sent = { ...opened, event: { ...workspace, type: 'EMAIL_SENT' } };
  expect(eventOf(manual)).toMatchObject({ eventType: 'EMAIL_SENT', messageId: '<hand@example.com>', fromEmail: null });
  expect(eventOf(manual).eventKey).not.toBe(eventOf(sent).eventKey);
});

describe('notices of mail servers that arrive as untracked replies', () => {
  const notice = (reply: object, data: object = {}) => ({
    event: { ...workspace, type: 'UNTRACKED_REPLY_RECEIVED' },
    data: {
      reply: {
        id: 91,
        automated_reply: true,
        from_name: 'Mail Delivery Subsystem',
        from_email_address: 'mailer-daemon@googlemail.example',
        primary_to_email_address: 'rep@send.example.com',
        email_subject: 'Delivery Status Notification (Failure)',
        text_body: "Your message wasn't delivered to kim@example.org because the address couldn't be found.",
        ...reply,
      },
      sender_email: { email: 'rep@send.example.com' },
      ...data,
    },
  });

  test.each([
    ['the text of the notice', {}],
    [
      'the delivery status',
      { text_body: 'rep@send.example.com wrote to x@y.example\nFinal-Recipient: rfc822; Kim@example.org' },
    ],
    ['the header of Exim', { text_body: null, raw_body: 'X-Failed-Recipients: kim@example.org\nFrom: <>' }],
    ['a postmaster’s notice', { from_email_address: 'postmaster@example.org', from_name: 'postmaster' }],
    ['a notice that EmailBison marks as one', { type: 'Bounced', from_email_address: 'noreply@mta.example' }],
  ])('the bounced lead is read from %s; the mail server is no contact', (_what, reply) => {
    expect(eventOf(notice(reply))).toMatchObject({
      eventType: 'EMAIL_BOUNCE',
      toEmail: 'kim@example.org',
      fromEmail: 'rep@send.example.com',
      category: null,
      contact: { email: 'kim@example.org', firstName: null, lastName: null },
    });
  });

  test.each([
    ['names no recipient', { text_body: 'Your mail from rep@send.example.com could not be delivered.' }],
    ['says that the mail is late', { email_subject: 'Delivery Status Notification (Delay)' }],
    ['says so in its status', { text_body: 'Final-Recipient: rfc822; kim@example.org\nAction: delayed' }],
  ])('a notice that %s is ignored', (_what, reply) => {
    const result = normalize(
      { platform: 'emailbison', mapping: null },
      { headers: {}, body: notice(reply), bodyHash: HASH },
    );
    expect(result.outcome).toBe('ignored');
  });

  test('a reply of a campaign that a mail server wrote is a bounce of the lead', () => {
    const reply = { ...replied.data.reply, from_email_address: 'mailer-daemon@example.org' };
    expect(eventOf(withData(replied, { reply }))).toMatchObject({
      eventType: 'EMAIL_BOUNCE',
      toEmail: 'kim@example.org',
    });
  });
});

test.each([
  ['data', (body: object) => ({ data: body })],
  ['payload', (body: object) => ({ id: 5, uuid: 'u', payload: body })],
])('a body that is wrapped in %s is the same event', (_name, wrap) => {
  expect(eventOf(wrap(opened))).toEqual(eventOf(opened));
  expect(eventOf(wrap(replied))).toEqual(eventOf(replied));
});

test('a colleague who answers for the lead is the sender; the lead keeps its name', () => {
  const reply = { ...replied.data.reply, from_email_address: 'Bo@example.org', from_name: 'Bo Stern' };
  expect(eventOf(withData(replied, { reply, lead: { ...lead, first_name: 'Kim' } }))).toMatchObject({
    toEmail: 'kim@example.org',
    replySender: { email: 'bo@example.org', name: 'Bo Stern' },
    contact: { firstName: 'Kim', lastName: null },
  });
  expect(eventOf(replied).replySender ?? null).toBeNull();
});
