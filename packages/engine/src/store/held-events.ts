/**
 * Statements about events that a write policy holds (`pipeline/hold-events.ts`), and about leads whose events are no longer held.
 *
 * A transaction that holds or releases locks the sources first (`lockHolds`), so that no event is held behind the release of its lead.
 */
import type { HeldLead } from '@svc/domain/policy/hold';
import type { Database, Db } from './database/db.ts';
import { policyPartSql } from './write-policies.ts';

/** Dropped by one statement. */
const DROPPED_AT_ONCE = 1_000;

export interface LeadOfSource extends HeldLead {
  sourceId: number;
}

export interface WaitingEvent extends LeadOfSource {
  eventId: number;
}

export interface NewHeldEvent extends WaitingEvent {
  receivedAt: Date;
  dropsAt: Date;
}

/** Waits until no other transaction holds or releases events of these sources. Returns the connections of those that exist. */
export async function lockHolds(tx: Db, sourceIds: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await tx.query<{ id: number; connectionId: number }>(
    {
      name: 'held-events-lock',
      text: 'select id, connection_id as "connectionId" from sources where id = any($1) order by id for no key update',
    },
    [sourceIds],
  );
  return new Map(rows.map(({ id, connectionId }) => [id, connectionId]));
}

/** Returns the releases of the recipients of these leads, in any campaign. */
export async function listReleasedLeads(tx: Db, leads: readonly LeadOfSource[]): Promise<LeadOfSource[]> {
  const { rows } = await tx.query<LeadOfSource>(
    {
      name: 'released-leads-of',
      text: `select source_id as "sourceId", recipient, campaign from released_leads
        where (source_id, recipient) in (select * from unnest($1::bigint[], $2::text[]))`,
    },
    [leads.map(({ sourceId }) => sourceId), leads.map(({ recipient }) => recipient)],
  );
  return rows;
}

/** Takes out what waits for these leads, and returns it in the order in which it was received. A lead without a campaign stands for its recipient. */
export async function takeHeldEvents(tx: Db, leads: readonly LeadOfSource[]): Promise<WaitingEvent[]> {
  const { rows } = await tx.query<WaitingEvent>(
    {
      name: 'held-events-take',
      text: takeText(`held_events held
        join unnest($1::bigint[], $2::text[], $3::text[]) as released (source_id, recipient, campaign)
          on held.source_id = released.source_id and held.recipient = released.recipient
            and (released.campaign = '' or held.campaign = released.campaign)`),
    },
    leadColumns(leads),
  );
  return inOrder(rows);
}

export async function insertHeldEvents(tx: Db, events: readonly NewHeldEvent[], now: Date): Promise<void> {
  if (events.length === 0) return;
  await tx.query(
    {
      name: 'held-events-insert',
      text: `insert into held_events (source_id, recipient, campaign, event_id, received_at, drops_at, held_at)
        select *, $7 from unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::timestamptz[], $6::timestamptz[])`,
    },
    [
      ...leadColumns(events),
      events.map(({ eventId }) => eventId),
      events.map(({ receivedAt }) => receivedAt.toISOString()),
      events.map(({ dropsAt }) => dropsAt.toISOString()),
      now,
    ],
  );
}

/** Later events of these leads are not held. */
export async function insertReleasedLeads(tx: Db, leads: readonly LeadOfSource[], now: Date): Promise<void> {
  if (leads.length === 0) return;
  await tx.query(
    {
      name: 'released-leads-insert',
      text: `insert into released_leads (source_id, recipient, campaign, released_at)
        select *, $4 from unnest($1::bigint[], $2::text[], $3::text[]) on conflict do nothing`,
    },
    [...leadColumns(leads), now],
  );
}

function leadColumns(leads: readonly LeadOfSource[]): unknown[] {
  return [
    leads.map(({ sourceId }) => sourceId),
    leads.map(({ recipient }) => recipient),
    leads.map(({ campaign }) => campaign),
  ];
}

/** Locks in the order of the ids, as erasures do, so that two transactions never wait for each other. @param from what follows `select from` */
function takeText(from: string): string {
  return `with locked as materialized (select event_id from ${from} order by event_id for update of held)
    delete from held_events using locked where held_events.event_id = locked.event_id
    returning held_events.event_id as "eventId", source_id as "sourceId", recipient, campaign`;
}

function inOrder(events: WaitingEvent[]): WaitingEvent[] {
  return events.sort((a, b) => a.eventId - b.eventId);
}

