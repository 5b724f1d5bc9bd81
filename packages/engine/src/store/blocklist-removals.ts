/** Entries that were pushed and have left the CRM list: each is removed at the sequencer, unless something else blocks it. */
import type { Db } from './database/db.ts';

type OfList = { id: number; generation: number };

export interface LeftEntries {
  /** Entries that were pushed and are not in the list that was read. */
  left: number;
  /** All entries that were pushed. */
  pushed: number;
}

/** Counts what a whole read that is staged does not have any more. */
export async function countLeftEntries(tx: Db, list: OfList): Promise<LeftEntries> {
  const { rows } = await tx.query<LeftEntries>(
    {
      name: 'blocklist-removals-left',
      text: `select count(*) filter (where staged.value is null)::int as left, count(*)::int as pushed
        from blocklist_entries e left join blocklist_entries staged
          on staged.blocklist_id = e.blocklist_id and staged.generation = $3 and staged.value = e.value
        where e.blocklist_id = $1 and e.generation = $2 and e.pushed_at is not null`,
    },
    [list.id, list.generation, list.generation + 1],
  );
  return rows[0] ?? { left: 0, pushed: 0 };
}

/** Deletes the entries that a whole read that is staged does not have. Those that were pushed wait for their removal. */
export async function removeLeftEntries(tx: Db, list: OfList, now: Date): Promise<{ pushed: number; pending: number }> {
  const { rows } = await tx.query<{ pushed: number; pending: number }>(
    {
      name: 'blocklist-removals-add',
      text: `with gone as (
          delete from blocklist_entries e where e.blocklist_id = $1 and e.generation = $2 and not exists (
            select from blocklist_entries staged
            where staged.blocklist_id = e.blocklist_id and staged.generation = $3 and staged.value = e.value)
          returning value, pushed_at, refused_at
        ), added as (
          insert into blocklist_removals as r (blocklist_id, value, created_at)
            select $1, value, $4 from gone where pushed_at is not null order by value
          on conflict (blocklist_id, value) do update set created_at = excluded.created_at,
            called_at = case when r.removed_at is null then r.called_at end, removed_at = null, refused_at = null
        )
        select count(*) filter (where pushed_at is not null)::int as pushed,
          count(*) filter (where pushed_at is null and refused_at is null)::int as pending from gone`,
    },
    [list.id, list.generation, list.generation + 1, now],
  );
  return rows[0] ?? { pushed: 0, pending: 0 };
}

const WAITS = 'removed_at is null and refused_at is null';

/** Returns the next entries to remove, ordered by value. */
export async function listWaitingRemovals(tx: Db, listId: number, limit: number): Promise<string[]> {
  const { rows } = await tx.query<{ value: string }>(
    {
      name: 'blocklist-removals-waiting',
      text: `select value from blocklist_removals where blocklist_id = $1 and ${WAITS} order by value limit $2`,
    },
    [listId, limit],
  );
  return rows.map(({ value }) => value);
}

/** Returns the waiting removals about which a call was made before, so that the sequencer may have removed the entries. */
export async function listCalledRemovals(tx: Db, listId: number): Promise<string[]> {
  const { rows } = await tx.query<{ value: string }>(
    {
      name: 'blocklist-removals-called',
      text: `select value from blocklist_removals where blocklist_id = $1 and ${WAITS} and called_at is not null`,
    },
    [listId],
  );
  return rows.map(({ value }) => value);
}

export async function hasWaitingRemovals(tx: Db, listId: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    {
      name: 'blocklist-removals-any',
      text: `select from blocklist_removals where blocklist_id = $1 and ${WAITS} limit 1`,
    },
    [listId],
  );
  return rowCount > 0;
}

