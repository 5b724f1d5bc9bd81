/** Reply relays of the mock: which replies cause a mail, when, what it contains, and what becomes of failed attempts. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMock, type Mock } from '../src/index.ts';
import { smartleadEvent } from './support/payloads.ts';

const LEAD = 'maren.holt@fjordfreight.example.org';
const REP = 'rep@rep.example.com';

describe('a reply relay', () => {
  let mock: Mock;
  let path: string;
  let relayId: number;
  beforeEach(async () => {
    mock = createMock({ now: '2026-03-31T12:00:00Z', scenario: 'empty' });
    const source = await mock.db.sources.create({ platform: 'smartlead' });
    const relay = await mock.db.replyRelays.create({
      connectionId: source.connectionId,
      ccEmail: REP,
      delayMinutes: 10,
      bodyTemplates: ['{{leadName}} of {{campaignName}} replied.'],
      sourceIds: [source.id],
    });
    ({ path } = source);
    relayId = relay.id;
  });
  afterEach(() => mock.close());

  const post = async (body: string) => {
    const response = await mock.fetch(`http://svc.test/webhooks/${path}`, { method: 'POST', body });
    expect(response.status).toBe(200);
  };
  const reply = async (number = 1) => {
    await post(smartleadEvent('EMAIL_REPLY', { number }));
    await mock.settle();
  };
  const statuses = () => mock.mails.all().map(({ status }) => status);
  const updateRelay = (change: (row: { ccEmail: string; sourceIds: number[] }) => void) =>
    mock.db.replyRelays.update({ where: { id: relayId } }, { data: change });

  test('sends one mail per reply, when its delay is over, in the thread of the lead', async () => {
    const sent = { message_id: '<sent-1@northwind.example.com>' };
    const replied = { message_id: '<reply-1@fjordfreight.example.org>', text: 'Thursday works.' };
    const body = JSON.parse(smartleadEvent('EMAIL_REPLY'));
    const text = JSON.stringify({ ...body, sent_message: sent, reply_message: replied });
    for (let times = 0; times < 3; times += 1) await post(text);
    await post(smartleadEvent('EMAIL_OPEN', { number: 7 }));
    await mock.clock.advance('9m');
    expect(mock.mails.all()).toEqual([]);
    await mock.clock.advance('1m');
    const [entry, ...others] = mock.mails.all();
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      ...{ id: 1, relayId, status: 'sent', attemptCount: 1, unconfirmedCount: 0, smtpCode: 250, error: null },
      isDelivered: true,
      createdAt: new Date('2026-03-31T12:10:00Z'),
    });
    expect(entry?.mail).toMatchObject({
      from: { name: 'Replies', address: 'replies@service.example' },
      to: { address: REP },
      replyTo: { name: 'Maren Holt', address: LEAD },
      subject: 'Re: Route planning',
      inReplyTo: '<reply-1@fjordfreight.example.org>',
      references: ['<sent-1@northwind.example.com>', '<reply-1@fjordfreight.example.org>'],
      headers: { 'Auto-Submitted': 'auto-generated' },
      text: 'Maren Holt of Q1 logistics directors replied.\n\nMaren Holt wrote:\n> Thursday works.\n',
    });
    expect(mock.mails.find({ to: REP.toUpperCase(), status: 'sent', relayId })).toHaveLength(1);
    expect(mock.mails.find({ to: LEAD })).toEqual([]);
    mock.mails.clear();
    expect(mock.mails.all()).toEqual([]);
  });

  test('a digest leaves out what must not be sent when it is due', async () => {
    for (let number = 1; number <= 61; number += 1) await post(smartleadEvent('EMAIL_REPLY', { number }));
    await mock.clock.advance('10m');
    await updateRelay((row) => {
      row.sourceIds = [];
    });
    await mock.clock.advance('50m');
    expect(statuses().slice(60)).toEqual(['digest', 'skipped']);
  });

  test('works when the connection does not sync, and the sender can be changed', async () => {
    await mock.db.connections.updateMany({}, { data: (row) => void (row.capabilities.sync = false) });
    mock.configure({ mailFrom: 'Acme <relay@acme.example>' });
    await reply();
    await mock.clock.advance('10m');
    expect(mock.mails.all()[0]?.mail).toMatchObject({
      messageId: expect.stringMatching(/@acme\.example>$/),
      from: { name: 'Acme', address: 'relay@acme.example' },
    });
    expect(() => mock.configure({ mailFrom: 'no address' })).toThrow('mailFrom must be an address');
  });

  test.each<[string, () => unknown, string]>([
    [
      'the capability is off',
      () => mock.db.connections.updateMany({}, { data: (row) => void (row.capabilities.destinations = false) }),
      'The capability destinations is off for the connection',
    ],
    ['the relay is removed', () => mock.db.replyRelays.deleteMany({}), 'The relay was removed'],
    [
      'the relay is no longer bound',
      () => updateRelay((row) => void (row.sourceIds = [])),
      'The relay is no longer bound to the source',
    ],
    [
      'the reply comes from the recipient',
      () => updateRelay((row) => void (row.ccEmail = LEAD)),
      'The reply comes from an address of our own',
    ],
  ])('sends nothing when %s at the due time', async (_name, change, error) => {
    await reply();
    await change();
    await mock.clock.advance('10m');
    expect(mock.mails.all()).toMatchObject([{ status: 'skipped', error, attemptCount: 0, mail: null }]);
    await mock.clock.advance('7d');
    expect(statuses()).toEqual(['skipped']);
  });

  test('snapshots contain the mails and those that wait', async () => {
    await reply(1);
    await mock.clock.advance('10m');
    await reply(2);
    mock.snapshot('one sent, one waiting');
    await mock.clock.advance('10m');
    const before = mock.mails.all();
    expect(statuses()).toEqual(['sent', 'sent']);
    mock.restore('one sent, one waiting');
    expect(statuses()).toEqual(['sent']);
    await mock.clock.advance('10m');
    expect(mock.mails.all()).toEqual(before);
    mock.reset();
    expect(mock.mails.all()).toEqual([]);
  });
});