/** Which of the events that a source holds. Without a recipient or campaign: of all. */
export interface HeldSelection {
  sourceId: number;
  /** In lower case. */
  recipient: string | null;
  /** The keys that the campaign may have. */
  campaigns: readonly string[] | null;
}

const SELECTED = `source_id = $1 and ($2::text is null or recipient = $2)
  and ($3::text[] is null or campaign = any($3))`;

function selectionValues({ sourceId, recipient, campaigns }: HeldSelection): unknown[] {
  return [sourceId, recipient, campaigns];
}

/** Takes out what waits for the next recipients of a selection, and returns it in the order in which it was received. */
export async function takeSelectedEvents(
  tx: Db,
  selection: HeldSelection,
  recipientsMax: number,
): Promise<WaitingEvent[]> {
  const { rows } = await tx.query<WaitingEvent>(
    takeText(`held_events held where ${SELECTED} and recipient in (
      select recipient from held_events where ${SELECTED} group by recipient order by min(event_id) limit $4)`),
    [...selectionValues(selection), recipientsMax],
  );
  return inOrder(rows);
}

/** Drops what waits, behind `lockHolds`. Returns how many events there were. */
export async function dropSelectedEvents(tx: Db, selection: HeldSelection): Promise<number> {
  const { rowCount } = await tx.query(`delete from held_events where ${SELECTED}`, selectionValues(selection));
  return rowCount;
}

export interface ListedLead extends HeldLead {
  /** The name of the campaign; null when its events have none. */
  campaignName: string | null;
  events: number;
  /** Since when its first event waits. */
  since: Date;
  /** When its first event is dropped. */
  dropsAt: Date;
}

/** Returns the leads whose events wait, those that have waited longest first. */
export async function listHeldLeads(db: Db, selection: HeldSelection, limit: number): Promise<ListedLead[]> {
  const { rows } = await db.query<ListedLead>(
    `with leads as materialized (
        select recipient, campaign, count(*)::int as events, min(held_at) as since, min(drops_at) as drops_at,
          min(event_id) as first_id
        from held_events where ${SELECTED} group by recipient, campaign order by first_id limit $4
      )
      select recipient, campaign, events, since, drops_at as "dropsAt",
        (select normalized #>> '{campaign,name}' from inbound_events where id = first_id) as "campaignName"
      from leads order by first_id`,
    [...selectionValues(selection), limit],
  );
  return rows;
}

export interface HeldTotal {
  events: number;
  leads: number;
  /** Since when the first event waits; null when none does. */
  since: Date | null;
}

export async function countHeldEvents(db: Db, selection: HeldSelection): Promise<HeldTotal> {
  const { rows } = await db.query<HeldTotal>(
    `select coalesce(sum(events), 0)::int as events, count(*)::int as leads, min(since) as since from (
        select count(*) as events, min(held_at) as since from held_events where ${SELECTED} group by recipient, campaign
      ) leads`,
    selectionValues(selection),
  );
  return rows[0] ?? { events: 0, leads: 0, since: null };
}

/** Counts what waits, up to a number, for a scrape of `/metrics`. */
export async function countAllHeldEvents(db: Db, countMax: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from (select from held_events limit $1) capped',
    [countMax],
  );
  return rows[0]?.count ?? 0;
}

/** Returns the sources with events that wait although no policy holds them any more. */
export async function listEndedHolds(db: Db): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select id from sources where exists (select from held_events where source_id = sources.id)
      and ${policyPartSql('sources', 'holdUntil')} is null order by id`,
  );
  return rows.map(({ id }) => id);
}

/** Drops events that have waited as long as the policy allowed when they came, unless they are released right now. Returns how many there were. */
export async function dropDueEvents(db: Database, now: Date): Promise<number> {
  let dropped = 0;
  for (;;) {
    const { rowCount } = await db.query(
      `delete from held_events where event_id in (
        select event_id from held_events where drops_at <= $1 order by drops_at limit ${DROPPED_AT_ONCE}
          for update skip locked)`,
      [now],
    );
    dropped += rowCount;
    if (rowCount < DROPPED_AT_ONCE) return dropped;
  }
}

/** What follows `select from` for the events that wait and were received before `$1`: the months of their receipts are kept. */
export const HELD_RECEIPTS = 'held_events where received_at < $1';

/** SQL for the first event that waits; null when none does. */
export const FIRST_HELD_EVENT = '(select min(event_id) from held_events)';
