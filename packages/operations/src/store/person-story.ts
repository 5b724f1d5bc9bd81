/**
 * What happened with one person in an account. Indexes by recipient find the rows that may be the person's, and the search of the erasure
 * decides which are. An event that was neither written nor forwarded, and that no policy holds, has no such row.
 */
import type { ContactIdentity } from '@svc/domain/contacts/contact-identity';
import { outreachKeys } from '@svc/domain/contacts/contact-identity';
import type { Db } from '@svc/engine/store/database/db';
import type { StoryDelivery, StoryMail, StorySync } from '@svc/engine/store/receipt-story';
import { othersOf } from './erasure-steps.ts';
import { createPersonSearch, type PersonSearch } from './person-search.ts';

interface OfRequest {
  connectionId: number;
  /** The request that gave the event; null when an erasure or retention took it away. */
  requestId: number | null;
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
  state: 'blocked' | 'pending' | 'refused';
}

export interface PersonStory {
  events: PersonEvent[];
  syncs: PersonSync[];
  deliveries: PersonDelivery[];
  mails: StoryMail[];
  blocked: BlockedAddress[];
  /** Other addresses and profile URLs of these events. */
  otherIdentities: string[];
  /** The lists that have older rows than those that are returned. */
  incomplete: ('events' | 'syncs' | 'deliveries' | 'mails')[];
}

export interface StoryScope {
  accountId: number;
  connectionIds: readonly number[];
  identity: ContactIdentity;
  /** The most rows of each list. */
  limit: number;
}

/** Returns the newest rows of each list, newest first. */
export async function readPersonStory(db: Db, scope: StoryScope): Promise<PersonStory> {
  const person = createPersonSearch(scope.identity);
  const keys = storedKeys(scope.identity);
  const syncs = await readLog<PersonSync>(db, 'syncs', SYNC, scope, keys, person);
  const deliveries = await readLog<PersonDelivery>(db, 'deliveries', DELIVERY, scope, keys, person);
  const found = await readEvents(db, scope, keys, {
    eventIds: syncs.flatMap(({ eventId }) => eventId ?? []),
    requestIds: [...syncs, ...deliveries].flatMap(({ requestId }) => requestId ?? []),
  });
  const events: (PersonEvent & { normalized: string })[] = [];
  for (const event of found) if (await isHers(event, person)) events.push(event);
  const mails = await readMails(
    db,
    scope,
    events.map(({ id }) => id),
  );
  const others = new Set<string>();
  for (const { toEmail, normalized } of events) {
    for (const other of await othersOf({ texts: { to_email: toEmail, normalized } }, person)) others.add(other);
  }
  const lists = { events, syncs, deliveries, mails };
  const cut = <Row>(rows: readonly Row[]) => rows.slice(0, scope.limit);
  return {
    events: cut(events).map(({ normalized: _normalized, ...event }) => event),
    syncs: cut(syncs).map(({ eventId: _eventId, ...sync }) => sync),
    deliveries: cut(deliveries).map(({ eventId: _eventId, ...delivery }) => delivery),
    mails: cut(mails),
    blocked: await readBlocked(db, scope),
    otherIdentities: [...others].slice(0, 20),
    incomplete: (['events', 'syncs', 'deliveries', 'mails'] as const).filter(
      (name) => lists[name].length > scope.limit,
    ),
  };
}

/** Returns how recipients write the person, in lower case. */
export function storedKeys(identity: ContactIdentity): string[] {
  const { emailKeys, profileKeys } = outreachKeys(identity);
  return [...new Set([...emailKeys, ...profileKeys])].map((key) => key.toLowerCase());
}

const OF_LOG = `rows.id, rows.connection_id as "connectionId", rows.payload_id as "requestId", rows.status,
  rows.event_type as "eventType", rows.to_email as "toEmail", rows.error, rows.created_at as "createdAt"`;
