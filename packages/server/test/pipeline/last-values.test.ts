/** The last values of a person: each event counts once, whatever happens to its write. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { performAdmin } from '@svc/operations/perform';
import { writeCrmJob } from '@svc/engine/pipeline/write-crm';
import { enqueue } from '@svc/engine/queue/queue';
import { emptyOldEvents } from '@svc/engine/store/old-inbound-events';
import { backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { createRecordingCrm } from '../support/recording-crm.ts';
import { settleWithin } from '../support/replies.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const read = async (name: string) =>
  JSON.parse(await readFile(new URL(`../../../../fixtures/payloads/smartlead/${name}.json`, import.meta.url), 'utf8'));
const open = await read('email-open');
const reply = await read('email-reply');

const LATER = {
  ...({ status: 'error', disconnected: false, retry: { afterMs: 1_000 } } as const),
  error: { code: 'refused', message: 'Later', httpStatus: 429 },
};

describe.each(backends)('last values on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('of a person', () => {
    const crm = createRecordingCrm('HUBSPOT');
    let server: TestServer;
    let source = { id: 0, connectionId: 0 };
    beforeAll(async () => {
      server = await startTestServer(backend, { crmRegistry: crm.registry });
      const { rows } = await server.db.query<typeof source>(
        `select id, connection_id as "connectionId" from sources where path = 'demo-smartlead'`,
      );
      [source = source] = rows;
    });
    afterAll(() => server.close());
    beforeEach(async () => {
      await server.db.query('delete from jobs');
      await server.db.query('delete from last_values');
      await server.db.query('delete from held_events');
      await setPolicy({ lastValues: ['openCount', 'replyCount', 'lastEventAt', 'lastReplyText'] });
      crm.writes.length = 0;
      crm.failures.length = 0;
      server.clock.advance(DAY_MS);
    });

    const perform = (name: 'sources/set-policy' | 'requests/reprocess' | 'persons/erase', input: object) =>
      performAdmin(server.running.ctx, name, input, 'a test');
    const setPolicy = (policy: object) => perform('sources/set-policy', { id: source.id, policy });
    const runDue = () => server.running.runner.runDue();
    const post = async (body: object) => {
      expect((await server.post('/webhooks/demo-smartlead', body)).status).toBe(200);
      await runDue();
    };
    const openOf = (name: string, id: string, more: object = {}) => {
      const to = `${name}@example.org`;
      return { ...open, stats_id: `${name} ${id}`, to_email: to, sl_lead_email: to, ...more };
    };
    const replyOf = (name: string, more: object = {}) => ({
      ...{ ...reply, stats_id: `${name} replied`, sl_lead_email: `${name}@example.org` },
      ...more,
    });
    const valuesOf = (name: string) =>
      crm.writes.findLast(({ event }) => event.toEmail === `${name}@example.org`)?.lastValues;

    test('count every event, and keep the latest one whatever comes later', async () => {
      await post(openOf('kim', '1', { event_timestamp: '2026-03-02T10:00:00Z' }));
      expect(valuesOf('kim')).toMatchObject({ openCount: 1, lastEventAt: Date.UTC(2026, 2, 2, 10) });
      await post(openOf('kim', '2', { event_timestamp: '2026-03-01T10:00:00Z' }));
      expect(valuesOf('kim')).toEqual({ openCount: 2, lastEventAt: Date.UTC(2026, 2, 2, 10) });
      expect(valuesOf('other')).toBeUndefined();
    });

    test('all events of one batch get the values behind all of them', async () => {
      expect((await server.post('/webhooks/demo-smartlead', openOf('bat', '1'))).status).toBe(200);
      expect((await server.post('/webhooks/demo-smartlead', openOf('bat', '2'))).status).toBe(200);
      await runDue();
      expect(crm.writes.map(({ lastValues }) => lastValues?.openCount)).toEqual([2, 2]);
    });

    test('sources that name different values lose none of a person whose events are written together', async () => {
      const insert = (id: number, sourceId: number) =>
        server.db.query<{ id: number }>(
          `insert into inbound_events (request_id, source_id, connection_id, event_key, event_type, to_email, platform, normalized, created_at, received_at)
            select 1, $1, $2, $3, event_type, to_email, platform, normalized, $4, $4 from inbound_events
            where to_email = 'shared@example.org' order by id limit 1 returning id`,
          [sourceId, source.connectionId, `shared ${id}`, server.clock.now()],
        );
      await post(openOf('shared', '1'));
      const { rows: sources } = await server.db.query<{ id: number }>(
        'select id from sources where connection_id = $1 and id <> $2 order by id limit 1',
        [source.connectionId, source.id],
      );
      const other = sources[0]?.id ?? 0;
      await perform('sources/set-policy', { id: other, policy: { lastValues: ['lastEventType'] } });
      crm.writes.length = 0;
      for (const { rows } of [await insert(1, source.id), await insert(2, other)]) {
        const now = server.clock.now();
        await enqueue(server.db, writeCrmJob(rows[0]?.id ?? 0, source.connectionId, now));
      }
      await runDue();
      const both = { openCount: 3, lastEventType: 'EMAIL_OPEN' };
      expect(crm.writes.map(({ lastValues }) => lastValues)).toEqual([
        expect.objectContaining(both),
        expect.objectContaining(both),
      ]);
    });

    test('a repeated write, a repeated post and a receipt that is read again count nothing twice', async () => {
      crm.failures.push(LATER, LATER);
      await post(openOf('again', '1'));
      await settleWithin(server, 60_000);
      expect(crm.writes.map(({ lastValues }) => lastValues?.openCount)).toEqual([1, 1, 1]);
      await post(openOf('again', '1'));
      await perform('requests/reprocess', { sourceId: source.id, since: '20h' });
      await settleWithin(server, 60_000);
      await post(openOf('again', '2'));
      expect(valuesOf('again')).toMatchObject({ openCount: 2 });
    });

    test('without the part nothing is asked of the database, and nothing is counted later', async () => {
      await setPolicy({ lastValues: false });
      const query = vi.spyOn(server.running.ctx.db, 'query');
      await post(openOf('without', '1'));
      const names = query.mock.calls.map(([statement]) => String(Object(statement).name));
      expect(names.filter((name) => name.startsWith('last-values'))).toEqual([]);
      query.mockRestore();
      expect(valuesOf('without')).toBeNull();
      const { rows } = await server.db.query('select from last_values');
      expect(rows).toEqual([]);
      const marked = await server.db.query(
        `select from inbound_events where to_email = 'without@example.org' and is_counted`,
      );
      expect(marked.rows).toEqual([]);
    });

    test('an event that waits and is released counts once', async () => {
      await setPolicy({ lastValues: ['openCount', 'replyCount'], holdUntil: { reply: true } });
      await post(openOf('held', '1'));
      await post(openOf('held', '2'));
      expect(crm.writes).toEqual([]);
      await post(replyOf('held'));
      await settleWithin(server, 1_000);
      expect(crm.writes).toHaveLength(3);
      expect(valuesOf('held')).toEqual({ openCount: 2, replyCount: 1 });
    });

    test('the text of a reply is plain and short', async () => {
      const html = `<p>Yes &amp; soon</p><p>${'long '.repeat(200)}</p>`;
      await post(
        replyOf('text', {
          reply_message: { html, text: null, message_id: '<1@example.org>' },
          reply_body: html,
          preview_text: null,
        }),
      );
      const text = String(valuesOf('text')?.lastReplyText);
      expect(text).toMatch(/^Yes & soon long/);
      expect(text.length).toBeLessThanOrEqual(255);
    });

    test('a profile belongs to the address that an event shows it with; what was counted for it counts there', async () => {
      const url = 'https://www.linkedin.com/in/lee-example';
      const count = async (id: number, contact: { email: string | null; profileUrl: string | null }) => {
        const to = contact.email ?? contact.profileUrl ?? '';
        const { rows } = await server.db.query<{ id: number }>(
          `insert into inbound_events (request_id, source_id, connection_id, event_key, event_type, to_email, platform, normalized, created_at, received_at)
            select 1, $1, $2, $3, 'EMAIL_OPEN', $4, 'smartlead', jsonb_set(jsonb_set(normalized, '{toEmail}', to_jsonb($4::text)), '{contact}', normalized -> 'contact' || $5::jsonb), $6, $6
            from inbound_events where normalized <> '{}' order by id desc limit 1 returning id`,
          [source.id, source.connectionId, `linked ${id}`, to, JSON.stringify(contact), server.clock.now()],
        );
        const [{ id: eventId } = { id: 0 }] = rows;
        await enqueue(server.db, writeCrmJob(eventId, source.connectionId, server.clock.now()));
        await runDue();
        return crm.writes.at(-1)?.lastValues?.openCount;
      };
      await post(openOf('template', '1'));
      const email = 'lee@example.org';
      expect(await count(1, { email: null, profileUrl: url })).toBe(1);
      expect(await count(2, { email, profileUrl: null })).toBe(1);
      expect(await count(3, { email, profileUrl: url })).toBe(3);
      expect(await count(4, { email: null, profileUrl: url })).toBe(4);
      // The first link stays.
      expect(await count(5, { email: 'max@example.org', profileUrl: url })).toBe(1);
      expect(await count(6, { email: null, profileUrl: url })).toBe(5);
    });

    test('the content of old events goes; the values stay', async () => {
      await post(openOf('old', '1'));
      await emptyOldEvents(server.db, new Date(server.clock.now().getTime() + DAY_MS));
      await post(openOf('old', '2'));
      expect(valuesOf('old')).toMatchObject({ openCount: 2 });
    });

    test('an erasure forgets the person, and later events begin with nothing', async () => {
      await post(openOf('gone', '1'));
      await post(openOf('stays', '1'));
      const report = await perform('persons/erase', { email: 'gone@example.org', isConfirmed: true });
      expect(JSON.stringify(report)).toContain('last values');
      const { rows } = await server.db.query<{ identity: string }>('select identity from last_values');
      expect(rows).toEqual([{ identity: 'stays@example.org' }]);
      await post(openOf('gone', '2'));
      expect(valuesOf('gone')).toMatchObject({ openCount: 1 });
    });

    test('two processes count each event once', async () => {
      const another = await server.startAnother();
      const posts = Array.from({ length: 40 }, (_, index) => openOf('both', String(index)));
      for (const body of posts) await server.post('/webhooks/demo-smartlead', body);
      for (let turn = 0; turn < 5; turn += 1) await Promise.all([runDue(), another.runner.runDue()]);
      expect(crm.writes).toHaveLength(40);
      expect(valuesOf('both')).toMatchObject({ openCount: 40 });
      await another.close();
    });
  });
});
