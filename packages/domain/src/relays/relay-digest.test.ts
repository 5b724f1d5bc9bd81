import { expect, test } from 'vitest';
import { isOwnMessageId } from './message-id.ts';
import { buildRelayDigest, type DigestReply, type RelayDigestInput } from './relay-digest.ts';
import { someReply } from './reply.fixture.ts';

const RECEIVED_AT = new Date('2026-03-01T12:34:00Z');
const DIGEST_AT = new Date('2026-03-01T13:00:00Z');

function item(changes: Parameters<typeof someReply>[0] = {}): DigestReply {
  return { reply: someReply(changes), platform: 'smartlead', receivedAt: RECEIVED_AT, recipient: null };
}

function build(replies: DigestReply[], input: Partial<RelayDigestInput> = {}) {
  return buildRelayDigest({
    relay: { id: 3, ccEmail: 'rep@acme.example' },
    digestAt: DIGEST_AT,
    replies,
    replyCount: replies.length,
    mailsPerHour: 60,
    from: { name: 'Replies', address: 'relay@acme.example' },
    branding: { headerPrefix: 'Acme' },
    ...input,
  });
}

test('a digest lists each reply with its lead, and is answered to nobody', () => {
  const mail = build([item(), item({ toEmail: 'lou@lead.example', contact: { firstName: null, lastName: null } })]);
  expect(mail).toMatchObject({
    messageId: '<svc-relay.3.0.mm7rc4g0@acme.example>',
    to: { name: '', address: 'rep@acme.example' },
    replyTo: null,
    inReplyTo: null,
    references: [],
    subject: '2 more replies',
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Acme-Relay': '3/digest' },
  });
  expect(mail.text.split('\n\n')).toEqual([
    '2 more replies came within the hour before 2026-03-01T13:00:00.000Z. A relay sends at most 60 mails an hour, so this mail lists them. Answer each lead from your own mailbox or in the sequencer.',
    'Kim Lee (kim@lead.example)\nHello · Spring · smartlead · 2026-03-01T12:34:00.000Z\n> Yes, please.',
    'lou@lead.example\nHello · Spring · smartlead · 2026-03-01T12:34:00.000Z\n> Yes, please.\n',
  ]);
});

test('its message id is recognized, and the same for the same hour', () => {
  const { messageId } = build([item()]);
  expect(isOwnMessageId(messageId)).toBe(true);
  expect(build([item(), item()]).messageId).toBe(messageId);
  expect(build([item()], { digestAt: new Date(+DIGEST_AT + 3_600_000) }).messageId).not.toBe(messageId);
});

test('one reply is one', () => {
  const { subject, text } = build([item()]);
  expect(subject).toBe('1 more reply');
  expect(text).toContain('so this mail lists it.');
});

test('what is not listed is said', () => {
  const { subject, text, html } = build([item()], { replyCount: 5 });
  expect(subject).toBe('5 more replies');
  for (const body of [text, html]) expect(body).toContain('4 more are not listed. All replies are in the CRM.');
});

test('long texts are cut, a reply without text says so, and markup is escaped', () => {
  const { text, html } = build([
    item({ bodyText: 'x'.repeat(1_000) }),
    item({ bodyText: null, bodyHtml: '<img src=x>' }),
    item({ subject: '<script>', campaign: { id: null, name: null } }),
  ]);
  expect(text).toMatch(/^> x{200}$/m);
  expect(text).toContain('> (The reply has no text.)');
  expect(html).toContain('&lt;script&gt;');
  expect(html).not.toContain('<script>');
});

test('a reply that a route would have mailed to somebody else says to whom', () => {
  const mail = build([item(), { ...item(), recipient: 'ana@acme.example' }]);
  expect(mail.to.address).toBe('rep@acme.example');
  expect(mail.text.match(/for ana@acme\.example/g)).toHaveLength(1);
});
