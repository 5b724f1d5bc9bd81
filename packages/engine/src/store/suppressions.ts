/** Contacts that events of an account put on its block lists: each is sent to the sequencer of the list once. */
import type { BlockType } from '@svc/contract/vocabulary';
import type { Db } from './database/db.ts';

export interface SuppressingList {
  id: number;
  accountId: number;
  connectionId: number;
  blockType: BlockType;
  /** As `isSuppressedKind` allows them. */
  kinds: readonly string[];
}

/**
 * Returns the lists of these accounts that take contacts of events, by ascending id, locked against removal. A list that is
 * being removed is left out, because its removal may wait for the caller.
 */
export async function lockSuppressingLists(tx: Db, accountIds: readonly number[]): Promise<SuppressingList[]> {
  const { rows } = await tx.query<SuppressingList>(
    {
      name: 'suppressions-lists',
      text: `select l.id, c.account_id as "accountId", l.connection_id as "connectionId", l.block_type as "blockType",
          l.suppresses as kinds
        from connections c join blocklists l on l.connection_id = c.id and l.suppresses is not null
        where c.account_id = any($1::bigint[]) order by l.id for key share of l skip locked`,
    },
    [accountIds],
  );
  return rows;
}

export interface NewSuppression {
  listId: number;
  value: string;
  reason: string;
  eventId: number;
}

/**
 * Adds what these lists do not have as a suppression. What the CRM list has put at the sequencer counts as sent, unless the list removes
 * entries: a removal may be on its way. Returns the lists that have something to send.
 *
 * @param found in an order that is the same for all callers, so that two never wait for each other
 */
export async function insertSuppressions(
  tx: Db,
  found: readonly NewSuppression[],
  now: Date,
): Promise<ReadonlySet<number>> {
  if (found.length === 0) return new Set();
  const { rows } = await tx.query<{ listId: number }>(
    {
      name: 'suppressions-insert',
      text: `with added as (
        insert into suppressions (blocklist_id, value, reason, event_id, created_at, pushed_at)
        select found.list_id, found.value, reason, event_id, $5, e.pushed_at
        from unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[]) with ordinality
          as found (list_id, value, reason, event_id, position)
          join blocklists l on l.id = found.list_id
          left join blocklist_entries e on not l.removes and e.blocklist_id = l.id and e.generation = l.entries_generation
            and e.value = found.value
        order by position
        on conflict do nothing returning blocklist_id, pushed_at)
        select distinct blocklist_id as "listId" from added where pushed_at is null`,
    },
    [
      found.map(({ listId }) => listId),
      found.map(({ value }) => value),
      found.map(({ reason }) => reason),
      found.map(({ eventId }) => eventId),
      now,
    ],
  );
  return new Set(rows.map(({ listId }) => listId));
}

const WAITS = 'pushed_at is null and refused_at is null';

/** Returns the next suppressions to push, ordered by value. */
export async function listWaitingSuppressions(
  tx: Db,
  listId: number,
  { limit, from }: { limit: number; from: 'start' | 'end' },
): Promise<string[]> {
  const { rows } = await tx.query<{ value: string }>(
    {
      name: `suppressions-waiting-from-${from}`,
      text: `select value from suppressions where blocklist_id = $1 and ${WAITS}
        order by value ${from === 'end' ? 'desc' : ''} limit $2`,
    },
    [listId, limit],
  );
  return rows.map(({ value }) => value);
}

/** Marks waiting suppressions as pushed or refused. */
export async function markSuppressions(
  tx: Db,
  listId: number,
  { column, values, at }: { column: 'pushed_at' | 'refused_at'; values: readonly string[]; at: Date },
): Promise<void> {
  if (values.length === 0) return;
  await tx.query(
    {
      name: `suppressions-${column}`,
      text: `update suppressions set ${column} = $3 where blocklist_id = $1 and value = any($2) and ${WAITS}`,
    },
    [listId, values, at],
  );
}

/** Makes refused suppressions wait again. @param since only those that were refused since then. Default: all */
export async function clearSuppressionRefusals(tx: Db, listId: number, since: Date | null = null): Promise<void> {
  await tx.query(
    {
      name: 'suppressions-clear-refusals',
      text: `update suppressions set refused_at = null
        where blocklist_id = $1 and refused_at is not null and ($2::timestamptz is null or refused_at >= $2)`,
    },
    [listId, since],
  );
}

/** Makes all suppressions of a list wait again, because it has become another list at the sequencer. */
export async function sendSuppressionsAgain(tx: Db, listId: number): Promise<void> {
  await tx.query(
    `update suppressions set pushed_at = null, refused_at = null where blocklist_id = $1 and not (${WAITS})`,
    [listId],
  );
}

export async function hasWaitingSuppressions(tx: Db, listId: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    { name: 'suppressions-any', text: `select from suppressions where blocklist_id = $1 and ${WAITS} limit 1` },
    [listId],
  );
  return rowCount > 0;
}

export interface SuppressionCounts {
  listId: number;
  kinds: readonly string[] | null;
  everyMinutes: number | null;
  error: string | null;
  pushed: number;
  waiting: number;
  refused: number;
}

/** Returns what these lists take of events, and how many contacts they got. */
export async function countSuppressions(db: Db, listIds: readonly number[]): Promise<SuppressionCounts[]> {
  const { rows } = await db.query<SuppressionCounts>(
    `select l.id as "listId", l.suppresses as kinds, l.every_minutes as "everyMinutes", l.suppression_error as error,
        count(s.pushed_at)::int as pushed, count(s.refused_at)::int as refused,
        count(*) filter (where s.value is not null and s.pushed_at is null and s.refused_at is null)::int as waiting
      from blocklists l left join suppressions s on s.blocklist_id = l.id
      where l.id = any($1::bigint[]) group by l.id`,
    [listIds],
  );
  return rows;
}

/** Stores why suppressions of a list wait; null when they do not. */
export async function setSuppressionError(tx: Db, listId: number, error: string | null): Promise<void> {
  await tx.query(
    {
      name: 'suppressions-set-error',
      text: `update blocklists set suppression_error = $2 where id = $1 and suppression_error is distinct from $2`,
    },
    [listId, error],
  );
}
