/** Replaces the database's content by a world: for the demo, for `--world`, and for tests. */
import { nextWorkAfterLoad } from '@svc/domain/blocklists/blocklist-schedule';
import type { MaterializedWorld } from '@svc/domain/world';
import { fetchBlocklistJob, pushBlocklistJob, topUpBlocklistJob } from '../blocklists/blocklist-jobs.ts';
import { deliverWebhookJob } from '../webhooks/deliver-webhook.ts';
import { enqueue, type NewJob } from '../queue/queue.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { type Database, type Db, SERVER_LOCK } from '../store/database/db.ts';
import { toStorableJson } from '../store/database/storable-json.ts';
import { type Row, rowsOfWorld, WORLD_TABLES, type WorldTable } from './world-rows.ts';

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

/** The database contains data that a world may not replace; the message says which and what to do. */
export class NotReplaceableError extends Error {
  override readonly name = 'NotReplaceableError';
}

/**
 * Replaces all content by the world's in one transaction.
 *
 * @throws NotReplaceableError when a server runs on the database, or it contains anything but an earlier world
 */
export async function loadWorld(
  deps: { db: Database; secrets: SecretBox; now: Date },
  world: MaterializedWorld,
): Promise<void> {
  const rows = rowsOfWorld(world, deps.secrets);
  await deps.db.transaction(async (tx) => {
    await assertNoServerRuns(tx);
    await assertReplaceable(tx);
    await tx.query(
      `truncate jobs, set_aside_jobs, receipt_runs, first_syncs, crm_outages, crm_quotas, crm_records, crm_token_renewals, oauth_consents, relay_mails, relay_hours, relay_digest_replies, inbound_events, inbound_refusals, service_meta, ${WORLD_TABLES.join(', ')}`,
    );
    for (const table of WORLD_TABLES) {
      await insertRows(tx, table, rows[table]);
      await advanceIdSequence(tx, table);
    }
    await enqueueJobs(tx, world, deps.now);
    await tx.query('insert into service_meta (key, value) values ($1, $2)', [WORLD_MARK, world.name]);
  });
}

/** Returns the name of the world in this database; null when there is none. */
export async function findWorldName(db: Db): Promise<string | null> {
  const { rows } = await db.query<{ value: string }>('select value from service_meta where key = $1', [WORLD_MARK]);
  return rows[0]?.value ?? null;
}

/** The lock of the folder protects the embedded database; on PostgreSQL a running server would lose its rows. */
async function assertNoServerRuns(tx: Db): Promise<void> {
  const { rows } = await tx.query<{ isAlone: boolean }>('select pg_try_advisory_xact_lock($1) as "isAlone"', [
    SERVER_LOCK,
  ]);
  if (!rows[0]?.isAlone) {
    throw new NotReplaceableError(
      'A svc-server is running on this database, and loading a world would delete its data: stop it first, or use another database.',
    );
  }
}

async function assertReplaceable(tx: Db): Promise<void> {
  const { rows } = await tx.query<{ hasAccounts: boolean; isWorld: boolean }>(
    `select exists (select from accounts) as "hasAccounts",
      exists (select from service_meta where key = $1) as "isWorld"`,
    [WORLD_MARK],
  );
  if (rows[0]?.hasAccounts && !rows[0].isWorld) {
    throw new NotReplaceableError(
      'The database contains your own accounts, and loading a world would delete them: use an empty database or another data directory.',
    );
  }
}

async function insertRows(tx: Db, table: WorldTable, rows: readonly Row[]): Promise<void> {
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
async function advanceIdSequence(tx: Db, table: WorldTable): Promise<void> {
  if (!TABLES_WITH_GENERATED_IDS.has(table)) return;
  await tx.query(
    `select setval(pg_get_serial_sequence($1, 'id'), greatest(1, (select max(id) from ${table})),
      exists (select from ${table}))`,
    [table],
  );
}

/** Enqueues the jobs of a service with these rows: those of block lists, and pending webhook deliveries. */
async function enqueueJobs(tx: Db, world: MaterializedWorld, now: Date): Promise<void> {
  const blocklists = world.blocklists.flatMap((blocklist) => jobsOfBlocklist(blocklist, now));
  const accounts = new Map(world.webhooks.map(({ id, accountId }) => [id, accountId]));
  const attempts = world.webhookDeliveries.flatMap(({ id, webhookId, nextAttemptAt }) => {
    const accountId = accounts.get(webhookId);
    return nextAttemptAt === null || accountId === undefined
      ? []
      : [{ ...deliverWebhookJob({ id, accountId, webhookId }, now), dueAt: nextAttemptAt }];
  });
  await enqueue(tx, ...blocklists, ...attempts);
}

function jobsOfBlocklist(blocklist: MaterializedWorld['blocklists'][number], now: Date): NewJob[] {
  const { id, connectionId } = blocklist;
  const list = { id, connectionId, run: 0 };
  const work = nextWorkAfterLoad(blocklist, now);
  switch (work?.kind) {
    case undefined:
      return [];
    case 'fetch':
      return [{ ...fetchBlocklistJob(list, work.mode, now), dueAt: work.dueAt }];
    case 'push':
      return [{ ...pushBlocklistJob(list, now), dueAt: work.dueAt }];
    case 'top-up':
      return [topUpBlocklistJob(list, { createdAt: now, dueAt: work.dueAt })];
  }
}
