/** `svc-server erase`, from posts of sequencers through everything that the server makes of them. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { adminOperations } from '../../src/admin/operations/index.ts';
import type { ErasureReport } from '../../src/admin/operations/persons.ts';
import type { Database } from '../../src/store/database/db.ts';
import { backends } from '../support/backends.ts';
import { dumpRows } from '../support/database-content.ts';
import { ANN, type ErasureServer, isHers, linesOf, startErasureServer, tablesOf } from '../support/erasure-server.ts';

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

      const first = await on.erase({ email: ANN, isConfirmed: true });
      expect(first.waitingRequests).toBe(1);
      expect(first.deletedJobs).toBeGreaterThanOrEqual(2);
      expect(await waiting()).toEqual(['process-receipt']);
      expect((await on.db.query('select body is null as gone from requests where id = $1', [unread])).rows).toEqual([
        { gone: false },
      ]);
      await on.server.settle();
      const second = await on.erase({ email: ANN, isConfirmed: true });
      expect(second.waitingRequests).toBe(0);
      await on.db.query('update connections set crm_parked_until = null');
      await on.server.waitAndSettle(2 * 3_600_000);
      expect(await calls()).toBe(contacts);
      expect(on.server.mail.mails().filter(({ headers }) => JSON.stringify(headers).includes(ANN))).toEqual([]);
      const { mails } = await adminOperations['relays/log'](on.server.running.ctx, {});
      expect(mails.filter(({ lead }) => lead === 'erased').map(({ status }) => status)).not.toContain('waiting');
      expect(tablesOf(linesOf(await dumpRows(on.db)))).toEqual([]);
    });

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
