/** Reading stored receipts again: what becomes an event, what stays, and what is refused. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AdminError } from '@svc/operations/implemented/admin-error';
import { type AdminInput, type AdminResult, performAdmin } from '@svc/operations/perform';
import { dropOldPayloads } from '@svc/engine/store/payload-retention';
import { anyBackend, backends } from '@svc/engine/test/backends';
import { ALERTS, type ForwardingServer, startForwardingServer } from '../support/forwarding-server.ts';

const SOURCE = 1;
const OTHER_SOURCE = 2;
const CONNECTION = 1;
const HOUR_MS = 3_600_000;
const MANY = 1_500;
type Started = AdminInput<'requests/reprocess'>;
type Runs = AdminResult<'requests/runs'>['runs'];

describe.each(backends)('reprocessing on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('of stored receipts', () => {
    let server: ForwardingServer;
    beforeAll(async () => {
      server = await startForwardingServer(backend);
    });
    afterAll(async () => {
      await server.close();
    });
    beforeEach(async () => {
      await server.reset();
      await setPlatform('smartlead');
      await server.db.query(`delete from receipt_runs`);
      await server.db.query('delete from requests where source_id in (1, 2)');
    });

    /** An adapter or mapping that does not read the payloads yet, or reads them now. */
    const setPlatform = (platform: 'smartlead' | 'unknown-yet') =>
      server.db.query('update sources set platform = $2 where id = $1', [SOURCE, platform]);
    const call = (name: 'requests/reprocess' | 'requests/runs' | 'requests/stop' | 'requests/show', input: object) =>
      performAdmin(server.running.ctx, name, input, 'a test');
    const refusal = async (promise: Promise<unknown>) => {
      const error = await promise.then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(AdminError);
      return error as AdminError;
    };
    const reprocess = async (changes: Partial<Started> = {}): Promise<Runs[number]> => {
      const input = { sourceId: SOURCE, since: '20h', ...changes };
      const { run } = (await call('requests/reprocess', input)) as AdminResult<'requests/reprocess'>;
      await server.settle();
      const { runs } = (await call('requests/runs', { runId: run.id })) as AdminResult<'requests/runs'>;
      const [ended] = runs;
      if (ended === undefined) throw new Error('The run is gone.');
      return ended;
    };
    const outcomes = async () => {
      const { rows } = await server.db.query<{ outcome: string }>(
        'select outcome from requests where source_id = $1 order by id',
        [SOURCE],
      );
      return rows.map(({ outcome }) => outcome);
    };
    const syncs = async () => {
      const answer = await server.get('listSyncs', `/api/v1/syncs?${server.range()}&sourceId=${SOURCE}&limit=500`);
      return answer.json.data as { toEmail: string; payloadId: number; createdAt: string; status: string }[];
    };
    /** Receives events that are not understood yet; returns the ids of their receipts. */
    const receiveUnread = async (...events: object[]) => {
      await setPlatform('unknown-yet');
      const ids: number[] = [];
      for (const event of events) ids.push(await server.receive(event));
      await server.settle();
      await setPlatform('smartlead');
      return ids;
    };

    test('what was not understood becomes an event and a sync now, under the old receipt; nothing is forwarded', async () => {
      const [id] = await receiveUnread(
        server.event({ to_email: 'late@example.org', sl_lead_email: 'late@example.org' }),
      );
      expect(await outcomes()).toEqual(['unparsed']);
      await server.waitAndSettle(HOUR_MS);
      const run = await reprocess();
      expect(run).toMatchObject({ state: 'done', total: 1, lookedAt: 1, stopReason: null });
      expect(run.counts).toMatchObject({ understood: 1, newEvents: 1, forwardings: 0 });
      expect(await outcomes()).toEqual(['synced']);
      const [sync, ...others] = await syncs();
      expect(others).toEqual([]);
      expect(sync).toMatchObject({
        toEmail: 'late@example.org',
        payloadId: id,
        status: 'success',
        createdAt: server.clock.now().toISOString(),
      });
      expect(server.crm.engagements()).toHaveLength(1);
      await server.waitAndSettle(HOUR_MS);
      expect(server.receiver.posts()).toEqual([]);
    });

    test('leads that a mapping passes over are named in the receipt, and read again once it names their list', async () => {
      const setMapping = (mapping: object) =>
        performAdmin(server.running.ctx, 'sources/set-mapping', { sourceId: SOURCE, mapping }, 'a test');
      const receipt = async () => {
        const { rows } = await server.db.query('select outcome, outcome_reason from requests where source_id = $1', [
          SOURCE,
        ]);
        return rows;
      };
      const eventTypes = { opened: 'EMAIL_OPEN' };
      await setPlatform('unknown-yet');
      await setMapping({ fields: { eventName: 'event', email: 'leads[0].email' }, eventTypes });
      const leads = ['ada@example.org', 'bo@example.org'].map((email) => ({ email }));
      await server.receive({ event: 'opened', leads });
      await server.settle();
      expect(await receipt()).toEqual([
        { outcome: 'synced', outcome_reason: expect.stringContaining('Only 1 of 2 leads in leads was read') },
      ]);
      await setMapping({ items: 'leads', fields: { eventName: '$.event', email: 'email' }, eventTypes });
      const { counts } = await reprocess();
      expect(counts).toMatchObject({ newEvents: 1 });
      expect(await receipt()).toEqual([{ outcome: 'synced', outcome_reason: null }]);
      expect((await syncs()).map(({ toEmail }) => toEmail).toSorted()).toEqual(['ada@example.org', 'bo@example.org']);
      await performAdmin(server.running.ctx, 'sources/set-mapping', { sourceId: SOURCE, mapping: null }, 'a test');
    });

    test('what was read before is not written again, and repeats are not read', async () => {
      const event = server.event();
      await server.receive(event);
      await server.receive(event);
      await server.settle();
      const posts = server.receiver.posts().length;
      expect(await outcomes()).toEqual(['synced', 'duplicate']);
      const run = await reprocess({ forward: true });
      expect(run.counts).toMatchObject({ known: 1, skipped: 1, newEvents: 0 });
      expect(await outcomes()).toEqual(['synced', 'duplicate']);
      expect(await syncs()).toHaveLength(1);
      expect(server.receiver.posts()).toHaveLength(posts);
    });

    test('a dry run counts and changes nothing', async () => {
      const repeated = server.event();
      await receiveUnread(server.event(), repeated, repeated, { ping: true });
      const run = await reprocess({ dryRun: true, forward: true });
      expect(run).toMatchObject({ dryRun: true, state: 'done' });
      expect(run.counts).toMatchObject({ understood: 2, newEvents: 2, known: 1, unparsed: 1 });
      expect(await outcomes()).toEqual(['unparsed', 'unparsed', 'unparsed', 'unparsed']);
      expect(await syncs()).toEqual([]);
      expect(server.receiver.posts()).toEqual([]);
      expect((await reprocess()).counts).toEqual(run.counts);
    });

    test('keeps the order of a contact, and an old category does not replace a newer one', async () => {
      const lead = 'ordered@example.org';
      const category = (name: string, number: number) => ({
        event_type: 'LEAD_CATEGORY_UPDATED',
        stats_id: `category-${name}-${number}`,
        sl_lead_email: lead,
        to_email: lead,
        lead_category: { new_name: name, new_id: number },
      });
      await receiveUnread(
        ...['Old', 'Older'].map((name, index) => category(name, index)),
        ...Array.from({ length: 5 }, (_, index) => server.event({ to_email: lead, sl_lead_email: lead, n: index })),
      );
      await server.waitAndSettle(HOUR_MS);
      await server.receive(category('New', 9));
      await server.settle();
      await reprocess();
      const rows = (await syncs()).filter(({ toEmail }) => toEmail === lead);
      const [newest, ...reread] = rows.toSorted((a, b) => b.payloadId - a.payloadId);
      expect(newest).toBeDefined();
      const written = await server.db.query<{ payloadId: number }>(
        `select payload_id as "payloadId" from syncs where to_email = $1 and payload_id <> $2 order by id`,
        [lead, newest?.payloadId],
      );
      expect(written.rows.map(({ payloadId }) => payloadId)).toEqual(
        reread.map(({ payloadId }) => payloadId).reverse(),
      );
      const outreach = await server.get('getContactOutreach', `/api/v1/contacts/outreach?email=${lead}`);
      expect(JSON.stringify(outreach.json)).toContain('New');
      const signals = await server.db.query<{ name: string }>(
        `select category_name as name from category_signals where identity = $1 order by at desc`,
        [lead],
      );
      expect(signals.rows[0]?.name).toBe('New');
    });

    test('receipts without their payload are counted, and stay', async () => {
      await receiveUnread(server.event(), server.event());
      await dropOldPayloads(server.db, new Date(server.clock.now().getTime() + HOUR_MS));
      const run = await reprocess();
      expect(run.counts).toMatchObject({ withoutBody: 2, newEvents: 0 });
      expect(await outcomes()).toEqual(['unparsed', 'unparsed']);
    });

    test('only the time span, the outcomes and the source that were named', async () => {
      await receiveUnread(server.event());
      await server.waitAndSettle(2 * HOUR_MS);
      await receiveUnread(server.event());
      await server.waitAndSettle(2 * HOUR_MS);
      await receiveUnread(server.event());
      await server.db.query(`update sources set platform = 'unknown-yet' where id = $1`, [OTHER_SOURCE]);
      await server.receive(server.event(), 'demo-instantly');
      await server.settle();
      await server.db.query(`update sources set platform = 'smartlead' where id = $1`, [OTHER_SOURCE]);
      const span = await reprocess({ since: '3h', until: '1h' });
      expect(span).toMatchObject({ total: 1, lookedAt: 1 });
      expect(await outcomes()).toEqual(['unparsed', 'synced', 'unparsed']);
      expect((await reprocess({ outcomes: ['synced'] })).counts).toMatchObject({ skipped: 2, known: 1 });
      await reprocess();
      expect(await outcomes()).toEqual(['synced', 'synced', 'synced']);
      const others = await server.db.query<{ outcome: string }>('select outcome from requests where source_id = $1', [
        OTHER_SOURCE,
      ]);
      expect(others.rows).toEqual([{ outcome: 'unparsed' }]);
      await server.db.query(`update sources set platform = 'instantly' where id = $1`, [OTHER_SOURCE]);
    });

    test('many receipts are read in steps; a fresh event waits behind few of them', async () => {
      await server.db.query(
        `insert into requests (account_id, connection_id, source_id, path, body, body_sha256, outcome, created_at)
          select 1, $1, $2, 'demo-smartlead', convert_to(json_build_object('event_type', 'EMAIL_SENT', 'stats_id', 'many-' || i,
            'to_email', 'many-' || i || '@example.org')::text, 'UTF8'), 'hash-' || i, 'unparsed', $3
          from generate_series(1, $4) i`,
        [CONNECTION, SOURCE, server.clock.now(), MANY],
      );
      const parkUntil = (until: Date | null) =>
        server.db.query('update connections set crm_parked_until = $1', [until]);
      await parkUntil(new Date(server.clock.now().getTime() + HOUR_MS));
      const { run } = (await call('requests/reprocess', {
        sourceId: SOURCE,
        since: '20h',
      })) as AdminResult<'requests/reprocess'>;
      await server.settle();
      await server.waitAndSettle(60_000);
      const state = async () => {
        const answer = (await call('requests/runs', { runId: run.id })) as AdminResult<'requests/runs'>;
        return answer.runs[0];
      };
      // Some 500 events wait, and the run waits for them.
      const { rowCount: waiting } = await server.db.query(`select from jobs where kind = 'write-crm'`);
      expect(waiting).toBeGreaterThanOrEqual(500);
      expect(waiting).toBeLessThan(700);
      expect(await state()).toMatchObject({ state: 'running', lookedAt: waiting });
      const fresh = await server.receive(server.event());
      await parkUntil(null);
      for (let minutes = 0; minutes < 90; minutes += 10) await server.waitAndSettle(10 * 60_000);
      expect(await state()).toMatchObject({ state: 'done', lookedAt: MANY, counts: { newEvents: MANY } });
      expect(server.crm.engagements()).toHaveLength(MANY + 1);
      const { rows } = await server.db.query<{ before: number }>(
        `select count(*) as before from syncs where payload_id <> $1
          and id < (select id from syncs where payload_id = $1) and connection_id = $2 and created_at >= $3`,
        [fresh, CONNECTION, server.startedAt],
      );
      expect(rows[0]?.before).toBeLessThan(700);
    });

    test('one run of a source at a time; it can be stopped, and another goes on', async () => {
      await receiveUnread(server.event(), server.event());
      const input = { sourceId: SOURCE, since: '20h' };
      const { run } = (await call('requests/reprocess', input)) as AdminResult<'requests/reprocess'>;
      expect(await refusal(call('requests/reprocess', input))).toMatchObject({ code: 'conflict' });
      const stopped = (await call('requests/stop', { id: run.id })) as AdminResult<'requests/stop'>;
      expect(stopped.run).toMatchObject({ state: 'stopped', stopReason: 'Stopped by an operator.' });
      expect(await refusal(call('requests/stop', { id: run.id }))).toMatchObject({ code: 'conflict' });
      await server.settle();
      expect(await outcomes()).toEqual(['unparsed', 'unparsed']);
      expect((await server.db.query(`select from jobs where kind = 'reprocess-receipts'`)).rowCount).toBe(0);
      expect((await reprocess()).counts).toMatchObject({ newEvents: 2 });
    });

    test.each(['after some of its receipts', 'in a step'])(
      'a source is removed %s: the run ends with it',
      async (moment) => {
        const source = 9_001;
        await server.db.query(
          `insert into sources (id, connection_id, platform, path, created_at)
          select $1, connection_id, platform, 'removed-path', created_at from sources where id = $2`,
          [source, SOURCE],
        );
        await server.db.query('delete from requests where source_id = $1 or source_id is null', [source]);
        await server.db.query(
          `insert into requests (account_id, connection_id, source_id, path, body, body_sha256, outcome, created_at)
          select 1, $1, $2, 'removed-path', convert_to(json_build_object('event_type', 'EMAIL_SENT', 'stats_id', 'gone-' || i,
            'to_email', 'gone-' || i || '@example.org')::text, 'UTF8'), 'hash-' || i, 'unparsed', $3
          from generate_series(1, $4) i`,
          [CONNECTION, source, server.clock.now(), MANY],
        );
        await server.db.query('update connections set crm_parked_until = $1', [
          new Date(server.clock.now().getTime() + HOUR_MS),
        ]);
        await call('requests/reprocess', { sourceId: source, since: '20h' });
        if (moment === 'after some of its receipts') await server.settle();
        await Promise.all([
          performAdmin(server.running.ctx, 'sources/remove', { id: source, isConfirmed: true }, 'a test'),
          ...(moment === 'in a step' ? [server.settle()] : []),
        ]);
        await server.db.query('update connections set crm_parked_until = null');
        for (let minutes = 0; minutes < 30; minutes += 10) await server.waitAndSettle(10 * 60_000);
        const count = async (sql: string, values: unknown[] = []) => (await server.db.query(sql, values)).rowCount;
        expect(await count('select from jobs')).toBe(0);
        expect(await count('select from receipt_runs where source_id = $1', [source])).toBe(0);
        expect(await count('select from inbound_events where source_id = $1', [source])).toBe(0);
        expect(await count('select from requests where source_id is null and connection_id is null')).toBe(MANY);
      },
    );

    // The statements are the same as above, so one database shows the rest.
    if (backend !== anyBackend) return;

    test('the audit log has the run without payloads', async () => {
      await reprocess({ since: '2h', outcomes: ['unparsed'] });
      const { rows } = await server.db.query<{ input: object; outcome: string }>(
        `select input, outcome from audit_log where operation = 'requests/reprocess' order by id desc limit 1`,
      );
      expect(rows[0]).toEqual({
        input: { sourceId: SOURCE, since: '2h', outcomes: ['unparsed'], forward: false, dryRun: false },
        outcome: 'done',
      });
    });

    // Both databases run the same statements, so rules that bring no new kind of them are proven on one.
    if (backend !== anyBackend) return;

    test('an event whose key has changed is not written again, nor is its repeat', async () => {
      const event = server.event();
      await server.receive(event);
      await server.receive(event);
      await server.settle();
      await server.db.query(`update inbound_events set event_key = 'old ' || event_key`);
      const run = await reprocess();
      expect(run.counts).toMatchObject({ known: 1, skipped: 1, newEvents: 0, changed: 0 });
      expect(await syncs()).toHaveLength(1);
    });

    test('a receipt that is read differently now is left as it is, and counted', async () => {
      await server.receive(server.event());
      await server.settle();
      await server.db.query(`update inbound_events set event_key = 'old ' || event_key, to_email = 'was@example.org'`);
      const run = await reprocess();
      expect(run.counts).toMatchObject({ changed: 1, newEvents: 0 });
      expect(await outcomes()).toEqual(['synced']);
      expect(await syncs()).toHaveLength(1);
    });

    test('a receipt of several events gives those that were not read, and stays synced', async () => {
      await server.receive([server.event(), server.event()]);
      await server.settle();
      const [first] = (await server.db.query<{ id: number }>('select max(id) as id from inbound_events')).rows;
      await server.db.query('delete from syncs where inbound_event_id = $1', [first?.id]);
      await server.db.query('delete from inbound_events where id = $1', [first?.id]);
      const run = await reprocess();
      expect(run.counts).toMatchObject({ understood: 1, newEvents: 1 });
      expect(await syncs()).toHaveLength(2);
      expect(await outcomes()).toEqual(['synced']);
    });

    test('an event that came otherwise in the meantime makes the receipt a duplicate', async () => {
      const event = server.event();
      await receiveUnread(event);
      await server.receive(event);
      await server.settle();
      expect(await outcomes()).toEqual(['unparsed', 'synced']);
      const run = await reprocess();
      expect(run.counts).toMatchObject({ known: 2, newEvents: 0 });
      expect(await outcomes()).toEqual(['duplicate', 'synced']);
      expect(await syncs()).toHaveLength(1);
    });

    test('forwards and delays only when asked, and only new events', async () => {
      await receiveUnread(server.event());
      const run = await reprocess({ forward: true });
      expect(run.counts.forwardings).toBeGreaterThan(0);
      expect(await server.reached()).toContain(ALERTS);
      const posts = server.receiver.posts().length;
      await reprocess({ forward: true });
      expect(server.receiver.posts()).toHaveLength(posts);
    });

    test('relays replies only when asked, once, and not those that were due more than three days ago', async () => {
      const reply = (name: string) =>
        server.event({ to_email: `${name}@example.org`, sl_lead_email: `${name}@example.org` });
      const relayed = async () => {
        const { rows } = await server.db.query<{ lead: string; status: string }>(
          `select e.to_email as lead, m.status from relay_mails m join inbound_events e on e.id = m.event_id order by m.id`,
        );
        return rows.map(({ lead, status }) => `${lead} ${status}`);
      };
      server.mail.reset();
      await server.db.query('delete from relay_mails');
      await receiveUnread(reply('late'));
      expect((await reprocess()).counts).toMatchObject({ newEvents: 1, relayMails: 0 });
      await server.waitAndSettle(HOUR_MS);
      expect(await relayed()).toEqual([]);
      await receiveUnread(reply('old'));
      await server.waitAndSettle(4 * 24 * HOUR_MS);
      await receiveUnread(reply('fresh'));
      const input = { since: '7d', forward: true };
      expect((await reprocess(input)).counts).toMatchObject({ newEvents: 2, relayMails: 2 });
      expect((await reprocess(input)).counts).toMatchObject({ newEvents: 0, relayMails: 0 });
      await server.waitAndSettle(HOUR_MS);
      expect(await relayed()).toEqual(['old@example.org skipped', 'fresh@example.org sent']);
      expect(server.mail.mails()).toHaveLength(1);
    });

    test('receipts of a time without syncing are read only when they are asked for', async () => {
      await server.unbindAll();
      await server.db.query('update connections set capability_sync = false where id = $1', [CONNECTION]);
      await server.receive(server.event());
      await server.settle();
      expect((await refusal(call('requests/reprocess', { sourceId: SOURCE, since: '20h' }))).message).toContain(
        'Syncing is switched off on connection 1',
      );
      await server.db.query('update connections set capability_sync = true where id = $1', [CONNECTION]);
      expect(await outcomes()).toEqual(['ignored']);
      expect((await reprocess()).counts).toMatchObject({ skipped: 1, newEvents: 0 });
      expect((await reprocess({ outcomes: ['ignored'] })).counts).toMatchObject({ understood: 1, newEvents: 1 });
      expect(await outcomes()).toEqual(['synced']);
    });

    test('events that were stored for a relay while syncing was off count as known', async () => {
      await server.db.query('truncate destination_bindings');
      await server.db.query('update connections set capability_sync = false where id = $1', [CONNECTION]);
      await server.receive(server.event());
      await server.settle();
      await server.db.query('update connections set capability_sync = true where id = $1', [CONNECTION]);
      expect((await reprocess({ outcomes: ['ignored'] })).counts).toMatchObject({ known: 1, newEvents: 0 });
      expect(await outcomes()).toEqual(['ignored']);
    });

    test('a run stops when the connection can no longer be written to', async () => {
      await receiveUnread(server.event());
      const { run } = (await call('requests/reprocess', {
        sourceId: SOURCE,
        since: '20h',
      })) as AdminResult<'requests/reprocess'>;
      await server.db.query('update connections set capability_sync = false where id = $1', [CONNECTION]);
      await server.settle();
      const { runs } = (await call('requests/runs', { runId: run.id })) as AdminResult<'requests/runs'>;
      expect(runs[0]).toMatchObject({ state: 'stopped', stopReason: 'Syncing is switched off on the connection.' });
      expect(await outcomes()).toEqual(['unparsed']);
    });

    test.each([
      [{ sourceId: SOURCE, since: 'soon' }, 'since must be a time'],
      [{ sourceId: SOURCE, since: '1h', until: '2h' }, 'until: must be later than since'],
      [{ sourceId: SOURCE, since: '1h', outcomes: ['duplicate'] }, 'a duplicate only repeats another request'],
      [{ sourceId: 987_654, since: '1h' }, 'There is no source 987654'],
    ])('refuses %j', async (input, message) => {
      expect((await refusal(call('requests/reprocess', input))).message).toContain(message);
    });
  });
});
