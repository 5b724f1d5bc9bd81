/**
 * The local entries of block lists. What counts has the list's own generation; a fetch at work stages its entries under the
 * next one, and makes them count when it has read everything. So `synced_count + pending_count` is the number of entries
 * of the list's generation, without those that the sequencer refused, whatever became of a fetch.
 */
import type { Db } from './database/db.ts';

type OfList = { id: number; generation: number };

/** Stages the entries of a page. Those that are staged already are left out, and with `onlyNew` those that the list has. */
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

/** Forgets what an earlier fetch has staged. */
export async function clearStagedEntries(tx: Db, list: OfList): Promise<void> {
  await keepGeneration(tx, list);
}

/** Wipes the list's entries and puts the staged ones, all pending, in their place. Returns how many there are. */
export async function replaceEntries(tx: Db, list: OfList): Promise<number> {
  const next = { id: list.id, generation: list.generation + 1 };
  await keepGeneration(tx, next);
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

/** Adds the staged entries to the list's own, as pending. Returns how many it did not have before. */
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

async function keepGeneration(tx: Db, { id, generation }: OfList): Promise<void> {
  await tx.query(
    {
      name: 'blocklist-entries-keep-generation',
      text: 'delete from blocklist_entries where blocklist_id = $1 and generation <> $2',
    },
    [id, generation],
  );
}

/** The next entries to push, in the order of their values. Those that the sequencer refused are not among them. */
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

/**
 * The sequencer has these. Returns how many of them were pending until now.
 *
 * @param values as `listPendingEntries` gave them: by their ends the index finds them among 100,000
 */
export async function markEntriesPushed(tx: Db, list: OfList, values: readonly string[], at: Date): Promise<number> {
  const { rowCount } = await tx.query(
    {
      name: 'blocklist-entries-pushed',
      text: `update blocklist_entries e set pushed_at = $4 from unnest($3::text[]) as batch (value)
        where e.blocklist_id = $1 and e.generation = $2 and e.pushed_at is null and e.refused_at is null
          and e.value between $5 and $6 and e.value = batch.value`,
    },
    [list.id, list.generation, values, at, values[0], values.at(-1)],
  );
  return rowCount;
}

/** The sequencer refuses this one for what it is. Returns whether it was pending until now. */
export async function markEntryRefused(tx: Db, list: OfList, value: string, at: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    {
      name: 'blocklist-entries-refused',
      text: `update blocklist_entries set refused_at = $4
        where blocklist_id = $1 and generation = $2 and value = $3 and pushed_at is null and refused_at is null`,
    },
    [list.id, list.generation, value, at],
  );
  return rowCount > 0;
}

/** What was refused since then is pending again. Returns how many there are. */
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

/** How many entries the sequencer has refused. */
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
