/** `svc-server person show`, from posts of sequencers through everything that the server makes of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { performAdmin } from '@svc/operations/perform';
import type { AdminInput, AdminResult } from '@svc/operations/perform';
import { AdminError } from '@svc/operations/implemented/admin-error';
import { anyBackend } from '@svc/engine/test/backends';
import { ANN, type ErasureServer, JOANN, startErasureServer } from '../support/erasure-server.ts';

type Shown = AdminResult<'persons/show'>;
const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);

describe('a person', () => {
  let on: ErasureServer;
  beforeAll(async () => {
    on = await startErasureServer(anyBackend);
    await on.reset();
  });
  afterAll(() => on.server.close());

  const show = (input: Partial<AdminInput<'persons/show'>>): Promise<Shown> =>
    performAdmin(on.server.running.ctx, 'persons/show', { person: ANN, accountId: 1, ...input }, 'a test');
  const stored = async (sql: string, values: unknown[]) => (await on.db.query<{ id: number }>(sql, values)).rows;

  test('has every sync, delivery, mail and block list entry that names them, newest first, and none of others', async () => {
    // Here, because it polls with expect.
    await on.live();
    const shown = await show({ person: ` ${ANN.toUpperCase()} ` });
    const newest = 'account_id = 1 and to_email = $1 order by created_at desc, id desc';
    expect(idsOf(shown.syncs)).toEqual(idsOf(await stored(`select id from syncs where ${newest}`, [ANN])));
    expect(idsOf(shown.deliveries)).toEqual(idsOf(await stored(`select id from deliveries where ${newest}`, [ANN])));
    const events =
      'select id from inbound_events where to_email = $1 and id in (select inbound_event_id from syncs) order by id desc';
    expect(idsOf(shown.events)).toEqual(expect.arrayContaining(idsOf(await stored(events, [ANN]))));
    expect(new Set(shown.events.map(({ toEmail }) => toEmail))).toEqual(new Set([ANN]));
    expect(shown.syncs.length).toBeGreaterThan(0);
    expect(shown.deliveries.length).toBeGreaterThan(0);
    expect(shown.mails.length).toBeGreaterThan(0);
    expect(shown.blocked).toEqual([expect.objectContaining({ value: ANN })]);
    expect(shown.outreach).toMatchObject({ found: true, email: ANN });
    expect(shown.incomplete).toEqual([]);
    expect(JSON.stringify(shown)).not.toContain(JOANN);
  });

  test('has the record in the CRM that is remembered; without a token that says the region, there is no link', async () => {
    const { records } = await show({});
    expect(records).toEqual([
      expect.objectContaining({ crm: 'HUBSPOT', recordType: 'contacts', person: ANN, url: null }),
    ]);
  });

  test('has a link to the record once the token says the region, also for lists of people', async () => {
    const [connection] = (await show({})).records;
    const id = connection?.connectionId ?? 0;
    const token = on.server.running.ctx.secrets.encrypt('pat-eu1-00000000', { kind: 'CRM token', id });
    await on.db.query(`update connections set crm_token = $1, organization_id = '4711' where id = $2`, [token, id]);
    const url = `https://app-eu1.hubspot.com/contacts/4711/record/0-1/${connection?.recordId}`;
    expect((await show({})).records).toEqual([expect.objectContaining({ url })]);
    const find = (accountId: number) =>
      performAdmin(on.server.running.ctx, 'persons/records', { accountId, people: [ANN.toUpperCase()] }, 'a test');
    expect((await find(1)).records).toEqual([expect.objectContaining({ url, person: ANN })]);
    expect((await find(2)).records).toEqual([]);
  });

  test('has the newest rows up to the limit, and the names of the lists that have more', async () => {
    const whole = await show({});
    const cut = await show({ limit: 1 });
    expect(idsOf(cut.syncs)).toEqual(idsOf(whole.syncs).slice(0, 1));
    expect(cut.incomplete).toContain('syncs');
  });

  test('is of one account: another one has nothing of them', async () => {
    const { rows } = await on.db.query<{ id: number }>('select id from accounts where id <> 1 order by id limit 1');
    const shown = await show({ accountId: rows[0]?.id ?? 0 });
    const { outreach, accountId, ...lists } = shown;
    expect(outreach.found).toBe(false);
    expect(accountId).not.toBe(1);
    expect(Object.values(lists).flat()).toEqual([]);
  });

  test('is found in the one account that has them, without its number', async () => {
    const { accountId, events } = await show({ accountId: undefined });
    expect(accountId).toBe(1);
    expect(events.length).toBeGreaterThan(0);
  });

  test('has one timeline of all lists, what waits first and then the newest first', async () => {
    const { timeline, ...lists } = await show({ limit: 500 });
    const times = timeline.map(({ at }) => at ?? '9999');
    expect(times).toEqual(times.toSorted().toReversed());
    const idsIn = (what: string) => timeline.flatMap((step) => (step.what === what ? step.id : [])).toSorted();
    for (const [what, rows] of Object.entries({
      received: lists.requests,
      event: lists.events,
      written: lists.syncs,
      forwarded: lists.deliveries,
      mailed: lists.mails,
    })) {
      expect({ what, ids: idsIn(what) }).toEqual({ what, ids: idsOf(rows).toSorted() });
    }
    expect(idsIn('block list')).toEqual(lists.blocked.map(({ blocklistId }) => blocklistId));
    expect(idsIn('record')).toEqual(lists.records.map(({ recordId }) => recordId));
  });

  test('whom nobody knows has nothing', async () => {
    const nobody = { person: 'https://www.linkedin.com/in/nobody-knows', accountId: undefined };
    const { outreach, accountId, ...lists } = await show(nobody);
    expect(outreach.found).toBe(false);
    expect(accountId).toBe(null);
    expect(Object.values(lists).flat()).toEqual([]);
  });

  test('must be named, in an account that exists', async () => {
    await expect(show({ person: ' ' })).rejects.toThrow(AdminError);
    await expect(show({ person: 'ann' })).rejects.toThrow(AdminError);
    await expect(show({ person: `${ANN},${JOANN}` })).rejects.toThrow('at most one address');
    await expect(show({ accountId: 999 })).rejects.toMatchObject({ code: 'not_found' });
  });

  test('leaves nothing in the audit log', async () => {
    const { rows } = await on.db.query(`select from audit_log where operation = 'persons/show'`);
    expect(rows).toEqual([]);
  });
});