/** Notes that the sequencer is called about waiting removals, or what became of them. */
export async function markRemovals(
  tx: Db,
  listId: number,
  { column, values, at }: { column: 'called_at' | 'removed_at' | 'refused_at'; values: readonly string[]; at: Date },
): Promise<void> {
  if (values.length === 0) return;
  await tx.query(
    {
      name: `blocklist-removals-${column}`,
      text: `update blocklist_removals set ${column} = coalesce(${column}, $3)
        where blocklist_id = $1 and value = any($2) and ${WAITS}`,
    },
    [listId, values, at],
  );
}

/** Gives up waiting removals: what they name stays blocked. */
export async function dropRemovals(tx: Db, listId: number, values: readonly string[]): Promise<void> {
  if (values.length === 0) return;
  await tx.query(
    {
      name: 'blocklist-removals-drop',
      text: `delete from blocklist_removals where blocklist_id = $1 and value = any($2) and ${WAITS}`,
    },
    [listId, values],
  );
}

/** Gives up all removals of a list that wait. */
export async function dropAllRemovals(tx: Db, listId: number): Promise<void> {
  await tx.query(`delete from blocklist_removals where blocklist_id = $1 and ${WAITS}`, [listId]);
}

/** Returns which of these values a list has: as an entry of its CRM list, or because of an event. */
export async function findBlockedValues(
  tx: Db,
  listIds: readonly number[],
  values: readonly string[],
): Promise<ReadonlySet<string>> {
  if (values.length === 0) return new Set();
  const { rows } = await tx.query<{ value: string }>(
    {
      name: 'blocklist-removals-blocked',
      text: `select e.value from blocklists l join blocklist_entries e
          on e.blocklist_id = l.id and e.generation = l.entries_generation and e.value = any($2)
          where l.id = any($1::bigint[])
        union select value from suppressions where blocklist_id = any($1::bigint[]) and value = any($2)`,
    },
    [listIds, values],
  );
  return new Set(rows.map(({ value }) => value));
}

/**
 * Makes entries and suppressions of a list wait again, because a removal may have taken them away at the sequencer. Returns how many entries,
 * and whether there are suppressions.
 */
export async function sendAgain(
  tx: Db,
  { id, generation }: OfList,
  values: readonly string[],
): Promise<{ entries: number; hasSuppressions: boolean }> {
  const entries = await tx.query(
    {
      name: 'blocklist-removals-send-entries',
      text: `update blocklist_entries set pushed_at = null
        where blocklist_id = $1 and generation = $2 and value = any($3) and pushed_at is not null`,
    },
    [id, generation, values],
  );
  const suppressions = await tx.query(
    {
      name: 'blocklist-removals-send-suppressions',
      text: `update suppressions set pushed_at = null where blocklist_id = $1 and value = any($2) and pushed_at is not null`,
    },
    [id, values],
  );
  return { entries: entries.rowCount, hasSuppressions: suppressions.rowCount > 0 };
}

/** Stores why removals of a list wait or were not made; null when nothing stopped them. */
export async function setRemovalError(tx: Db, listId: number, error: string | null): Promise<void> {
  await tx.query(
    {
      name: 'blocklist-removals-set-error',
      text: `update blocklists set removal_error = $2 where id = $1 and removal_error is distinct from $2`,
    },
    [listId, error],
  );
}

export interface RemovalCounts {
  listId: number;
  removes: boolean;
  error: string | null;
  removed: number;
  waiting: number;
  refused: number;
}

/** Returns whether these lists remove entries, and how many they did. */
export async function countRemovals(db: Db, listIds: readonly number[]): Promise<RemovalCounts[]> {
  const { rows } = await db.query<RemovalCounts>(
    `select l.id as "listId", l.removes, l.removal_error as error,
        count(r.removed_at)::int as removed, count(r.refused_at)::int as refused,
        count(*) filter (where r.value is not null and r.removed_at is null and r.refused_at is null)::int as waiting
      from blocklists l left join blocklist_removals r on r.blocklist_id = l.id
      where l.id = any($1::bigint[]) group by l.id`,
    [listIds],
  );
  return rows;
}