const SYNC = `${OF_LOG}, rows.retry_of_sync_id as "retryOfSyncId", rows.inbound_event_id as "eventId"`;
const DELIVERY = `${OF_LOG}, rows.destination_id as "destinationId", rows.destination_url as "destinationUrl",
  rows.http_status as "httpStatus", null as "eventId"`;

async function readLog<Row extends { toEmail: string }>(
  db: Db,
  log: 'syncs' | 'deliveries',
  columns: string,
  { accountId, limit }: StoryScope,
  keys: readonly string[],
  person: PersonSearch,
): Promise<(Row & { eventId: number | null })[]> {
  const { rows } = await db.query<Row & { eventId: number | null }>(
    `select ${columns} from ${log} rows where rows.account_id = $1 and lower(rows.to_email) = any($2)
      order by rows.created_at desc, rows.id desc limit $3`,
    [accountId, keys, limit + 1],
  );
  const hers: typeof rows = [];
  for (const row of rows) if (await person.mentions(row.toEmail)) hers.push(row);
  return hers;
}

/** Reads the events of these rows, others of the same requests, and those that a policy holds. */
async function readEvents(
  db: Db,
  { connectionIds, limit }: StoryScope,
  keys: readonly string[],
  { eventIds, requestIds }: { eventIds: readonly number[]; requestIds: readonly number[] },
) {
  const { rows } = await db.query<PersonEvent & { normalized: string }>(
    `with ids as (
        select unnest($1::bigint[]) as id
        union select id from inbound_events where request_id = any($2::bigint[]) and lower(to_email) = any($4)
        union (select held.event_id from sources join held_events held on held.source_id = sources.id
            and held.recipient = any($4)
          where sources.connection_id = any($3::bigint[]) order by held.event_id desc limit $5)
      )
      select e.id, e.event_type as "eventType", e.to_email as "toEmail", e.platform, e.request_id as "requestId",
        e.source_id as "sourceId", e.connection_id as "connectionId", coalesce(e.received_at, e.created_at) as "receivedAt",
        held.drops_at as "heldUntil", e.normalized::text as normalized
      from ids join inbound_events e on e.id = ids.id left join held_events held on held.event_id = e.id
      where e.connection_id = any($3::bigint[])
      order by e.id desc limit $5`,
    [eventIds, requestIds, connectionIds, keys, limit + 1],
  );
  return rows;
}

async function isHers({ toEmail, normalized }: { toEmail: string; normalized: string }, person: PersonSearch) {
  return (await person.mentions(toEmail)) || (await person.mentions(normalized));
}

/** Mails of removed relays are left out: the unique key begins with the relay. */
async function readMails(db: Db, { connectionIds, limit }: StoryScope, eventIds: readonly number[]) {
  const { rows } = await db.query<StoryMail>(
    `select mails.id, mails.relay_id as "relayId", mails.event_id as "eventId", mails.status,
        mails.attempt_count as attempts, mails.error, mails.due_at as "dueAt", mails.ended_at as "endedAt"
      from reply_relays relays join relay_mails mails on mails.relay_id = relays.id and mails.event_id = any($2::bigint[])
      where relays.connection_id = any($1::bigint[]) order by mails.id desc limit $3`,
    [connectionIds, eventIds, limit + 1],
  );
  return rows;
}

/** Block lists have addresses and domains in lower case. */
async function readBlocked(db: Db, { connectionIds, identity: { email } }: StoryScope): Promise<BlockedAddress[]> {
  if (email === null) return [];
  const { rows } = await db.query<BlockedAddress>(
    `select l.id as "blocklistId", l.list_name as "listName", l.platform, entries.value,
        case when entries.refused_at is not null then 'refused' when entries.pushed_at is null then 'pending'
          else 'blocked' end as state
      from blocklists l join blocklist_entries entries on entries.blocklist_id = l.id
        and entries.generation = l.entries_generation and entries.value = any($2)
      where l.connection_id = any($1::bigint[]) order by l.id, entries.value`,
    [connectionIds, [email, email.slice(email.lastIndexOf('@') + 1)]],
  );
  return rows;
}
