/**
 * The local entries of block lists. Current entries have the list's generation. A running fetch stages its entries
 * under the next generation and makes them current when it has read everything. So `synced_count + pending_count`
 * always equals the number of current entries that the sequencer has not refused.
 */
import type { Db } from './database/db.ts';

type OfList = { id: number; generation: number };

/** Stages the entries of a page, skipping those already staged and, with `onlyNew`, those in the list. */
export async function stageEntries(
  tx: Db,
  list: OfList,
  values: readonly string[],
  { onlyNew }: { onlyNew: boolean },
): Promise<void> {
  await tx.query(
    {
      name: 'blocklist-entries-stage',
      text: `insert into blocklist_entries (blocklist_id, generation, value)
        select $1, $2, page.value from unnest($3::text[]) as page (value)
        where not ($4 and exists (
          select from blocklist_entries e where e.blocklist_id = $1 and e.generation = $5 and e.value = page.value))
        on conflict do nothing`,
    },
    [list.id, list.generation + 1, values, onlyNew, list.generation],
  );
}

/** Deletes the entries that an earlier fetch staged. */
export async function clearStagedEntries(tx: Db, list: OfList): Promise<void> {
  await deleteOtherGenerations(tx, list);
}

/** Replaces the list's entries by the staged ones, all pending. Returns their number. */
export async function replaceEntries(tx: Db, list: OfList): Promise<number> {
  const next = { id: list.id, generation: list.generation + 1 };
  await deleteOtherGenerations(tx, next);
  await tx.query(
    { name: 'blocklist-entries-advance', text: 'update blocklists set entries_generation = $2 where id = $1' },
    [next.id, next.generation],
  );
  const { rows } = await tx.query<{ count: number }>(
    {
      name: 'blocklist-entries-count',
      text: 'select count(*) as count from blocklist_entries where blocklist_id = $1 and generation = $2',
    },
    [next.id, next.generation],
  );
  return rows[0]?.count ?? 0;
}

/** Adds the staged entries to the list as pending. Returns how many are new. */
export async function addStagedEntries(tx: Db, list: OfList): Promise<number> {
  const { rowCount } = await tx.query(
    {
      name: 'blocklist-entries-add',
      text: `insert into blocklist_entries (blocklist_id, generation, value)
        select blocklist_id, $2, value from blocklist_entries where blocklist_id = $1 and generation = $3
        on conflict do nothing`,
    },
    [list.id, list.generation, list.generation + 1],
  );
  await clearStagedEntries(tx, list);
  return rowCount;
}

async function deleteOtherGenerations(tx: Db, { id, generation }: OfList): Promise<void> {
  await tx.query(
    {
      name: 'blocklist-entries-keep-generation',
      text: 'delete from blocklist_entries where blocklist_id = $1 and generation <> $2',
    },
    [id, generation],
  );
}

/** Returns the next entries to push, ordered by value, without refused ones. */
export async function listPendingEntries(
  tx: Db,
  list: OfList,
  { limit, from }: { limit: number; from: 'start' | 'end' },
): Promise<string[]> {
  const { rows } = await tx.query<{ value: string }>(
    {
      name: `blocklist-entries-pending-from-${from}`,
      text: `select value from blocklist_entries where blocklist_id = $1 and generation = $2
          and pushed_at is null and refused_at is null
        order by value ${from === 'end' ? 'desc' : ''} limit $3`,
    },
    [list.id, list.generation, limit],
  );
  const values = rows.map((row) => row.value);
  return from === 'end' ? values.reverse() : values;
}

/** Marks pending entries as pushed. Returns how many of them were pending. */
export async function markEntriesPushed(tx: Db, list: OfList, values: readonly string[], at: Date): Promise<number> {
  return markEntries(tx, list, { column: 'pushed_at', values, at });
}

/** Marks pending entries that the sequencer refused. Returns how many of them were pending. */
export async function markEntriesRefused(tx: Db, list: OfList, values: readonly string[], at: Date): Promise<number> {
  return markEntries(tx, list, { column: 'refused_at', values, at });
}

interface Marks {
  column: 'pushed_at' | 'refused_at';
  /** In the order of `listPendingEntries`: their range makes the index usable. */
  values: readonly string[];
  at: Date;
}

async function markEntries(tx: Db, list: OfList, { column, values, at }: Marks): Promise<number> {
  if (values.length === 0) return 0;
  const { rowCount } = await tx.query(
    {
      name: `blocklist-entries-${column}`,
      text: `update blocklist_entries e set ${column} = $4 from unnest($3::text[]) as batch (value)
        where e.blocklist_id = $1 and e.generation = $2 and e.pushed_at is null and e.refused_at is null
          and e.value between $5 and $6 and e.value = batch.value`,
    },
    [list.id, list.generation, values, at, values[0], values.at(-1)],
  );
  return rowCount;
}

/** Makes entries pending again that were refused since this instant. Returns their number. */
export async function clearRefusals(tx: Db, list: OfList, since: Date): Promise<number> {
  const { rowCount } = await tx.query(
    {
      name: 'blocklist-entries-clear-refusals',
      text: `update blocklist_entries set refused_at = null
        where blocklist_id = $1 and generation = $2 and refused_at >= $3`,
    },
    [list.id, list.generation, since],
  );
  return rowCount;
}

/** Returns the number of refused entries. */
export async function countRefused(tx: Db, list: OfList): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    {
      name: 'blocklist-entries-count-refused',
      text: `select count(*) as count from blocklist_entries
        where blocklist_id = $1 and generation = $2 and refused_at is not null`,
    },
    [list.id, list.generation],
  );
  return rows[0]?.count ?? 0;
}
