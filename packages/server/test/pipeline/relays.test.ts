/** Reply relays, from the post of a sequencer to the mail in the mailbox of the simulated mail server. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { RELAY_MAILS_PER_HOUR } from '@svc/domain/relays/relay-limit';
import { relayMessageId } from '@svc/domain/relays/message-id';
import { pino } from 'pino';
import { parse } from 'yaml';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { performAdmin } from '@svc/operations/perform';
import { toMailConfig } from '@svc/engine/config/mail-config';
import { anyBackend } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { parseScrape } from '../support/scrape.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Bound to the demo's Smartlead and Instantly sources of connection 1; waits for 5 minutes. */
const RELAY = 1;
const CONNECTION = 1;

describe('reply relays', () => {
  let server: TestServer;
  let posted = 0;
  beforeAll(async () => {
    server = await startTestServer(anyBackend, { hasPublishedKeys: true });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    server.mail.reset();
    const { db, clock } = server;
    for (const table of [
      'jobs',
      'relay_mails',
      'relay_hours',
      'relay_digest_replies',
      'inbound_events',
      'category_signals',
    ])
      await db.query(`delete from ${table}`);
    await db.query('update connections set capability_destinations = true, capability_sync = false');
    await db.query(
      `update reply_relays set delay_minutes = 5, body_templates = '{}', category_allowlist = '[]', cc_email = 'rep@example.com',
         routes = null
         where id = $1`,
      [RELAY],
    );
    clock.advance(DAY_MS);
  });

  const settle = () => server.running.runner.runDue();
  const wait = (ms: number) => {
    server.clock.advance(ms);
    return settle();
  };
  const mails = () => server.mail.mails();
  /** A reply as Smartlead posts it. */
  const reply = (changes: object = {}) => {
    posted += 1;
    return {
      event_type: 'EMAIL_REPLY',
      to_email: `lead-${posted}@lead.example`,
      to_name: 'Kim Lee',
      stats_id: `relay-${posted}`,
      campaign_name: 'Spring',
      subject: 'Hello',
      message_id: `<sent-${posted}@acme.example>`,
      reply_message: { message_id: `<reply-${posted}@lead.example>`, text: 'Yes, please.' },
      ...changes,
    };
  };
  const receive = async (body: object = reply(), path = 'demo-smartlead') => {
    expect((await server.post(`/webhooks/${path}`, body)).status).toBe(200);
    await settle();
    return body;
  };
  const changeCategory = (email: string, name: string, id = '1') =>
    receive({
      event_type: 'LEAD_CATEGORY_UPDATED',
      to_email: email,
      event_timestamp: server.clock.now().toISOString(),
      lead_category: { new_id: id, new_name: name },
    });
  const setRelay = (column: string, value: unknown) =>
    server.db.query(`update reply_relays set ${column} = $2 where id = $1`, [RELAY, value]);
  const log = async (filter: object = {}) => {
    return (await performAdmin(server.running.ctx, 'relays/log', filter, 'a test')).mails;
  };
  const waitingJobs = async () => (await server.db.query(`select from jobs where kind = 'relay-reply'`)).rowCount;

  test('a reply is mailed to the rep after the delay of its relay, in the thread of the lead', async () => {
    const receivedAt = server.clock.now();
    await receive();
    expect(mails()).toEqual([]);
    expect(await log()).toMatchObject([
      { relayId: RELAY, status: 'waiting', attempts: 0, dueAt: new Date(+receivedAt + 5 * MINUTE_MS).toISOString() },
    ]);
    await wait(5 * MINUTE_MS - 1);
    expect(mails()).toEqual([]);
    await wait(1);
    const [mail] = mails();
    const { rows } = await server.db.query<{ id: number }>('select id from inbound_events');
    const messageId = relayMessageId({
      relayId: RELAY,
      eventId: rows[0]?.id ?? 0,
      receivedAt,
      domain: 'svc.example',
    });
    expect(mail).toMatchObject({
      sender: 'relay@svc.example',
      recipients: ['rep@example.com'],
      subject: 'Re: Hello',
      text: expect.stringContaining('> Yes, please.'),
      html: expect.stringContaining('<blockquote>Yes, please.</blockquote>'),
    });
    expect(mail?.headers).toMatchObject({
      from: 'Reply relay <relay@svc.example>',
      to: 'rep@example.com',
      'reply-to': `Kim Lee <lead-${posted}@lead.example>`,
      'message-id': messageId,
      'in-reply-to': `<reply-${posted}@lead.example>`,
      references: `<sent-${posted}@acme.example> <reply-${posted}@lead.example>`,
      'auto-submitted': 'auto-generated',
      'x-service-relay': `${RELAY}/${rows[0]?.id}`,
    });
    expect(await log()).toMatchObject([
      { status: 'sent', attempts: 1, unconfirmedAttempts: 0, smtpCode: 250, reason: null, messageId },
    ]);
    expect(await waitingJobs()).toBe(0);
    await wait(DAY_MS);
    expect(mails()).toHaveLength(1);
  });

  test('a reply that is reported again causes no second mail; other events cause none', async () => {
    const body = await receive();
    await receive(body);
    await receive(reply({ event_type: 'EMAIL_OPEN' }));
    await receive(reply({ event_type: 'EMAIL_BOUNCE' }));
    await receive(
      { event_type: 'auto_reply_received', lead_email: 'a@lead.example', timestamp: '2026-03-01T00:00:00Z' },
      'demo-instantly',
    );
    await wait(HOUR_MS);
    expect(mails()).toHaveLength(1);
    expect(await log()).toHaveLength(1);
  });

  test('templates take turns, with the fields of the event', async () => {
    await setRelay('body_templates', ['A: {{leadName}} <{{campaignName}}>', '<p>B: {{leadName}} {{campaignName}}</p>']);
    for (let index = 0; index < 12; index += 1) await receive(reply({ campaign_name: '<Spring> & "more"' }));
    await wait(HOUR_MS);
    expect(mails()).toHaveLength(12);
    const [a = [], b = []] = ['A', 'B'].map((start) => mails().filter(({ text }) => text.startsWith(`${start}:`)));
    expect([a.length > 1, b.length > 1, a.length + b.length]).toEqual([true, true, 12]);
    expect(a[0]?.text).toContain('A: Kim Lee <<Spring> & "more">');
    expect(b[0]?.html).toContain('<p>B: Kim Lee &lt;Spring&gt; &amp; &quot;more&quot;</p>');
    for (const { text } of mails()) expect(text).toContain('> Yes, please.');
  });

  describe('is judged when the mail is due:', () => {
    const expectSkipped = async (reason: string) => {
      await wait(HOUR_MS);
      expect(mails()).toEqual([]);
      expect(await log()).toMatchObject([{ status: 'skipped', reason, attempts: 0 }]);
      expect(await waitingJobs()).toBe(0);
    };

    test('the capability', async () => {
      await receive();
      await server.db.query('update connections set capability_destinations = false where id = $1', [CONNECTION]);
      await expectSkipped('The capability destinations is off for the connection');
    });

    test('the capability, switched on meanwhile', async () => {
      await server.db.query('update connections set capability_destinations = false where id = $1', [CONNECTION]);
      await receive();
      await server.db.query('update connections set capability_destinations = true where id = $1', [CONNECTION]);
      await wait(HOUR_MS);
      expect(mails()).toHaveLength(1);
    });

    test('the binding', async () => {
      await receive();
      const { rows } = await server.db.query<{ source_id: number }>(
        'delete from reply_relay_bindings where reply_relay_id = $1 returning source_id',
        [RELAY],
      );
      await expectSkipped('The relay is no longer bound to the source');
      for (const row of rows)
        await server.db.query('insert into reply_relay_bindings values ($1, $2)', [row.source_id, RELAY]);
    });

    test('the category, changed from an allowed one', async () => {
      await setRelay('category_allowlist', JSON.stringify([{ id: '7', name: 'Interested' }]));
      const body = reply();
      await changeCategory(body.to_email, 'Interested', '99');
      await receive(body);
      await changeCategory(body.to_email, 'Not interested', '3');
      await expectSkipped("The lead's category is not one that the relay sends: Not interested");
    });

    test('the category, changed to an allowed one, by name or by id', async () => {
      await setRelay('category_allowlist', JSON.stringify([{ id: '7', name: 'Interested' }]));
      const [byName, byId, never] = [reply(), reply(), reply()];
      for (const body of [byName, byId, never]) await receive(body);
      await changeCategory(byName.to_email, 'interested', '99');
      await changeCategory(byId.to_email, 'Renamed', '7');
      await wait(HOUR_MS);
      expect(mails().map(({ headers }) => headers['reply-to'])).toEqual([
        `Kim Lee <${byName.to_email}>`,
        `Kim Lee <${byId.to_email}>`,
      ]);
      expect((await log({ status: 'skipped' })).map(({ lead, reason }) => [lead, reason])).toEqual([
        [never.to_email, 'The lead has no category, and the relay sends only some'],
      ]);
    });

    test('an id of another platform does not count, and neither does another lead', async () => {
      await setRelay('category_allowlist', JSON.stringify([{ id: '7', name: 'Interested' }]));
      const body = reply();
      await receive(body);
      await changeCategory('somebody-else@lead.example', 'Interested', '7');
      await receive(
        { event_type: 'lead_interested', lead_email: body.to_email, timestamp: '2026-03-01T00:00:00Z' },
        'demo-instantly',
      );
      await expectSkipped('The lead has no category, and the relay sends only some');
    });

    test('an automatic reply that the sequencer recognized afterwards', async () => {
      const body = reply();
      await receive(body);
      await changeCategory(body.to_email, 'Out Of Office', '6');
      await expectSkipped('The category says that the reply is automatic');
    });

    test('a loop', async () => {
      await receive(reply({ sl_lead_email: 'rep@example.com' }));
      await expectSkipped('The reply comes from an address of our own');
    });

    test('the removal of the relay; its log stays', async () => {
      const { replyRelay } = await performAdmin(
        server.running.ctx,
        'relays/add',
        {
          connectionId: CONNECTION,
          ccEmail: 'gone@example.com',
        },
        'a test',
      );
      await performAdmin(server.running.ctx, 'relays/bind', { relayId: replyRelay.id, sourceId: 1 }, 'a test');
      server.mail.failAlways(451);
      await receive();
      await settle();
      const removed = await performAdmin(
        server.running.ctx,
        'relays/remove',
        {
          id: replyRelay.id,
          isConfirmed: true,
        },
        'a test',
      );
      expect(removed.kept).toEqual({ 'relay mails': 1 });
      server.mail.failAlways(null);
      await wait(HOUR_MS);
      expect(mails()).toEqual([]);
      expect(await log()).toMatchObject([
        { status: 'skipped', reason: 'The relay was removed', to: 'gone@example.com' },
      ]);
      await performAdmin(server.running.ctx, 'relays/bind', { relayId: RELAY, sourceId: 1 }, 'a test');
    });
  });

  describe('the mail server', () => {
    test('refuses for now, then accepts', async () => {
      await receive();
      server.mail.failNext(451, { at: 'recipient', code: 450 });
      await wait(5 * MINUTE_MS);
      expect(await log()).toMatchObject([{ status: 'waiting', attempts: 1, smtpCode: 451 }]);
      await wait(6 * MINUTE_MS);
      expect(await log()).toMatchObject([{ status: 'waiting', attempts: 2, smtpCode: 450 }]);
      await wait(2 * MINUTE_MS);
      expect(await log()).toMatchObject([{ status: 'sent', attempts: 3, unconfirmedAttempts: 0, smtpCode: 250 }]);
      expect(mails()).toHaveLength(1);
    });

    test.each([554, { at: 'recipient', code: 550 }] as const)('refuses for good: %j', async (fault) => {
      await receive();
      server.mail.failAlways(fault);
      await wait(5 * MINUTE_MS);
      await wait(DAY_MS);
      const smtpCode = typeof fault === 'number' ? fault : fault.code;
      expect(await log()).toMatchObject([{ status: 'failed', attempts: 1, smtpCode, nextAttemptAt: null }]);
      expect((await log())[0]?.reason).toContain(`simulated ${smtpCode}`);
    });

    test('is given up after eight attempts', async () => {
      await receive();
      server.mail.failAlways(421);
      for (let attempt = 0; attempt < 8; attempt += 1) await wait(HOUR_MS);
      expect(await log()).toMatchObject([{ status: 'failed', attempts: 8, smtpCode: 421 }]);
      expect(await waitingJobs()).toBe(0);
    });

    test('has the mail when the process dies: it is sent once more with the same id, and counted', async () => {
      await receive();
      // What a killed process leaves: the mail is marked, and its job comes back when the lease has ended.
      await server.db.query(
        `update relay_mails set status = 'sending', attempt_count = 1, message_id = '<svc-relay.1.1.old@svc.example>'`,
      );
      await wait(5 * MINUTE_MS);
      expect(await log()).toMatchObject([{ status: 'sent', attempts: 2, unconfirmedAttempts: 1 }]);
      expect(mails().map(({ headers }) => headers['message-id'])).toEqual(['<svc-relay.1.1.old@svc.example>']);
    });

    test('is not configured: mails wait, are sent once it is, and are not sent when they are old', async () => {
      const plain = await server.startAnother({ mail: null });
      try {
        await server.post('/webhooks/demo-smartlead', reply());
        await plain.runner.runDue();
        server.clock.advance(5 * MINUTE_MS);
        await plain.runner.runDue();
        expect(await log()).toMatchObject([
          {
            status: 'waiting',
            attempts: 0,
            reason: 'No mail server is configured: set SVC_SMTP_URL and SVC_MAIL_FROM.',
          },
        ]);
        const { notices } = await performAdmin(plain.ctx, 'relays/log', {}, 'a test');
        expect(notices.join()).toContain('set SVC_SMTP_URL and SVC_MAIL_FROM. Until then');
        const { checks } = await performAdmin(plain.ctx, 'doctor/check', {}, 'a test');
        expect(checks.find(({ name }) => name === 'reply relays')).toMatchObject({
          status: 'WARN',
          message: expect.stringContaining('waiting mails: 1; no mail server is configured'),
        });
        server.clock.advance(2 * DAY_MS);
        await server.post('/webhooks/demo-smartlead', reply());
        await plain.runner.runDue();
        server.clock.advance(DAY_MS + 1);
      } finally {
        await plain.close();
      }
      await settle();
      expect(mails()).toHaveLength(1);
      expect((await log()).map(({ status, reason }) => [status, reason])).toEqual([
        ['sent', null],
        ['skipped', 'It was due more than 3 days ago'],
      ]);
      const { checks } = await performAdmin(server.running.ctx, 'doctor/check', {}, 'a test');
      expect(checks.find(({ name }) => name === 'reply relays')).toMatchObject({
        status: 'PASS',
        message: expect.stringContaining('sent from relay@svc.example'),
      });
    });
  });

  describe('routes', () => {
    const REP = 'owner@example.com';
    const route = (routes: unknown) =>
      performAdmin(server.running.ctx, 'relays/update', { id: RELAY, routes }, 'a test');
    const recipients = () => mails().map((mail) => mail.recipients.join());
    /** Makes the CRM have the lead, with this owner or without one. */
    const own = async (email: string, ownerId: string) => {
      const response = await fetch(`${server.crm.url}/crm/objects/2026-09/contacts/batch/upsert`, {
        method: 'POST',
        headers: { Authorization: 'Bearer any', 'Content-Type': 'application/json' },
        body: JSON.stringify({
          inputs: [{ idProperty: 'email', id: email, properties: { email, hubspot_owner_id: ownerId } }],
        }),
      });
      expect(response.status).toBe(200);
    };
    const due = () => wait(5 * MINUTE_MS);
    afterEach(async () => {
      server.crm.reset();
      await server.db.query(`delete from write_policies where connection_id = $1`, [CONNECTION]);
    });

    test('the file of docs/relays.md: owner, then policy, then campaign, then the fixed address', async () => {
      const page = await readFile(new URL('../../../../docs/relays.md', import.meta.url), 'utf8');
      const { replyRelay } = await route(parse(/```yaml\n([^`]+)```/.exec(page)?.[1] ?? ''));
      expect(replyRelay.routes?.[0]).toBe('crm-owner');
      const policy = { owner: { map: [{ campaign: 'Madrid', user: 'Mia@example.com' }], fallback: 'no@example.com' } };
      await performAdmin(server.running.ctx, 'connections/set-policy', { id: CONNECTION, policy }, 'a test');
      const owned = reply({ campaign_name: 'Madrid' });
      await own(owned.to_email, '7001');
      const others = ['Madrid', 'Berlin, spring', 'Paris'].map((campaign_name) => reply({ campaign_name }));
      for (const body of [owned, ...others]) await receive(body);
      await due();
      expect(recipients()).toEqual([REP, 'Mia@example.com', 'ana@example.com', 'rep@example.com']);
      expect((await log()).map(({ route: chosen, to, routeNote }) => [chosen, to, routeNote]).toReversed()).toEqual([
        ['crm-owner', REP, null],
        ['policy-owner', 'Mia@example.com', null],
        ['campaigns', 'ana@example.com', null],
        ['fixed', 'rep@example.com', null],
      ]);
    });

    test('a user whom the policy names by id has the address of the CRM', async () => {
      await route(['policy-owner']);
      const policy = { owner: { map: [{ campaign: '*', user: '7001' }] } };
      await performAdmin(server.running.ctx, 'connections/set-policy', { id: CONNECTION, policy }, 'a test');
      await receive();
      await due();
      expect(recipients()).toEqual([REP]);
    });

    test('a change of owner reroutes the next reply, and not one that was tried', async () => {
      await route(['crm-owner']);
      const [first, second] = [reply(), reply()];
      await own(first.to_email, '7001');
      await receive(first);
      server.mail.failNext(451);
      await due();
      await own(first.to_email, '');
      await receive({ ...second, to_email: first.to_email });
      await due();
      await wait(10 * MINUTE_MS);
      expect(recipients().toSorted()).toEqual([REP, 'rep@example.com']);
      expect((await log()).map(({ attempts, to }) => [attempts, to])).toEqual([
        [1, 'rep@example.com'],
        [2, REP],
      ]);
    });

    test('a CRM that does not work is asked again, and after two hours the fixed address is used', async () => {
      await route(['crm-owner']);
      const [early, late] = [reply(), reply()];
      for (const { to_email } of [early, late]) await own(to_email, '7001');
      await receive(early);
      server.crm.failNext(1, 503);
      await due();
      expect(await log()).toMatchObject([
        { status: 'waiting', attempts: 0, route: null, reason: expect.stringContaining('is asked for again: HubSpot') },
      ]);
      await wait(MINUTE_MS);
      expect(recipients()).toEqual([REP]);
      await receive(late);
      server.crm.failNext(1_000, 503);
      await due();
      for (let minute = 0; minute < 119; minute += 1) await wait(MINUTE_MS);
      expect(mails()).toHaveLength(1);
      await wait(MINUTE_MS);
      expect(recipients()).toEqual([REP, 'rep@example.com']);
      expect((await log())[0]).toMatchObject({
        ...{ status: 'sent', attempts: 1, route: 'fixed', reason: null },
        routeNote: expect.stringMatching(/^crm-owner: HubSpot answered 503/),
      });
    });

    test('a connection without a token falls back at once', async () => {
      await route(['crm-owner']);
      const token = 'select crm_token as token from connections where id = $1';
      const { rows } = await server.db.query<{ token: string }>(token, [CONNECTION]);
      await server.db.query('update connections set crm_token = null where id = $1', [CONNECTION]);
      await receive();
      await due();
      await server.db.query('update connections set crm_token = $2 where id = $1', [CONNECTION, rows[0]?.token]);
      expect(recipients()).toEqual(['rep@example.com']);
      expect((await log())[0]?.routeNote).toMatch(/^crm-owner: .*disconnected/);
    });

    test('an owner who wrote the reply gets no copy of it', async () => {
      await route(['crm-owner']);
      await own(REP, '7001');
      await receive(reply({ to_email: REP }));
      await due();
      expect(await log()).toMatchObject([{ status: 'skipped', reason: 'The reply comes from an address of our own' }]);
    });

    test('an erasure of the rep takes the address out of the log', async () => {
      await route([{ campaigns: [{ campaign: '*', to: 'gone@example.com' }] }]);
      await receive();
      await due();
      expect(recipients()).toEqual(['gone@example.com']);
      const { rows } = await server.db.query<{ id: number }>('select account_id as id from relay_mails');
      const person = { accountId: rows[0]?.id, email: 'gone@example.com', isConfirmed: true };
      await performAdmin(server.running.ctx, 'persons/erase', person, 'a test');
      expect((await log())[0]?.to).not.toContain('gone');
    });

    test('a relay has no routes again', async () => {
      await route(['crm-owner']);
      expect((await route(null)).replyRelay.routes).toBeNull();
      await expect(route(['owner'])).rejects.toThrow('must be crm-owner, policy-owner');
    });
  });

  describe('relays resend', () => {
    const resend = (mailId: number, again = false) =>
      performAdmin(server.running.ctx, 'relays/resend', { mailId, again }, 'a test');
    const onlyMail = async () => (await log())[0] ?? expect.fail('no mail');

    test('a failed mail is sent again with its message id, also after days, with a new series of attempts', async () => {
      server.mail.failAlways(421);
      await receive();
      for (let attempt = 0; attempt < 8; attempt += 1) await wait(HOUR_MS);
      const { id, messageId } = await onlyMail();
      await wait(5 * DAY_MS);
      expect((await resend(id)).mail).toMatchObject({ id, status: 'waiting', attempts: 0, reason: null, messageId });
      await settle();
      expect(await log()).toMatchObject([{ status: 'waiting', attempts: 1, smtpCode: 421 }]);
      await expect(resend(id)).rejects.toMatchObject({ code: 'conflict' });
      server.mail.failAlways(null);
      await wait(10 * MINUTE_MS);
      expect(await log()).toMatchObject([{ status: 'sent', attempts: 2, messageId }]);
      expect(mails().map(({ headers }) => headers['message-id'])).toEqual([messageId]);
      expect(await waitingJobs()).toBe(0);
    });

    test('a sent mail only with --again, which gives it another message id', async () => {
      await receive();
      await wait(5 * MINUTE_MS);
      const { id } = await onlyMail();
      await expect(resend(id)).rejects.toMatchObject({
        code: 'conflict',
        message: `Mail ${id} was sent. --again sends it a second time.`,
      });
      await wait(DAY_MS);
      expect(mails()).toHaveLength(1);
      await resend(id, true);
      await settle();
      expect(mails()).toHaveLength(2);
      const [first, second] = mails().map(({ headers }) => headers['message-id']);
      expect(second).toMatch(/^<svc-relay\.\d+\.\d+\.[0-9a-z]+@svc\.example>$/);
      expect(second).not.toBe(first);
      expect(await log()).toMatchObject([{ status: 'sent', messageId: second }]);
    });

    test('a skipped mail is judged again', async () => {
      await setRelay('category_allowlist', JSON.stringify([{ id: '7', name: 'Interested' }]));
      const body = reply();
      await receive(body);
      await wait(HOUR_MS);
      const { id } = await onlyMail();
      await resend(id);
      await settle();
      expect(await log()).toMatchObject([{ id, status: 'skipped' }]);
      await changeCategory(body.to_email, 'Interested', '7');
      await resend(id);
      await settle();
      expect(await log()).toMatchObject([{ id, status: 'sent' }]);
      await expect(resend(999_999)).rejects.toMatchObject({ code: 'not_found' });
    });
  });

  test.each([
    ['only a profile', {}, undefined],
    ['an address too', { email_address: 'ines@lead.example' }, 'Inès Marchand <ines@lead.example>'],
  ])('a message on a social network is mailed without a thread; of the lead is known: %s', async (_, lead, replyTo) => {
    await server.db.query(`insert into reply_relay_bindings select id, $1 from sources where path = 'demo-heyreach'`, [
      RELAY,
    ]);
    const at = server.clock.now().toISOString();
    await receive(
      {
        event_type: 'every_message_reply_received',
        is_inmail: false,
        recent_messages: [{ creation_time: at, message: 'Tell me more!', is_reply: true }],
        conversation_id: `conversation-${at}`,
        lead: {
          id: '7f21c',
          profile_url: 'https://www.linkedin.com/in/ines-marchand',
          full_name: 'Inès Marchand',
          first_name: 'Inès',
          last_name: 'Marchand',
          ...lead,
        },
        timestamp: at,
      },
      'demo-heyreach',
    );
    await wait(HOUR_MS);
    const { rows } = await server.db.query<{ type: string }>('select event_type as type from inbound_events');
    expect(rows).toEqual([{ type: 'MESSAGE_REPLY' }]);
    const [mail] = mails();
    expect(mail).toMatchObject({ subject: 'Reply from Inès Marchand', recipients: ['rep@example.com'] });
    expect(mail?.text).toContain('> Tell me more!');
    expect(mail?.text).toContain('Profile: https://www.linkedin.com/in/ines-marchand');
    for (const name of ['in-reply-to', 'references']) expect(mail?.headers).not.toHaveProperty(name);
    if (replyTo === undefined) expect(mail?.headers).not.toHaveProperty('reply-to');
    else expect(mail?.headers['reply-to']).toContain('<ines@lead.example>');
    await server.db.query(`delete from reply_relay_bindings b using sources s
        where s.id = b.source_id and s.path = 'demo-heyreach'`);
  });

  describe('more replies in an hour than the limit', () => {
    const LIMIT = 3;
    beforeEach(() => {
      server.running.ctx.relayMailsPerHour = LIMIT;
    });
    afterAll(() => {
      server.running.ctx.relayMailsPerHour = RELAY_MAILS_PER_HOUR;
    });
    const nextHour = () => HOUR_MS - (+server.clock.now() % HOUR_MS);
    const digests = () => mails().filter(({ headers }) => headers['x-service-relay'] === `${RELAY}/digest`);
    const statuses = async () => {
      const rows = Map.groupBy(await log({ limit: 1_000 }), ({ status }) => status);
      return Object.fromEntries([...rows].map(([status, { length }]) => [status, length]));
    };
    /** One post with many replies, at the begin of an hour. */
    const receiveMany = async (count: number) => {
      await wait(nextHour());
      const replies = Array.from({ length: count }, () => reply());
      await receive(replies);
      await wait(5 * MINUTE_MS);
      return replies;
    };

    test('the next hour has a limit of its own', async () => {
      await receiveMany(LIMIT + 1);
      await receiveMany(LIMIT);
      expect(mails()).toHaveLength(2 * LIMIT + 1);
      expect(digests()).toHaveLength(1);
    });

    test('repeated attempts at a mail do not count again', async () => {
      server.mail.failAlways(451);
      await receiveMany(LIMIT);
      await wait(6 * MINUTE_MS);
      expect(await statuses()).toEqual({ waiting: LIMIT });
      server.mail.failAlways(null);
      await wait(10 * MINUTE_MS);
      expect(await statuses()).toEqual({ sent: LIMIT });
    });

    test('a reply that must not be sent when the digest is due is left out', async () => {
      const replies = await receiveMany(LIMIT + 2);
      const sent = mails().map(({ headers }) => headers['reply-to'] ?? '');
      const [left = '', kept = ''] = replies
        .map(({ to_email }) => to_email)
        .filter((email) => !sent.some((address) => address.includes(email)));
      await changeCategory(left, 'Out Of Office');
      await wait(nextHour());
      expect(digests()).toMatchObject([{ subject: '1 more reply', text: expect.stringContaining(kept) }]);
      expect(digests()[0]?.text).not.toContain(left);
      expect(await statuses()).toEqual({ sent: LIMIT + 1, digest: 1, skipped: 1 });
    });

    test('the process dies while the digest is sent: it is sent once more with the same id, and counted', async () => {
      await receiveMany(LIMIT + 3);
      await server.db.query(`update relay_mails set status = 'sending', attempt_count = 1 where event_id is null`);
      await wait(nextHour());
      expect(digests()).toMatchObject([{ subject: '3 more replies' }]);
      const [row] = (await log()).filter(({ lead }) => lead === null);
      expect(row).toMatchObject({ status: 'sent', attempts: 2, unconfirmedAttempts: 1 });
    });

    test('a reply that comes while the digest is tried goes into the next one', async () => {
      await receiveMany(LIMIT + 1);
      await server.db.query(`update relay_mails set status = 'sending', attempt_count = 1 where event_id is null`);
      await receive();
      await wait(5 * MINUTE_MS);
      await wait(nextHour());
      expect(digests()).toMatchObject([{ subject: '1 more reply' }]);
      await wait(nextHour());
      expect(digests()).toMatchObject([{ subject: '1 more reply' }, { subject: '1 more reply' }]);
      expect(new Set(digests().map(({ headers }) => headers['message-id'])).size).toBe(2);
    });

    test('a reply of a relay that is no longer bound is in no digest', async () => {
      await receiveMany(LIMIT + 1);
      const { rows } = await server.db.query<{ source_id: number }>(
        'delete from reply_relay_bindings where reply_relay_id = $1 returning source_id',
        [RELAY],
      );
      await wait(nextHour());
      expect(digests()).toEqual([]);
      expect(await statuses()).toEqual({ sent: LIMIT, skipped: 2 });
      for (const row of rows)
        await server.db.query('insert into reply_relay_bindings values ($1, $2)', [row.source_id, RELAY]);
    });
  });

  test('no text of a payload becomes a header of the mail', async () => {
    const evil = 'x\r\nBcc: victim@example.net\r\n\r\nbody';
    await receive(
      reply({
        subject: evil,
        to_name: `${evil} <victim@example.net>`,
        message_id: `<a@b>${evil}`,
        reply_message: { message_id: `<x@y>\r\nBcc: victim@example.net`, text: `.\r\n.\r\n${evil}` },
        campaign_name: evil,
      }),
    );
    await wait(HOUR_MS);
    const [mail] = mails();
    expect(mail?.recipients).toEqual(['rep@example.com']);
    expect(Object.keys(mail?.headers ?? {}).sort()).toEqual([
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'reply-to',
      'subject',
      'to',
      'x-service-relay',
    ]);
    expect(mail?.headers['reply-to']).toMatch(new RegExp(`<lead-${posted}@lead\\.example>$`));
    expect(mail?.subject).toBe('Re: x Bcc: victim@example.net body');
  });

  test('a source without syncing and forwarding still relays; metrics count', async () => {
    await server.db.query('delete from destination_bindings where source_id = 1');
    const sentBefore = await sentCount();
    await receive();
    await wait(HOUR_MS);
    expect(mails()).toHaveLength(1);
    expect((await sentCount()) - sentBefore).toBe(1);
  });
  const sentCount = async () =>
    parseScrape(await (await fetch(`${server.url}/metrics`)).text()).get('svc_relay_mails_total{status="sent"}') ?? 0;

  test('a relay that hangs on another account does not hold this one up: the key is the relay', async () => {
    await receive();
    const { rows } = await server.db.query<{ key: string }>(
      `select fairness_key as key from jobs where kind = 'relay-reply'`,
    );
    expect(rows).toEqual([{ key: `account:1/relay:${RELAY}` }]);
  });

  test('the removal of a connection removes its mails and their jobs', async () => {
    await receive();
    await server.db.query('update relay_mails set connection_id = 2');
    await performAdmin(server.running.ctx, 'connections/remove', { id: 2, isConfirmed: true }, 'a test');
    expect([await waitingJobs(), await log()]).toEqual([0, []]);
  });

  test('the mailbox page shows the mails, escaped', async () => {
    await receive(reply({ subject: '<script>alert(1)</script>', reply_message: { text: '<img src=x> & more' } }));
    await wait(HOUR_MS);
    const answer = await fetch(`${server.url}/demo/mailbox`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await answer.text();
    expect(html).toContain('Re: &lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).toContain('&lt;img src=x&gt; &amp; more');
    expect(html).not.toMatch(/<script|<img/);
    server.mail.reset();
    expect(await (await fetch(`${server.url}/demo/mailbox`)).text()).toContain('No mail yet.');
  });
});

test('only a demo has a mailbox page', async () => {
  const server = await startTestServer(anyBackend);
  try {
    expect((await fetch(`${server.url}/demo/mailbox`)).status).toBe(404);
  } finally {
    await server.close();
  }
});

test('the log is deleted with old payloads; waiting mails stay', async () => {
  const server = await startTestServer(anyBackend, { env: { SVC_PAYLOAD_DAYS: '30' }, startMaintenance: true });
  const receive = async (number: number) => {
    const ids = { to_email: `lead-${number}@lead.example`, stats_id: `relay-${number}` };
    await server.post('/webhooks/demo-smartlead', { event_type: 'EMAIL_REPLY', reply_body: 'Yes!', ...ids });
    await server.running.runner.runDue();
  };
  const statuses = async () =>
    (await performAdmin(server.running.ctx, 'relays/log', {}, 'a test')).mails.map(({ status }) => status);
  try {
    await server.db.query('update reply_relays set delay_minutes = 5 where id = $1', [RELAY]);
    await receive(1);
    server.clock.advance(5 * MINUTE_MS);
    await server.running.runner.runDue();
    await server.db.query('update reply_relays set delay_minutes = $2 where id = $1', [RELAY, 60 * 24 * 30]);
    server.clock.advance(29 * DAY_MS);
    await receive(2);
    expect(await statuses()).toEqual(['waiting', 'sent']);
    server.clock.advance(2 * DAY_MS);
    // Maintenance plans its next run when one has ended.
    await expect
      .poll(() => {
        server.clock.advance(10 * MINUTE_MS);
        return statuses();
      })
      .toEqual(['waiting']);
  } finally {
    await server.close();
  }
});

describe('the mail server', () => {
  const REPLY = { event_type: 'EMAIL_REPLY', to_email: 'kim@lead.example', stats_id: 'hang-1', reply_body: 'Yes!' };

  test('hangs with the content: the mail is sent once more, and counted', async () => {
    const server = await startTestServer(anyBackend, { mailTimeoutMs: 1_000 });
    try {
      server.mail.failNext('hang');
      await server.post('/webhooks/demo-smartlead', REPLY);
      await server.running.runner.runDue();
      server.clock.advance(5 * MINUTE_MS);
      await server.running.runner.runDue();
      const log = async () => (await performAdmin(server.running.ctx, 'relays/log', {}, 'a test')).mails;
      expect(await log()).toMatchObject([{ status: 'waiting', attempts: 1, unconfirmedAttempts: 1, smtpCode: null }]);
      server.clock.advance(10 * MINUTE_MS);
      await server.running.runner.runDue();
      expect(await log()).toMatchObject([{ status: 'sent', attempts: 2, unconfirmedAttempts: 1 }]);
      expect(server.mail.mails()).toHaveLength(1);
    } finally {
      await server.close();
    }
  });

  test('refuses the password, and repeats it: log, doctor and mail log do not show it', async () => {
    const [PASSWORD, ENCODED] = ['hunter-2-secret', Buffer.from('\0kim\0hunter-2-secret').toString('base64')];
    const lines: string[] = [];
    const smtp = await startRefusingServer(`535 5.7.8 kim may not use ${PASSWORD}, sent as ${ENCODED}`);
    const mail = toMailConfig({
      smtpUrl: `smtp://kim:${PASSWORD}@127.0.0.1:${smtp.port}`,
      from: 'relay@svc.example',
    });
    const server = await startTestServer(anyBackend, {
      config: { mail },
      log: pino({ level: 'trace' }, { write: (line) => lines.push(line) }),
    });
    try {
      await server.post('/webhooks/demo-smartlead', REPLY);
      await server.running.runner.runDue();
      server.clock.advance(5 * MINUTE_MS);
      await server.running.runner.runDue();
      const { ctx } = server.running;
      const { mails } = await performAdmin(ctx, 'relays/log', {}, 'a test');
      expect(mails).toMatchObject([
        { status: 'waiting', smtpCode: 535, reason: expect.stringContaining('kim may not') },
      ]);
      const shown = JSON.stringify([mails, await performAdmin(ctx, 'doctor/check', {}, 'a test'), lines]);
      expect(shown).toContain('a relay mail');
      for (const secret of [PASSWORD, ENCODED]) expect(shown).not.toContain(secret);
    } finally {
      await server.close();
      await smtp.close();
    }
  });
});

/** A mail server that answers every login with this line. */
async function startRefusingServer(answer: string): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('220 ready\r\n');
    socket.on('data', (data) => {
      const line = data.toString();
      if (line.startsWith('EHLO')) socket.write('250-hello\r\n250 AUTH PLAIN\r\n');
      else socket.write(`${line.startsWith('AUTH') ? answer : '221 bye'}\r\n`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
