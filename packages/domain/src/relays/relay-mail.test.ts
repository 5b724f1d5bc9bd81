import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildRelayMail, type RelayMailInput } from './relay-mail.ts';
import type { RelayedReply } from './relay-reply.ts';
import { someReply } from './reply.fixture.ts';

const RECEIVED_AT = new Date('2026-03-01T12:00:00Z');

function build(reply: Partial<RelayedReply> = {}, bodyTemplates: string[] = [], input: Partial<RelayMailInput> = {}) {
  return buildRelayMail({
    relay: { id: 3, bodyTemplates },
    recipient: 'rep@acme.example',
    eventId: 41,
    reply: { ...someReply(), ...reply },
    platform: 'smartlead',
    receivedAt: RECEIVED_AT,
    from: { name: 'Replies', address: 'relay@acme.example' },
    branding: { headerPrefix: 'Acme' },
    ...input,
  });
}

test('a reply becomes a mail to the rep that the lead is to be answered from', () => {
  expect(build()).toEqual({
    messageId: '<svc-relay.3.41.mm7p6yo0@acme.example>',
    from: { name: 'Replies', address: 'relay@acme.example' },
    to: { name: '', address: 'rep@acme.example' },
    replyTo: { name: 'Kim Lee', address: 'kim@lead.example' },
    subject: 'Re: Hello',
    inReplyTo: '<reply-1@lead.example>',
    references: ['<sent-1@acme.example>', '<reply-1@lead.example>'],
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Acme-Relay': '3/41' },
    text: [
      'Kim Lee replied. Your answer to this mail goes to kim@lead.example.',
      '',
      '> Yes, please.',
      '',
      'Email: kim@lead.example',
      'Campaign: Spring',
      'Mailbox: box@acme.example',
      'Platform: smartlead',
      'Received: 2026-03-01T12:00:00.000Z',
      '',
    ].join('\n'),
    html: [
      '<p>Kim Lee replied. Your answer to this mail goes to kim@lead.example.</p>',
      '<blockquote>Yes, please.</blockquote>',
      '<p>Email: kim@lead.example<br>',
      'Campaign: Spring<br>',
      'Mailbox: box@acme.example<br>',
      'Platform: smartlead<br>',
      'Received: 2026-03-01T12:00:00.000Z</p>',
      '',
    ].join('\n'),
  });
});

test('a colleague who replied is named and answered; the lead stays the lead', () => {
  const replySender = { email: 'bo@lead.example', name: 'Bo Stern' };
  const mail = build({ replySender });
  expect(mail.replyTo).toEqual({ name: 'Bo Stern', address: 'bo@lead.example' });
  expect(mail.text).toContain(
    'Bo Stern replied, in the thread of Kim Lee. Your answer to this mail goes to bo@lead.example.',
  );
  expect(mail.text).toContain('Email: kim@lead.example');
  const template = '{{senderName}} <{{senderEmail}}> for {{leadName}} <{{leadEmail}}>';
  expect(build({ replySender }, [template]).text).toContain(
    'Bo Stern <bo@lead.example> for Kim Lee <kim@lead.example>',
  );
  expect(build({}, ['{{senderName}} <{{senderEmail}}>']).text).toContain('Kim Lee <kim@lead.example>');
});

test('a reply on a social network has no address to answer to, and no thread', () => {
  const mail = build({
    eventType: 'MESSAGE_REPLY',
    toEmail: 'https://www.linkedin.com/in/kim',
    contact: { ...someReply().contact, email: null, firstName: null, lastName: null },
    subject: null,
    messageId: 'urn:li:msg:1',
    answeredMessageId: null,
    bodyText: null,
  });
  expect(mail).toMatchObject({
    replyTo: null,
    subject: 'Reply from https://www.linkedin.com/in/kim',
    inReplyTo: null,
    references: [],
  });
  expect(mail.text).toContain('Answer on smartlead.\n\n> (The reply has no text.)\n');
  expect(mail.text).toContain('Profile: https://www.linkedin.com/in/kim');
});

