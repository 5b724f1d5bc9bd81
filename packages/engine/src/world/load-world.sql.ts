import { type Db, SERVER_LOCK } from '../store/database/db.ts';
import { toStorableJson } from '../store/database/storable-json.ts';
import { type Row, WORLD_TABLES, type WorldTable } from './world-rows.ts';

/** Rows per statement; keeps each parameter well below the limits of both backends. */
const CHUNK = 2_000;

const TABLES_WITH_GENERATED_IDS: ReadonlySet<WorldTable> = new Set([
  'accounts',
  'connections',
  'api_keys',
  'sources',
  'destinations',
  'reply_relays',
  'blocklists',
  'requests',
  'syncs',
  'deliveries',
  'category_signals',
]);

/** Marks a database whose content may be replaced at the next start. */
const WORLD_MARK = 'world';

/** Returns the name of the world in this database; null when there is none. */
export async function findWorldName(db: Db): Promise<string | null> {
  const { rows } = await db.query<{ value: string }>('select value from service_meta where key = $1', [WORLD_MARK]);
  return rows[0]?.value ?? null;
}

/** Makes the database one whose content may be replaced at the next start. */
export async function markAsWorld(tx: Db, name: string): Promise<void> {
  await tx.query('insert into service_meta (key, value) values ($1, $2)', [WORLD_MARK, name]);
}

/** Takes the lock that running servers share, until the transaction ends. False when a server runs. */
export async function takeServerLock(tx: Db): Promise<boolean> {
  const { rows } = await tx.query<{ isAlone: boolean }>('select pg_try_advisory_xact_lock($1) as "isAlone"', [
    SERVER_LOCK,
  ]);
  return rows[0]?.isAlone === true;
}

/** Returns whether the database contains accounts that no world brought. */
export async function hasOwnAccounts(tx: Db): Promise<boolean> {
  const { rows } = await tx.query<{ hasAccounts: boolean; isWorld: boolean }>(
    `select exists (select from accounts) as "hasAccounts",
      exists (select from service_meta where key = $1) as "isWorld"`,
    [WORLD_MARK],
  );
  return rows[0] !== undefined && rows[0].hasAccounts && !rows[0].isWorld;
}

/** Deletes all rows that a world replaces. Users of the dashboard, their sessions and the audit log are no part of a world. */
export async function deleteEverything(tx: Db): Promise<void> {
  await tx.query(
    `truncate jobs, set_aside_jobs, receipt_runs, backfill_runs, first_syncs, crm_outages, crm_quotas, crm_records, crm_token_renewals, oauth_consents, source_wirings, sequencer_keys, alert_channels, alert_incidents, alert_messages, relay_mails, relay_hours, relay_digest_replies, inbound_events, held_events, released_leads, last_values, suppressions, blocklist_removals, inbound_refusals, service_meta, ${WORLD_TABLES.join(', ')}`,
  );
}

/** Adds rows to a table. */
export async function insertRows(tx: Db, table: WorldTable, rows: readonly Row[]): Promise<void> {
  for (let start = 0; start < rows.length; start += CHUNK) {
    const chunk = rows.slice(start, start + CHUNK);
    const columns = Object.keys(chunk[0] ?? {}).filter((column) => chunk[0]?.[column] !== undefined);
    // Only the columns of the rows, so that the others get their defaults.
    await tx.query(
      `insert into ${table} (${columns.join(', ')})
        select ${columns.join(', ')} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
      [toStorableJson(chunk)],
    );
  }
}

/** Sets the id sequences above the ids of the inserted rows. */
export async function advanceIdSequence(tx: Db, table: WorldTable): Promise<void> {
  if (!TABLES_WITH_GENERATED_IDS.has(table)) return;
  await tx.query(
    `select setval(pg_get_serial_sequence($1, 'id'), greatest(1, (select max(id) from ${table})),
      exists (select from ${table}))`,
    [table],
  );
}
