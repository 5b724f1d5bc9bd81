import type { RelayMail } from '@svc/domain/relays/relay-mail';
import { type MailSimulator, type MailSimulatorOptions, startMailSimulator } from '@svc/simulators';
import { afterEach, describe, expect, test } from 'vitest';
import { LOOPBACK_CERTIFICATE } from '../../test/support/loopback-certificate.ts';
import type { SmtpServer } from '../config/mail-config.ts';
import { createMailSender } from './mail-sender.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(options: MailSimulatorOptions = {}): Promise<MailSimulator> {
  const simulator = await startMailSimulator(options);
  cleanUps.push(() => simulator.close());
  return simulator;
}

function senderTo(simulator: MailSimulator, smtp: Partial<SmtpServer> = {}, ca?: string) {
  const server: SmtpServer = { host: '127.0.0.1', port: simulator.port, tls: 'none', login: null, ...smtp };
  const from = { name: 'Acme, Inc.', address: 'relay@acme.example' };
  const sender = createMailSender({ smtp: server, from }, ca === undefined ? {} : { ca });
  cleanUps.push(() => sender.close());
  return sender;
}

const MAIL: RelayMail = {
  messageId: '<svc-relay.1.2.abc@acme.example>',
  from: { name: 'Acme, Inc.', address: 'relay@acme.example' },
  to: { name: '', address: 'rep@acme.example' },
  replyTo: { name: 'Zoë "Z" Ng, <x@y.example>', address: 'zoe@lead.example' },
  subject: 'Re: Grüße 🎉',
  inReplyTo: '<reply@lead.example>',
  references: ['<sent@acme.example>', '<reply@lead.example>'],
  headers: { 'Auto-Submitted': 'auto-generated', 'X-Service-Relay': '1/2' },
  text: 'Ja\n.\n..\nFrom here\n',
  html: '<p>Ja</p>\n',
};

test('sends the mail as it is', async () => {
  const simulator = await start();
  const result = await senderTo(simulator).send(MAIL);
  expect(result).toEqual({ smtpCode: 250, error: null, isAboutMail: true, wasHandedOver: true });
  const [mail] = simulator.mails();
  expect(mail).toMatchObject({
    sender: 'relay@acme.example',
    recipients: ['rep@acme.example'],
    subject: 'Re: Grüße 🎉',
    text: 'Ja\n.\n..\nFrom here\n\n',
    isEncrypted: false,
    user: null,
  });
  expect(mail?.headers).toMatchObject({
    from: '"Acme, Inc." <relay@acme.example>',
    to: 'rep@acme.example',
    'reply-to': expect.stringMatching(/<zoe@lead\.example>$/),
    'message-id': MAIL.messageId,
    'in-reply-to': '<reply@lead.example>',
    references: '<sent@acme.example> <reply@lead.example>',
    'auto-submitted': 'auto-generated',
    'x-service-relay': '1/2',
  });
  // The name cannot become a second address.
  expect(mail?.source.match(/x@y\.example/g) ?? []).toHaveLength(0);
});

describe('failures', () => {
  test.each([
    ['a 4xx answer to the content', 451, { smtpCode: 451, isAboutMail: true, wasHandedOver: true }],
    ['a 5xx answer to the content', 554, { smtpCode: 554, isAboutMail: true, wasHandedOver: true }],
    ['a refused recipient', { at: 'recipient', code: 550 }, { smtpCode: 550, isAboutMail: true, wasHandedOver: false }],
    ['a refused sender', { at: 'sender', code: 450 }, { smtpCode: 450, isAboutMail: true, wasHandedOver: false }],
    ['a connection that breaks', 'reset', { smtpCode: null, isAboutMail: false, wasHandedOver: false }],
    ['a lost answer', 'lost-answer', { smtpCode: null, isAboutMail: false, wasHandedOver: true }],
  ] as const)('%s', async (_name, fault, expected) => {
    const simulator = await start();
    simulator.failNext(fault);
    const sender = senderTo(simulator);
    const result = await sender.send(MAIL);
    expect(result).toMatchObject(expected);
    expect(result.error).toMatch(/./);
    expect(simulator.mails()).toHaveLength(fault === 'lost-answer' ? 1 : 0);
    expect(await sender.send(MAIL)).toMatchObject({ error: null });
  });

  test('no server', async () => {
    const simulator = await start();
    const sender = senderTo(simulator);
    await simulator.close();
    expect(await sender.send(MAIL)).toMatchObject({ smtpCode: null, isAboutMail: false, wasHandedOver: false });
    await simulator.open();
    expect(await sender.send(MAIL)).toMatchObject({ error: null });
  });
});

test('logs in; a wrong password says nothing about the mail, and is not in the message', async () => {
  const simulator = await start({ login: { user: 'kim', password: 'right-1' } });
  const wrong = await senderTo(simulator, { login: { user: 'kim', password: 'wrong-1' } }).send(MAIL);
  expect(wrong).toMatchObject({ smtpCode: 535, isAboutMail: false, wasHandedOver: false });
  expect(wrong.error).not.toContain('wrong-1');
  expect(await senderTo(simulator, { login: { user: 'kim', password: 'right-1' } }).send(MAIL)).toMatchObject({
    error: null,
  });
  expect(simulator.mails().map(({ user }) => user)).toEqual(['kim']);
});

describe('TLS', () => {
  const { cert } = LOOPBACK_CERTIFICATE;

  test.each(['starttls', 'implicit'] as const)('%s: the certificate must be trusted', async (mode) => {
    const simulator = await start({ tls: { mode, ...LOOPBACK_CERTIFICATE } });
    const refused = await senderTo(simulator, { tls: mode }).send(MAIL);
    expect(refused).toMatchObject({ smtpCode: null, wasHandedOver: false });
    expect(refused.error).toMatch(/self-signed certificate/i);
    expect(simulator.mails()).toEqual([]);
    expect(await senderTo(simulator, { tls: mode }, cert).send(MAIL)).toMatchObject({ error: null });
    expect(simulator.mails()).toMatchObject([{ isEncrypted: true }]);
  });

  test('without STARTTLS, nothing is sent where it is demanded', async () => {
    const simulator = await start({ login: { user: 'kim', password: 'right-1' } });
    const login = { user: 'kim', password: 'right-1' };
    const refused = await senderTo(simulator, { tls: 'starttls', login }).send(MAIL);
    expect(refused).toMatchObject({ isAboutMail: false, wasHandedOver: false });
    expect(refused.error).toMatch(/./);
    expect(simulator.mails()).toEqual([]);
  });
});
