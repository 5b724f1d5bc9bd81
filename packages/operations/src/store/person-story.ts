/**
 * What happened with one person in an account. Indexes by recipient and by profile URL find the rows that may be the person's, and the search of
 * the erasure decides which are. Payloads are not searched.
 */
import type { ContactIdentity } from '@svc/domain/contacts/contact-identity';
import { outreachKeys } from '@svc/domain/contacts/contact-identity';
import type { Database, Db } from '@svc/engine/store/database/db';
import { outcomeSql } from '@svc/engine/store/receipts';
import type { StoryDelivery, StoryMail, StorySync } from '@svc/engine/store/receipt-story';
import { othersOf } from './erasure-steps.ts';
import { createPersonSearch, type PersonSearch } from './person-search.ts';

interface OfRequest {
  connectionId: number;
  /** The request that gave the event; null when an erasure or retention took it away. */
  requestId: number | null;
}

export interface PersonRequest {
  id: number;
  sourceId: number;
  connectionId: number;
  /** Null: not processed yet. */
  outcome: string | null;
  /** The backfill that brought it; null: it was posted. */
  backfillRunId: number | null;
  receivedAt: Date;
}

export interface PersonEvent {
  id: number;
  eventType: string;
  toEmail: string;
  platform: string;
  requestId: number;
  sourceId: number;
  connectionId: number;
  receivedAt: Date;
  /** When the event is dropped unless its lead is released before; null: no write policy holds it. */
  heldUntil: Date | null;
}

export type PersonSync = StorySync & OfRequest;
export type PersonDelivery = StoryDelivery & OfRequest & { toEmail: string };

export interface BlockedAddress {
  blocklistId: number;
  listName: string;
  platform: string;
  /** The address, or its domain. */
  value: string;
  state: 'blocked' | 'pending' | 'refused' | 'removed';
  /** When the sequencer took, refused or removed it; null while it is pending. */
  at: Date | null;
  /** The kind of the event that put it there, such as opt-outs; null when the CRM list has it. */
  reason: string | null;
}

export interface PersonStory {
  /** Those that gave or repeated the events. */
  requests: PersonRequest[];
  events: PersonEvent[];
  syncs: PersonSync[];
  deliveries: PersonDelivery[];
  mails: StoryMail[];
  blocked: BlockedAddress[];
  /** Other addresses and profile URLs of these events. */
  otherIdentities: string[];
  /** The lists that have older rows than those that are returned. */
  incomplete: ('requests' | 'events' | 'syncs' | 'deliveries' | 'mails')[];
}

export interface StoryScope {
  accountId: number;
  connectionIds: readonly number[];
  identity: ContactIdentity;
  /** The most rows of each list. */
  limit: number;
}

/**
 * Runs these statements without compiling them: each takes milliseconds from indexes, and PostgreSQL would compile for seconds because it
 * expects many rows.
 */
export function withoutJit<T>(db: Database, work: (tx: Db) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.query('set local jit = off');
    return work(tx);
  });
}

/** Returns the newest rows of each list, newest first. */
export async function readPersonStory(db: Db, scope: StoryScope): Promise<PersonStory> {
  const person = createPersonSearch(scope.identity);
  const keys = storedKeys(scope.identity);
  const found = await readEvents(db, scope, keys);
  const events: typeof found = [];
  for (const event of found) if (await isHers(event, person)) events.push(event);
  const others = new Set<string>();
  for (const { toEmail, normalized } of events) {
    for (const other of await othersOf({ texts: { to_email: toEmail, normalized } }, person)) others.add(other);
  }
  const lists = {
    requests: await readRequests(db, scope, events),
    events,
    syncs: await readLog<PersonSync>(db, 'syncs', SYNC, scope, keys, person),
    deliveries: await readLog<PersonDelivery>(db, 'deliveries', DELIVERY, scope, keys, person),
    mails: await readMails(db, scope, events),
  };
  const cut = <Row>(rows: readonly Row[]) => rows.slice(0, scope.limit);
  return {
    requests: cut(lists.requests),
    events: cut(events).map(({ normalized: _normalized, ...event }) => event),
    syncs: cut(lists.syncs),
    deliveries: cut(lists.deliveries),
    mails: cut(lists.mails),
    blocked: await readBlocked(db, scope),
    otherIdentities: [...others].slice(0, 20),
    incomplete: (['requests', 'events', 'syncs', 'deliveries', 'mails'] as const).filter(
      (name) => lists[name].length > scope.limit,
    ),
  };
}

