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