test('an address that needs UTF-8 in the header is no Reply-To, and the mail does not promise one', () => {
  const mail = build({ toEmail: 'ümit@lead.example', contact: { ...someReply().contact, email: 'ümit@lead.example' } });
  expect(mail.replyTo).toBeNull();
  expect(mail.text).toContain('Kim Lee replied. Write to ümit@lead.example.\n');
  const domain = build({ contact: { ...someReply().contact, email: 'kim@bücher.example' } });
  expect(domain.replyTo).toEqual({ name: 'Kim Lee', address: 'kim@bücher.example' });
});

describe('threading', () => {
  test('without the id of the reply, the answered mail is the parent', () => {
    expect(build({ messageId: 'row-77' })).toMatchObject({
      inReplyTo: '<sent-1@acme.example>',
      references: ['<sent-1@acme.example>'],
    });
  });

  test('without the answered mail, the reply is the parent', () => {
    expect(build({ answeredMessageId: null })).toMatchObject({
      inReplyTo: '<reply-1@lead.example>',
      references: ['<reply-1@lead.example>'],
    });
  });

  test('one id for both is named once', () => {
    expect(build({ answeredMessageId: 'reply-1@lead.example' }).references).toEqual(['<reply-1@lead.example>']);
  });

  test.each([
    ['Re: Hello', 'Re: Hello'],
    ['RE : Hello', 'RE : Hello'],
    ['AW: Hallo', 'AW: Hallo'],
    ['Re[2]: Hello', 'Re[2]: Hello'],
    ['Report: Hello', 'Re: Report: Hello'],
    ['  Hello\r\nBcc: x@y.example', 'Re: Hello Bcc: x@y.example'],
    ['\r\n', 'Reply from Kim Lee'],
  ])('subject %j', (subject, expected) => {
    expect(build({ subject }).subject).toBe(expected);
  });
});

describe('body', () => {
  test('a template is followed by the reply', () => {
    const mail = build({ bodyText: 'Yes <b>\nplease' }, ['Hi, {{firstName}} of {{campaignName}} wrote.']);
    expect(mail.text).toBe('Hi, Kim of Spring wrote.\n\nKim Lee wrote:\n> Yes <b>\n> please\n');
    expect(mail.html).toBe(
      '<p>Hi, Kim of Spring wrote.</p>\n<p>Kim Lee wrote:</p>\n<blockquote>Yes &lt;b&gt;<br>\nplease</blockquote>\n',
    );
  });

  test('a template with the reply is the whole body', () => {
    expect(build({}, ['{{leadName}}: {{replyText}}']).text).toBe('Kim Lee: Yes, please.');
  });

  test('a reply without text adds nothing to a template', () => {
    expect(build({ bodyText: '' }, ['Hi']).text).toBe('Hi');
  });

  test('markup of the lead is not sent on', () => {
    const mail = build({ bodyText: null, bodyHtml: '<p>Yes<script>x</script></p><img src="https://track.example/1">' });
    expect(mail.text).toContain('> Yes');
    expect(mail.html).not.toMatch(/script|track/);
  });

  test('a long reply is cut', () => {
    const { text } = build({ bodyText: 'x'.repeat(60_000) });
    expect(text).toContain('x'.repeat(50_000));
    expect(text).toContain('[...]');
    expect(text).not.toContain('x'.repeat(50_001));
  });
});

test('no text of a payload ends a header or leaves its place', () => {
  const text = fc.string({ unit: 'binary' });
  const fields = fc.record({ subject: text, messageId: text, answeredMessageId: text, toEmail: text, bodyText: text });
  fc.assert(
    fc.property(fields, text, (reply, name) => {
      const contact = { ...someReply().contact, email: null, firstName: name };
      const mail = build({ ...reply, contact });
      const headers = [
        mail.subject,
        mail.inReplyTo ?? '',
        ...mail.references,
        mail.replyTo?.name ?? '',
        mail.replyTo?.address ?? '',
        ...Object.values(mail.headers),
      ];
      for (const header of headers) expect(header).not.toMatch(/\p{Cc}/u);
      expect(mail.text.isWellFormed() && !mail.text.includes('\0')).toBe(true);
    }),
  );
});
