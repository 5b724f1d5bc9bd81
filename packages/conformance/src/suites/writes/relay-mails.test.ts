/** Reply relays (`listReplyRelays`): which replies become mails, when, and what becomes of failed attempts. */
import { beforeEach, describe, expect, test } from 'vitest';
import { newCategory, newEvent, newReply, send, SOURCE } from '../../cases/inbound.ts';
import { RELAYED_SOURCE } from '../../harness/extra-fixtures.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import type { ReceivedMail } from '../../harness/targets/mails.ts';
import { findRow, WORLD } from '../../harness/world.ts';

const RELAY = findRow(WORLD.replyRelays, ({ sourceIds }) => sourceIds.includes(SOURCE.id), 'relay of the source');
const MINUTE_MS = 60_000;

onEveryTarget(
  (api) => {
    const leadOf = (event: Readonly<Record<string, unknown>>) => String(event['sl_lead_email']);
    /** Returns the mails about a lead. */
    const mailsOf = async (event: Readonly<Record<string, unknown>>): Promise<ReceivedMail[]> =>
      (await api.target().mail.received()).filter(({ replyTo }) => replyTo === leadOf(event));
    const pass = async (minutes: number) => {
      for (let passed = 0; passed < minutes; passed += 1) await api.advance(MINUTE_MS);
    };

    describe('mails of reply relays', () => {
      beforeEach(async () => {
        await api.target().mail.failWith(null);
      });

      test('a reply becomes one mail when the delay is over, in the thread of the lead', async () => {
        const answered = '<sent@northwind.example.com>';
        const reply = newReply({
          message_id: answered,
          reply_message: { message_id: '<reply@lead.example>', text: 'Yes.' },
        });
        await send(api, SOURCE.id, [newEvent(), reply, reply]);
        await pass(RELAY.delayMinutes - 1);
        expect(await mailsOf(reply)).toEqual([]);
        await pass(1);
        const mails = await mailsOf(reply);
        expect(mails).toEqual([
          {
            messageId: expect.stringMatching(/^<svc-relay\.\d+\.\d+\.\w+@service\.example>$/),
            from: 'replies@service.example',
            to: RELAY.ccEmail,
            replyTo: leadOf(reply),
            subject: 'Re: Route planning at Fjord Freight',
            inReplyTo: '<reply@lead.example>',
            references: `${answered} <reply@lead.example>`,
            autoSubmitted: 'auto-generated',
            relay: expect.stringMatching(new RegExp(`^${RELAY.id}/\\d+$`)),
            text: expect.stringMatching(/\n> Yes\.$/),
          },
        ]);
        await pass(10);
        expect(await mailsOf(reply)).toEqual(mails);
      });

      test('the category that counts is that of the due time; the template is filled in', async () => {
        const replies = [newReply(), newReply(), newReply()];
        const [wanted, unwanted, without] = replies as [Record<string, unknown>, Record<string, unknown>, object];
        await send(api, RELAYED_SOURCE.id, [...replies, newCategory(leadOf(unwanted)), newCategory(leadOf(wanted))]);
        await pass(1);
        const { category: _category, lead_category: _lead, ...other } = newCategory(leadOf(unwanted));
        const changed = {
          ...other,
          category: 'Not Interested',
          lead_category: { new_id: '3', new_name: 'Not Interested' },
        };
        await send(api, RELAYED_SOURCE.id, [changed]);
        await pass(RELAYED_SOURCE.delayMinutes);
        expect((await mailsOf(wanted)).map(({ text }) => text)).toEqual([
          `${leadOf(wanted)} of Q1 logistics directors wrote: Thursday works. Can you show the tariff part?`,
        ]);
        expect([await mailsOf(unwanted), await mailsOf({ ...without })]).toEqual([[], []]);
      });

      test('automatic replies are not sent on', async () => {
        const automatic = newReply({ subject: 'Automatic reply: Route planning' });
        await send(api, SOURCE.id, [automatic]);
        await pass(RELAY.delayMinutes);
        expect(await mailsOf(automatic)).toEqual([]);
      });

      test.each([451, 'reset'] as const)(
        'while mails fail with %s they wait, and arrive once afterwards',
        async (failure) => {
          await api.target().mail.failWith(failure);
          const replies = [newReply(), newReply()];
          await send(api, SOURCE.id, replies);
          await pass(60);
          for (const reply of replies) expect(await mailsOf(reply)).toEqual([]);
          await api.target().mail.failWith(null);
          await pass(66);
          for (const reply of replies) expect(await mailsOf(reply)).toHaveLength(1);
        },
      );

      test('at most 60 replies of an hour get a mail each; the others are in the digest after the hour', async () => {
        const replies = Array.from({ length: 64 }, () => newReply());
        await send(api, SOURCE.id, replies);
        await pass(RELAY.delayMinutes);
        const mailed = async () => {
          const answerTo = (await api.target().mail.received()).map(({ replyTo }) => replyTo);
          return replies.filter((reply) => answerTo.includes(leadOf(reply)));
        };
        const atOnce = await mailed();
        expect(atOnce.length).toBeLessThanOrEqual(60);
        await pass(60);
        expect(await mailed()).toEqual(atOnce);
        const digests = (await api.target().mail.received()).filter(({ relay }) => relay === `${RELAY.id}/digest`);
        const last = digests.at(-1);
        expect(last).toMatchObject({ to: RELAY.ccEmail, replyTo: null, autoSubmitted: 'auto-generated' });
        const others = replies.filter((reply) => !atOnce.includes(reply));
        expect(last?.subject).toBe(`${others.length} more replies`);
        for (const reply of others) expect(last?.text).toContain(leadOf(reply));
      });

      test('a mail that is refused with a 5xx is not sent again', async () => {
        await api.target().mail.failWith(550);
        const reply = newReply();
        await send(api, SOURCE.id, [reply]);
        await pass(RELAY.delayMinutes);
        await api.target().mail.failWith(null);
        await pass(70);
        expect(await mailsOf(reply)).toEqual([]);
      });

      test('a mail whose answer was lost arrives at most twice, with one message id', async () => {
        await api.target().mail.failWith('lost-answer');
        const reply = newReply();
        await send(api, SOURCE.id, [reply]);
        await pass(RELAY.delayMinutes + 20);
        await api.target().mail.failWith(null);
        await pass(70);
        const mails = await mailsOf(reply);
        expect(mails).toHaveLength(2);
        expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(1);
      });
    });
  },
  { workers: 'off' },
);
