/** A server on which people live whose data is erased in tests. */
import { expect } from 'vitest';
import { performAdmin } from '@svc/operations/perform';
import type { ErasureReport } from '@svc/operations/declared/persons';
import type { Database } from '@svc/engine/store/database/db';
import type { Backend } from '@svc/engine/test/backends';
import { bothCounts, countUntilDone } from '@svc/engine/test/counted-logs';
import { DELAY_MS, startForwardingServer } from './forwarding-server.ts';

/** The person. */
export const ANN = 'ann@person.example';
/** Addresses of other people. */
export const JOANN = 'joann@person.example';
export const TAGGED = 'ann+tag@person.example';
const ACCENTED = 'éann@person.example';
/** Only in what is about Ann. */
const NAME = 'Annquist';

/** What is Ann's in lines of `dumpRows`. */
const HERS = new RegExp(String.raw`(?<![a-z+é]|%2b|\\303\\+251)ann(@|%40|\\+u0040)person|${NAME}`, 'i');
export const isHers = (line: string): boolean => HERS.test(line);
export const linesOf = (dump: readonly string[]): string[] => dump.filter(isHers);
export const tablesOf = (lines: readonly string[]): (string | undefined)[] =>
  [...new Set(lines.map((line) => line.split(' ')[0]))].toSorted();

export type ErasureServer = Awaited<ReturnType<typeof startErasureServer>>;

export async function startErasureServer(backend: Backend) {
  const server = await startForwardingServer(backend);
  const { db } = server;
  const erase = async (input: object, on: Database = db): Promise<ErasureReport> =>
    (await performAdmin({ ...server.running.ctx, db: on }, 'persons/erase', input, 'a test')) as ErasureReport;
  const reply = (email: string, changes: object = {}) =>
    server.event({
      to_email: email,
      to_name: email === ANN ? `Ann ${NAME}` : 'Jo Other',
      subject: `Offer for ${email}`,
      reply_message: { message_id: `<r-${email}>`, text: `Yes, says ${email}` },
      ...changes,
    });
  const category = (email: string) => ({
    event_type: 'LEAD_CATEGORY_UPDATED',
    to_email: email,
    event_timestamp: server.clock.now().toISOString(),
    lead_category: { new_id: '1', new_name: 'Interested' },
  });
  const authorization = { authorization: 'Bearer osapi_demo_write' };
  const act = async (path: string) =>
    expect((await server.post(`/api/v1/${path}`, {}, authorization)).status).toBe(200);
  const newestId = async (table: 'syncs' | 'deliveries', email: string) => {
    const { rows } = await db.query<{ id: number }>(`select max(id) as id from ${table} where to_email = $1`, [email]);
    return rows[0]?.id ?? 0;
  };

  const replay = async (deliveryId: number) => {
    const { rows } = await db.query<{ id: number }>('select destination_id as id from deliveries where id = $1', [
      deliveryId,
    ]);
    return server.post(`/api/v1/destinations/${rows[0]?.id}/deliveries/${deliveryId}/replay`, {}, authorization);
  };

  /** Posts events that leave data of these people wherever the server keeps any. */
  const live = async () => {
    const people = [ANN, JOANN, TAGGED, ACCENTED];
    const [list] = server.world.blocklists;
    server.crm.createList({
      listId: list?.crmListId ?? '',
      name: 'Customers',
      objectType: 'contacts',
      members: people,
    });
    await act(`blocklists/${list?.id}/resync`);
    for (const person of people) {
      await server.receive(reply(person));
      await server.receive(category(person));
      await server.receive({ nothing: 'known', about: person });
      // Another event of the day, for endpoints that fail.
      server.receiver.answerAlways(503);
      await server.receive(reply(person));
      await server.settle();
      server.receiver.answerAlways(200);
    }
    await server.receive('{"nothing":"known","about":"Ann\\u0040Person.Example"}');
    await server.receive(JSON.stringify(`https://x.example/?to=%20ann%40person.example ${NAME}`));
    await server.settle();
    await server.waitAndSettle(DELAY_MS);
    // A CRM, an endpoint or a sequencer may name an address in any error.
    for (const person of people) {
      const error = `refused <${person}>`;
      const key = `${people.indexOf(person)} ${server.startedAt.getTime()}`;
      await db.query(`update syncs set error = $1, status = 'error' where to_email = $2`, [{ message: error }, person]);
      await db.query(`update deliveries set error = $1, status = 'error' where to_email = $2`, [error, person]);
      const { rows } = await db.query<{ id: number }>('select id from connections order by id');
      const connection = rows[people.indexOf(person)]?.id;
      await db.query('update connections set recorded_error = $1 where id = $2', [error, connection]);
      await db.query(
        `insert into crm_outages (connection_id, failing_since, event_id, last_call_at, next_probe_at, error)
          values ($1, $2, 0, $2, 'infinity', $3)`,
        [connection, server.clock.now(), { message: error }],
      );
      await db.query(`update blocklists set last_error = $1 where id = $2`, [error, people.indexOf(person) + 2]);
      await db.query(
        `insert into events (id, account_id, type, summary, data, created_at) values ($1, 1, 'sync.failed', $2, $3, $4)`,
        [`evt ${key}`, error, { text: error, [`${person}`]: 1 }, server.clock.now()],
      );
      await db.query(
        `insert into webhook_deliveries (id, event_id, webhook_id, status, last_error, created_at, updated_at)
          select 'del ' || $1::text, 'evt ' || $1::text, (select min(id) from webhooks), 'FAILED', $2, $3, $3`,
        [key, error, server.clock.now()],
      );
      await db.query(
        `insert into audit_log (at, actor, operation, input, outcome) values ($1, 'test', 'relays/add', $2, 'done')`,
        [server.clock.now(), { ccEmail: person }],
      );
    }
    // What follows waits for its turn.
    server.receiver.answerAlways(503);
    await db.query('update connections set crm_parked_until = $1', [
      new Date(server.clock.now().getTime() + 3_600_000),
    ]);
    for (const person of people) {
      await server.receive(reply(person));
      await server.settle();
      await db.query(`update jobs set last_error = $1 where id = (select max(id) from jobs)`, [`refused <${person}>`]);
      await act(`syncs/${await newestId('syncs', person)}/retry`);
      expect((await replay(await newestId('deliveries', person))).status).toBe(200);
    }
    server.clock.advance(2 * 3_600_000);
    await countUntilDone(db, server.clock.now());
  };
  const jobsByRecipient = async () => {
    const { rows } = await db.query<{ recipient: string; jobs: number }>(
      `select events.to_email as recipient, count(*) as jobs from jobs
        left join relay_mails mails on kind = 'relay-reply' and mails.id::text = ref
        join inbound_events events on events.id::text = case
          when kind in ('write-crm', 'forward-event') then split_part(ref, '/', 1) else mails.event_id::text end
        group by 1`,
    );
    return new Map(rows.map(({ recipient, jobs }) => [recipient, jobs]));
  };
  const counts = () => {
    const range = { from: new Date(server.startedAt.getTime() - 40 * 86_400_000), to: server.clock.now() };
    return bothCounts(db, { ownerIds: server.world.connections.map(({ id }) => id), partId: undefined, range });
  };
  return {
    server,
    db,
    authorization,
    erase,
    reply,
    replay,
    live,
    counts,
    jobsByRecipient,
    async reset() {
      await server.reset();
      server.mail.reset();
      await db.query('truncate relay_mails, crm_outages, blocklist_entries, category_signals');
    },
  };
}
