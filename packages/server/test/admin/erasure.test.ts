/** `svc-server erase`, from posts of sequencers through everything that the server makes of them. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { performAdmin } from '@svc/operations/perform';
import type { ErasureReport } from '@svc/operations/declared/persons';
import { BYTES_AT_ONCE } from '@svc/operations/store/erasure-rows';
import type { Database } from '@svc/engine/store/database/db';
import { BLANK_CONTACT } from '@svc/sequencers';
import { insertPolicy } from '@svc/engine/store/write-policies';
import { anyBackend, backends } from '@svc/engine/test/backends';
import { dumpRows } from '@svc/engine/test/database-content';
import {
  ANN,
  type ErasureServer,
  isHers,
  JOANN,
  linesOf,
  startErasureServer,
  tablesOf,
} from '../support/erasure-server.ts';

describe.each(backends)('erase on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('a person', () => {
    let on: ErasureServer;
    beforeAll(async () => {
      on = await startErasureServer(backend);
    });
    afterAll(() => on.server.close());
    beforeEach(() => on.reset());

    test('is found by a dry run, and then erased everywhere but in block lists; the rows of others stay as they are', async () => {
      await on.live();
      const before = await dumpRows(on.db);
      expect(tablesOf(linesOf(before))).toEqual([
        ...['audit_log', 'blocklist_entries', 'blocklists', 'category_signals', 'connections', 'crm_outages'],
        ...['crm_records', 'deliveries', 'events', 'inbound_events', 'jobs', 'requests', 'syncs', 'webhook_deliveries'],
      ]);
      const { rows: jobs } = await on.db.query<{ kind: string }>('select distinct kind from jobs order by 1');
      expect(jobs.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(['forward-event', 'relay-reply', 'replay-delivery', 'retry-sync', 'write-crm']),
      );
      const jobsOfOthers = await on.jobsByRecipient();
      expect(jobsOfOthers.get(ANN)).toBeGreaterThan(1);
      jobsOfOthers.delete(ANN);
      const metrics = await on.counts();
      expect(metrics.metrics).toEqual(metrics.rows);
      const withoutAudit = (dump: readonly string[]) => dump.filter((line) => !line.includes('persons/erase'));

      const planned = await on.erase({ email: ANN });
      expect(withoutAudit(await dumpRows(on.db))).toEqual(before);
      expect(planned).toMatchObject({ isErased: false, waitingRequests: 0, deletedJobs: 0 });

      const report = await on.erase({ email: ` ${ANN.toUpperCase()}`, isConfirmed: true });
      const why = expect.stringContaining('blocked');
      expect(report).toMatchObject({ isErased: true, waitingRequests: 0, otherIdentities: [] });
      expect(report.kept).toEqual([{ table: 'blocklist_entries', what: 'value', rows: 1, why }]);
      // Jobs that go, and mails that wait, are counted when they are ended.
      const counted = (findings: ErasureReport['erased']) =>
        findings.filter(({ table }) => table !== 'jobs' && table !== 'relay_mails');
      expect(counted(report.erased)).toEqual(counted(planned.erased));
      const after = withoutAudit(await dumpRows(on.db));
      expect(tablesOf(linesOf(after))).toEqual(['blocklist_entries']);

      // What changed or went was hers.
      const [had, has] = [new Set(before), new Set(after)];
      const gone = before.filter((line) => !has.has(line));
      const others = gone.filter((line) => !isHers(line));
      expect(tablesOf(others)).toEqual(['jobs', 'relay_mails']);
      expect(gone.filter((line) => line.startsWith('jobs '))).toHaveLength(report.deletedJobs);
      expect(others.filter((line) => line.startsWith('relay_mails '))).toHaveLength(1);
      expect(after.filter((line) => !had.has(line))).toHaveLength(
        gone.filter((line) => !/^(jobs|category_signals|crm_records) /.test(line)).length,
      );
      expect(await on.jobsByRecipient()).toEqual(jobsOfOthers);
      expect(await on.counts()).toEqual(metrics);
      expect((await on.db.query('select from changed_hours')).rowCount).toBe(0);
      expect(await on.erase({ email: ANN, isConfirmed: true })).toMatchObject({ erased: [], deletedJobs: 0 });
    });

    test('is not written, forwarded or relayed any more, and what is not processed yet is named', async () => {
      const calls = async () => JSON.stringify(on.server.crm.contacts?.() ?? []);
      await on.db.query(`update connections set crm_parked_until = $1`, [
        new Date(on.server.clock.now().getTime() + 3_600_000),
      ]);
      await on.server.bind(1, 1, ['EMAIL_REPLY'], true).catch(() => {});
      await on.server.receive(on.reply(ANN));
      await on.server.settle();
      const waiting = async () =>
        (await on.db.query<{ kind: string }>('select distinct kind from jobs order by kind')).rows.map(
          ({ kind }) => kind,
        );
      expect(await waiting()).toEqual(expect.arrayContaining(['relay-reply', 'write-crm']));
      const unread = await on.server.receive(on.reply(ANN));
      const contacts = await calls();

      // A worker writes the event at this moment.
      await on.db.query(`update jobs set is_leased = true where kind = 'write-crm'`);
      const first = await on.erase({ email: ANN, isConfirmed: true });
      expect(first).toMatchObject({ waitingRequests: 1, runningJobs: 1 });
      expect(first.deletedJobs).toBeGreaterThanOrEqual(2);
      expect(await waiting()).toEqual(['process-receipt']);
      expect((await on.db.query('select body is null as gone from requests where id = $1', [unread])).rows).toEqual([
        { gone: false },
      ]);
      await on.server.settle();
      const second = await on.erase({ email: ANN, isConfirmed: true });
      expect(second).toMatchObject({ waitingRequests: 0, runningJobs: 0 });
      await on.db.query('update connections set crm_parked_until = null');
      await on.server.waitAndSettle(2 * 3_600_000);
      expect(await calls()).toBe(contacts);
      expect(on.server.mail.mails().filter(({ headers }) => JSON.stringify(headers).includes(ANN))).toEqual([]);
      const { mails } = await performAdmin(on.server.running.ctx, 'relays/log', {}, 'a test');
      expect(mails.filter(({ lead }) => lead === 'erased').map(({ status }) => status)).not.toContain('waiting');
      expect(tablesOf(linesOf(await dumpRows(on.db)))).toEqual([]);
    });

    test('leaves nothing of what the sequencer knows of her: custom fields, id and link', async () => {
      const lead = {
        sl_email_lead_id: 'lead-of-ann',
        app_url: 'https://app.smartlead.ai/app/master-inbox?leadMap=4711',
        lead_data: { custom_fields: { Birthday: '1 April', Salary: 81_234 } },
      };
      await on.server.receive(on.reply(ANN, lead));
      await on.server.receive(on.reply(JOANN, lead));
      await on.server.settle();
      const contactOf = async (toEmail: string) =>
        (
          await on.db.query("select normalized->'contact' as contact from inbound_events where to_email = $1", [
            toEmail,
          ])
        ).rows[0];
      const custom = { Birthday: '1 April', Salary: 81_234 };
      expect(await contactOf(ANN)).toMatchObject({ contact: { custom, leadId: 'lead-of-ann', leadUrl: lead.app_url } });
      await on.erase({ email: ANN, isConfirmed: true });
      expect(await contactOf('erased')).toEqual({ contact: BLANK_CONTACT });
      expect(await contactOf(JOANN)).toMatchObject({ contact: { custom, leadUrl: lead.app_url } });
    });

    test('whose events wait for her answer is dropped from what waits, and is not remembered as released', async () => {
      const policy = { holdUntil: { reply: true, dropAfter: '30d' } };
      await on.db.transaction((tx) =>
        insertPolicy(tx, { connectionId: 1, sourceId: 1 }, policy, on.server.clock.now()),
      );
      const sent = (email: string, campaignId: number) =>
        on.reply(email, { event_type: 'EMAIL_SENT', campaign_id: campaignId });
      for (const person of [ANN, JOANN]) {
        await on.server.receive(on.reply(person, { campaign_id: 1 }));
        await on.server.receive(sent(person, 2));
      }
      await on.server.settle();
      const waiting = async () =>
        (await on.db.query<{ recipient: string }>('select recipient from held_events order by 1')).rows;
      const released = async () =>
        (await on.db.query<{ recipient: string }>('select recipient from released_leads order by 1')).rows;
      expect([await waiting(), await released()]).toEqual([
        [{ recipient: ANN }, { recipient: JOANN }],
        [{ recipient: ANN }, { recipient: JOANN }],
      ]);
      const planned = await on.erase({ email: ANN, accountId: 1 });
      const report = await on.erase({ email: ANN, accountId: 1, isConfirmed: true });
      for (const { erased } of [planned, report]) {
        expect(erased).toContainEqual({ table: 'held_events', what: 'held events', rows: 1 });
        expect(erased).toContainEqual({ table: 'released_leads', what: 'released leads', rows: 1 });
      }
      expect([await waiting(), await released()]).toEqual([[{ recipient: JOANN }], [{ recipient: JOANN }]]);
      expect(tablesOf(linesOf(await dumpRows(on.db)))).toEqual([]);
      await on.db.query('delete from write_policies');
      await on.db.query('delete from held_events');
      await on.db.query('delete from released_leads');
    });

    // The statements are the same as above, so one database shows the rest.
    if (backend !== anyBackend) return;

    test('a table that is dropped meanwhile, such as an old month of a log, is left out', async () => {
      // Not a real month, because other tests use the same database.
      const month = 'dropped_month';
      await on.db.script(`create table ${month} (to_email text)`);
      await on.server.receive(on.reply(ANN));
      await on.server.settle();
      let isDropped = false;
      const dropping: Database = {
        ...on.db,
        query: async (...args) => {
          if (!isDropped && JSON.stringify(args[0]).includes(`.${month} `)) {
            isDropped = true;
            await on.db.script(`drop table ${month}`);
          }
          return on.db.query(...args);
        },
      };
      const report = await on.erase({ email: ANN, isConfirmed: true }, dropping);
      expect(isDropped).toBe(true);
      expect(report.erased).toContainEqual({ table: 'syncs', what: 'recipients', rows: 1 });
      expect(tablesOf(linesOf(await dumpRows(on.db)))).toEqual([]);
    });

    test('an address behind an escape of JSON is found, and nobody whose address it would be without the escape', async () => {
      const [nina, ina] = ['nina@person.example', 'ina@person.example'];
      const post = (email: string, text: string) =>
        on.server.receive(JSON.stringify(on.reply(email, { reply_message: { message_id: `<${email}>`, text } })));
      const ids = [await post(nina, `Best\n${nina}`), await post(ina, `Best\n${ina}, www.linkedin.com/in/ina\n`)];
      await on.server.settle();
      const bodies = async () =>
        (
          await on.db.query<{ body: Buffer | null }>('select body from requests where id = any($1) order by id', [ids])
        ).rows.map(({ body }) => body !== null);
      const { rows } = await on.db.query<{ normalized: object }>(
        'select normalized from inbound_events where to_email = $1',
        [ina],
      );
      expect((await on.erase({ email: nina, isConfirmed: true })).failures).toEqual([]);
      expect(await bodies()).toEqual([false, true]);
      expect((await on.db.query('select normalized from inbound_events where to_email = $1', [ina])).rows).toEqual(
        rows,
      );
      const profileUrl = 'linkedin.com/in/ina';
      expect((await on.erase({ email: ina, profileUrl, isConfirmed: true })).failures).toEqual([]);
      expect(await bodies()).toEqual([false, false]);
    });

    test('repeated posts lose their payload, whatever spelling of the person they have', async () => {
      const email = 'éva@person.example';
      const post = JSON.stringify(on.reply(email));
      const spellings = [email, email.toUpperCase(), email.normalize('NFD'), String.raw`\u00C9va@person.example`];
      const ids: number[] = [];
      for (const spelling of spellings) ids.push(await on.server.receive(post.replaceAll(email, spelling)));
      // As an adapter that makes a profile URL of a name only: the payload alone does not show the person.
      ids.push(await on.server.receive(post));
      await on.server.settle();
      await on.db.query(`update requests set body = $2 where id = $1`, [ids.at(-1), Buffer.from('{"user":"eva"}')]);
      const { rows: linked } = await on.db.query(
        'select from requests where id = any($1) and cardinality(repeated_event_ids) = 1',
        [ids],
      );
      expect(linked.length).toBeGreaterThan(0);
      const planned = await on.erase({ email });
      expect(planned.erased).toContainEqual({ table: 'requests', what: 'payloads', rows: ids.length });
      const report = await on.erase({ email, isConfirmed: true });
      expect(report.erased).toContainEqual({ table: 'requests', what: 'payloads', rows: ids.length });
      const left = 'select from requests where id = any($1) and body is not null';
      expect((await on.db.query(left, [ids])).rowCount).toBe(0);
    });

    test('a row that cannot be read or changed is reported, and the others are erased', async () => {
      const others = [ANN, ANN, ANN].map((email, index) =>
        on.reply(email, { reply_message: { message_id: `${index}` } }),
      );
      for (const other of others) await on.server.receive(other);
      await on.server.settle();
      const { rows } = await on.db.query<{ id: number }>('select id from syncs where to_email = $1 order by id', [ANN]);
      expect(rows).toHaveLength(3);
      const refused = rows[1]?.id ?? 0;
      await on.db.script(`
        create function refuse_erasure() returns trigger language plpgsql as $$ begin
          if new.id = ${refused} and new.to_email = 'erased' then raise 'This row is damaged.'; end if;
          return new;
        end $$;
        create trigger refuse_erasure before update on syncs for each row execute function refuse_erasure();`);
      try {
        const report = await on.erase({ email: ANN, isConfirmed: true });
        expect(report.failures).toEqual([{ table: 'syncs', row: String(refused), reason: 'This row is damaged.' }]);
        expect(report.failedRows).toBe(1);
        expect(report.erased).toContainEqual({ table: 'syncs', what: 'recipients', rows: 2 });
        expect(report.erased).toContainEqual({ table: 'requests', what: 'payloads', rows: 3 });
      } finally {
        await on.db.script('drop trigger refuse_erasure on syncs; drop function refuse_erasure');
      }
      // As when the bytes of a row are damaged: statements that read it fail.
      const { rows: places } = await on.db.query<{ place: string }>(
        'select ctid::text as place from syncs where id = $1',
        [refused],
      );
      const damaged: Database = {
        ...on.db,
        query: async (statement, values = []) => {
          const [, first, last] = values;
          const isRead = typeof statement === 'string' && statement.includes('#version') && /syncs/.test(statement);
          if (isRead && first === last && first === places[0]?.place) throw new Error('missing chunk number 0');
          if (isRead && first !== last) throw new Error('missing chunk number 0');
          return on.db.query(statement, values);
        },
      };
      const report = await on.erase({ email: ANN, isConfirmed: true }, damaged);
      expect(report.failures).toEqual([{ table: 'syncs', row: places[0]?.place, reason: 'missing chunk number 0' }]);
      expect(await on.erase({ email: ANN, isConfirmed: true })).toMatchObject({
        erased: [{ table: 'syncs', what: 'recipients', rows: 1 }],
        failures: [],
      });
    });

    test('no statement reads more than its share of bytes, and others of the process have turns between statements', async () => {
      const ids: number[] = [];
      for (let index = 0; index < 40; index += 1) ids.push(await on.server.receive({ unknown: index }));
      await on.server.settle();
      const large = JSON.stringify({ text: `${String.raw`\\"\u0041`.repeat(150_000)} ${ANN}` });
      const set = 'update requests set body = $2 where id = any($1)';
      await on.db.query(set, [ids, Buffer.from(JSON.stringify({ about: JOANN, text: 'x'.repeat(20_000) }))]);
      for (const id of ids.slice(0, 3)) await on.db.query(set, [[id], Buffer.from(large)]);
      let turns = 0;
      let isCounting = true;
      const count = () => {
        turns += 1;
        if (isCounting) setImmediate(count);
      };
      setImmediate(count);
      const reads: { bytes: number; largest: number; turnsBefore: number }[] = [];
      let turnsSeen = 0;
      const watched: Database = {
        ...on.db,
        query: async (statement, values = []) => {
          if (typeof statement === 'string' && statement.includes('#version') && /requests/.test(statement)) {
            const turnsBefore = turns - turnsSeen;
            const partition = /from (\S+) t/.exec(statement)?.[1];
            const { rows } = await on.db.query<{ bytes: number | null; largest: number | null }>(
              `select sum(octet_length(body)) as bytes, max(octet_length(body)) as largest from ${partition}
                where ctid >= $1::tid and ctid <= $2::tid`,
              [values[1], values[2]],
            );
            const { bytes, largest } = rows[0] ?? {};
            reads.push({ bytes: Number(bytes ?? 0), largest: largest ?? 0, turnsBefore });
            turnsSeen = turns;
          }
          return on.db.query(statement, values);
        },
      };
      const report = await on.erase({ email: ANN, isConfirmed: true }, watched);
      isCounting = false;
      expect(report.erased).toContainEqual({ table: 'requests', what: 'payloads', rows: 3 });
      expect(reads.length).toBeGreaterThan(6);
      for (const { bytes, largest, turnsBefore } of reads) {
        expect(bytes).toBeLessThan(BYTES_AT_ONCE + largest + 1);
        expect(turnsBefore).toBeGreaterThan(0);
      }
    });

    test('whoever erases their own address stays the one who did what the audit log says', async () => {
      const address = 'operator@example.com';
      await on.db.query("insert into users (email, role, created_at) values ($1, 'admin', now())", [address]);
      await on.db.query(
        `insert into audit_log (at, actor, operation, input, outcome) values (now(), $1, 'keys/create', $2, 'done')`,
        [`user:${address}`, { note: `for ${address}` }],
      );
      const { erased, kept } = await on.erase({ email: address, isConfirmed: true });
      expect(erased).toEqual([{ table: 'audit_log', what: 'input', rows: 1 }]);
      expect(kept.map(({ table, what }) => [table, what])).toEqual([
        ['audit_log', 'actor'],
        ['users', 'email'],
      ]);
      const { rows } = await on.db.query<{ actor: string; input: object }>(
        `select actor, input from audit_log where actor = $1`,
        [`user:${address}`],
      );
      expect(rows).toEqual([{ actor: `user:${address}`, input: { note: 'for erased' } }]);
    });

    test('the audit log has a hash instead of the identity; wrong input is refused', async () => {
      await on.erase({ email: ANN, profileUrl: 'linkedin.com/in/ann' });
      const { rows } = await on.db.query<{ input: object }>(
        `select input from audit_log where operation = 'persons/erase' order by id desc limit 1`,
      );
      const hash = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
      expect(rows[0]?.input).toEqual({ email: hash(ANN), profileUrl: hash('linkedin.com/in/ann'), isConfirmed: false });
      const wrong: [object, RegExp][] = [
        [{}, /--email, --profile-url/],
        [{ email: 'ann' }, /not an email address/],
        [{ profileUrl: 'example.com' }, /profile/i],
        [{ email: ANN, accountId: 99_999 }, /account/],
      ];
      for (const [input, message] of wrong) await expect(on.erase(input)).rejects.toThrow(message);
    });
  });
});