/** Returns the accounts that have events of the person, at most ten. */
export async function findAccountsOf(db: Db, identity: ContactIdentity): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select distinct account_id as id from connections
      where id in (select connection_id from (${eventsSql('1')}) events) order by account_id limit 10`,
    [await listConnectionIds(db), storedKeys(identity)],
  );
  return rows.map(({ id }) => id);
}

async function listConnectionIds(db: Db): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>('select id from connections');
  return rows.map(({ id }) => id);
}

/** Returns how recipients write the person, in lower case. */
export function storedKeys(identity: ContactIdentity): string[] {
  const { emailKeys, profileKeys } = outreachKeys(identity);
  return [...new Set([...emailKeys, ...profileKeys])].map((key) => key.toLowerCase());
}

/**
 * Selects the events that name the person: id, request_id and connection_id. `$1`: connections; `$2`: how recipients write the person.
 * `offset 0` makes PostgreSQL look up each spelling in the index of each connection. Otherwise it would read the whole table: the indexes are
 * partial, so it has no statistics of their expressions, and expects far more rows.
 *
 * @param limit SQL of the most events of each connection and spelling, newest first; default all
 */
export function eventsSql(limit = 'all'): string {
  const columns = 'events.id, events.request_id, events.connection_id';
  const lookUp = (condition: string) => `
    select events.* from unnest($1::bigint[]) connection (id) cross join unnest($2::text[]) spelling (text)
      cross join lateral (
        select ${columns} from inbound_events events where events.connection_id = connection.id and ${condition}
        order by events.id desc limit ${limit} offset 0) events`;
  return `${lookUp(`lower(events.to_email) = spelling.text and events.to_email <> ''`)}
    union ${lookUp(`lower(events.normalized #>> '{contact,profileUrl}') = spelling.text
      and events.normalized #>> '{contact,profileUrl}' is not null`)}`;
}

async function readEvents(db: Db, { connectionIds, limit }: StoryScope, keys: readonly string[]) {
  const { rows } = await db.query<PersonEvent & { normalized: string }>(
    `select e.id, e.event_type as "eventType", e.to_email as "toEmail", e.platform, e.request_id as "requestId",
        e.source_id as "sourceId", e.connection_id as "connectionId", coalesce(e.received_at, e.created_at) as "receivedAt",
        held.drops_at as "heldUntil", e.normalized::text as normalized
      from (select id from (${eventsSql('$3')}) events order by id desc limit $3) ids
      join inbound_events e on e.id = ids.id left join held_events held on held.event_id = e.id
      order by e.id desc`,
    [connectionIds, keys, limit + 1],
  );
  return rows;
}

async function isHers({ toEmail, normalized }: { toEmail: string; normalized: string }, person: PersonSearch) {
  return (await person.mentions(toEmail)) || (await person.mentions(normalized));
}

/** Reads the requests that gave these events, and those that repeated them. */
async function readRequests(db: Db, { accountId, limit }: StoryScope, events: readonly PersonEvent[]) {
  const { rows } = await db.query<PersonRequest>(
    `select id, source_id as "sourceId", connection_id as "connectionId", ${outcomeSql('requests')} as outcome,
        backfill_run_id as "backfillRunId", created_at as "receivedAt"
      from requests
      where account_id = $1 and (id = any($2::bigint[]) or repeated_event_ids && $3::bigint[])
      order by created_at desc, id desc limit $4`,
    [accountId, [...new Set(events.map(({ requestId }) => requestId))], events.map(({ id }) => id), limit + 1],
  );
  return rows;
}

const OF_LOG = `rows.id, rows.connection_id as "connectionId", rows.payload_id as "requestId", rows.status,
  rows.event_type as "eventType", rows.to_email as "toEmail", rows.error, rows.created_at as "createdAt"`;
const SYNC = `${OF_LOG}, rows.retry_of_sync_id as "retryOfSyncId"`;
const DELIVERY = `${OF_LOG}, rows.destination_id as "destinationId", rows.destination_url as "destinationUrl",
  rows.http_status as "httpStatus"`;

async function readLog<Row extends { toEmail: string }>(
  db: Db,
  log: 'syncs' | 'deliveries',
  columns: string,
  { accountId, limit }: StoryScope,
  keys: readonly string[],
  person: PersonSearch,
): Promise<Row[]> {
  const { rows } = await db.query<Row>(
    `select ${columns} from ${log} rows where rows.account_id = $1 and lower(rows.to_email) = any($2)
      order by rows.created_at desc, rows.id desc limit $3`,
    [accountId, keys, limit + 1],
  );
  const hers: Row[] = [];
  for (const row of rows) if (await person.mentions(row.toEmail)) hers.push(row);
  return hers;
}

/** Mails of removed relays are left out: the unique key begins with the relay. */
async function readMails(db: Db, { connectionIds, limit }: StoryScope, events: readonly PersonEvent[]) {
  const { rows } = await db.query<StoryMail>(
    `select mails.id, mails.relay_id as "relayId", mails.event_id as "eventId", mails.status,
        mails.attempt_count as attempts, mails.error, mails.due_at as "dueAt", mails.ended_at as "endedAt"
      from reply_relays relays join relay_mails mails on mails.relay_id = relays.id and mails.event_id = any($2::bigint[])
      where relays.connection_id = any($1::bigint[]) order by mails.id desc limit $3`,
    [connectionIds, events.map(({ id }) => id), limit + 1],
  );
  return rows;
}

/** Block lists have addresses and domains in lower case. */
async function readBlocked(db: Db, { connectionIds, identity: { email } }: StoryScope): Promise<BlockedAddress[]> {
  if (email === null) return [];
  const { rows } = await db.query<BlockedAddress>(
    `select l.id as "blocklistId", l.list_name as "listName", l.platform, entries.value,
        case when entries.removed_at is not null then 'removed' when entries.refused_at is not null then 'refused'
          when entries.pushed_at is null then 'pending' else 'blocked' end as state,
        coalesce(entries.removed_at, entries.refused_at, entries.pushed_at) as at, entries.reason
      from blocklists l cross join lateral (
          select value, pushed_at, refused_at, null as reason, null::timestamptz as removed_at from blocklist_entries
          where blocklist_id = l.id and generation = l.entries_generation and value = any($2)
          union all select value, pushed_at, refused_at, reason, null from suppressions
          where blocklist_id = l.id and value = any($2)
          union all select value, null, null, null, removed_at from blocklist_removals
          where blocklist_id = l.id and value = any($2) and removed_at is not null) entries
      where l.connection_id = any($1::bigint[]) order by l.id, entries.value, entries.reason nulls first`,
    [connectionIds, [email, email.slice(email.lastIndexOf('@') + 1)]],
  );
  return rows;
}
