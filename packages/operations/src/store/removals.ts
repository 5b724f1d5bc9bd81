/**
 * Removes a configuration row and everything that belongs to it.
 *
 * Each kind of row has a list of parts that both counting and removing use, so what is announced is what happens. Logs
 * that still make sense for the account are kept without their context; the rest is deleted.
 *
 * Jobs are deleted first, those that the table of kinds says (`engine/src/jobs/kinds.ts`), set aside or not: a worker that
 * runs one loses its claim and rolls back, or has committed before anything else is removed. Then the row is locked, so that nothing new is attached to it.
 *
 * Receipts of all tenants are stored in common batches, which wait for locks of their account and connection. Therefore
 * the rows through which receipts arrive are removed first, in a short transaction: without sources, no receipts of the
 * connection wait while its logs are deleted. A removal that is interrupted after that can be repeated.
 */
import type { Removable } from '@svc/engine/jobs/kinds';
import type { Database, Db } from '@svc/engine/store/database/db';
import { deleteRemovedJobs } from '@svc/engine/store/job-rows';
import { COMPARED } from './policy-checks.ts';
import { IS_HIDDEN, DETACHED } from '@svc/engine/store/receipts';

interface Part {
  /** The name shown to operators. Parts with one name are counted together; unnamed parts are not counted. */
  what?: string;
  table: string;
  /** `$1` is the id of the removed row. */
  where: string;
  /** Keeps the rows, changed or unchanged. Default: they are deleted. */
  kept?: { set: string } | 'unchanged';
}

interface Plan {
  /** Table of the removed row. */
  table: string;
  /** Locks block lists before their jobs, as everywhere. */
  blocklists?: string;
  /** Rows through which new rows arrive; removed first, in their own transaction. */
  entrances?: readonly Part[];
  parts: readonly Part[];
}

const firstSyncsOf = (events: string) => `event_id in (select id from inbound_events where ${events})`;

/** Account keys see receipts without a connection, so receipts that they could not see before are deleted. */
const receiptsWhere = (where: string): readonly Part[] => [
  { what: 'requests', table: 'requests', where: `${where} and ${IS_HIDDEN} is not true`, kept: { set: DETACHED } },
  { what: 'requests', table: 'requests', where: `${where} and ${IS_HIDDEN}` },
];

/**
 * The parts of one connection, or of all connections of an account.
 *
 * @param connections which ones: `= $1` or `in (...)`
 * @param owned condition on rows that name their account too
 * @param requests what happens to the receipts
 */
function ofConnections(connections: string, owned: string, requests: readonly Part[]) {
  const where = `connection_id ${connections}`;
  const ofSources = `source_id in (select id from sources where ${where})`;
  // By their receipts, because their sources are removed and `connection_id` has no index.
  const received = `request_id in (select id from requests where ${where})`;
  return {
    blocklists: where,
    entrances: [
      { what: 'API keys', table: 'api_keys', where: owned },
      { table: 'destination_bindings', where: ofSources },
      { table: 'reply_relay_bindings', where: ofSources },
      { table: 'sync_health', where },
      { table: 'crm_outages', where },
      { table: 'crm_quotas', where },
      { what: 'sources', table: 'sources', where },
    ],
    parts: [
      { table: 'first_syncs', where: firstSyncsOf(received) },
      { what: 'received events', table: 'inbound_events', where: received },
      // Behind the events: none of them counts any more.
      { table: 'last_values', where },
      {
        table: 'service_meta',
        where: `key in (select '${COMPARED}' || id from connections where id ${connections})`,
      },
      { what: 'destinations', table: 'destinations', where },
      { what: 'relay mails', table: 'relay_mails', where: owned },
      { what: 'relays', table: 'reply_relays', where },
      { what: 'block lists', table: 'blocklists', where },
      { what: 'syncs', table: 'syncs', where: owned },
      { what: 'deliveries', table: 'deliveries', where: owned },
      ...requests,
      { table: 'category_signals', where: owned },
      { table: 'alert_incidents', where },
      { table: 'crm_records', where },
      { table: 'webhook_deliveries', where: `event_id in (select id from events where ${owned})` },
      { what: 'events', table: 'events', where: owned },
    ],
  } satisfies Partial<Plan>;
}

const OF_ALL = ofConnections('in (select id from connections where account_id = $1)', 'account_id = $1', [
  { what: 'requests', table: 'requests', where: 'account_id = $1' },
]);

const PLANS: Readonly<Record<Removable, Plan>> = {
  source: {
    table: 'sources',
    parts: [
      { what: 'destination bindings', table: 'destination_bindings', where: 'source_id = $1' },
      { what: 'relay bindings', table: 'reply_relay_bindings', where: 'source_id = $1' },
      { table: 'sync_health', where: 'source_id = $1' },
      { table: 'alert_incidents', where: 'source_id = $1' },
      { table: 'first_syncs', where: firstSyncsOf('source_id = $1') },
      { what: 'received events', table: 'inbound_events', where: 'source_id = $1' },
      { what: 'syncs', table: 'syncs', where: 'source_id = $1', kept: { set: 'source_id = null' } },
      { what: 'deliveries', table: 'deliveries', where: 'source_id = $1', kept: { set: 'source_id = null' } },
      ...receiptsWhere('source_id = $1'),
    ],
  },
  destination: {
    table: 'destinations',
    parts: [
      { what: 'source bindings', table: 'destination_bindings', where: 'destination_id = $1' },
      // Each delivery has the URL that it was sent to.
      { what: 'deliveries', table: 'deliveries', where: 'destination_id = $1', kept: 'unchanged' },
    ],
  },
  relay: {
    table: 'reply_relays',
    // Waiting mails are recorded as not sent when they are due.
    parts: [
      { what: 'source bindings', table: 'reply_relay_bindings', where: 'reply_relay_id = $1' },
      { what: 'relay mails', table: 'relay_mails', where: 'relay_id = $1', kept: 'unchanged' },
    ],
  },
  blocklist: {
    table: 'blocklists',
    blocklists: 'id = $1',
    parts: [
      { what: 'entries', table: 'blocklist_entries', where: 'blocklist_id = $1' },
      { table: 'alert_incidents', where: "topic = 'blocklist-stuck' and subject = 'blocklist ' || $1" },
      { what: 'suppressions', table: 'suppressions', where: 'blocklist_id = $1' },
      { table: 'blocklist_removals', where: 'blocklist_id = $1' },
    ],
  },
  'sequencer-key': {
    table: 'sequencer_keys',
    parts: [
      { what: 'checks of webhooks', table: 'source_wirings', where: 'sequencer_key_id = $1' },
      {
        what: 'block lists',
        table: 'blocklists',
        where: 'sequencer_key_id = $1',
        kept: { set: 'sequencer_key_id = null' },
      },
    ],
  },
  alert: {
    table: 'alert_channels',
    parts: [{ what: 'messages', table: 'alert_messages', where: 'channel_id = $1' }],
  },
  connection: {
    table: 'connections',
    ...ofConnections('= $1', 'connection_id = $1', receiptsWhere('connection_id = $1')),
  },
  account: {
    table: 'accounts',
    ...OF_ALL,
    parts: [
      ...OF_ALL.parts,
      { what: 'webhooks', table: 'webhooks', where: 'account_id = $1' },
      { what: 'alert channels', table: 'alert_channels', where: 'account_id = $1' },
      { table: 'alert_incidents', where: 'account_id = $1' },
      { what: 'sequencer keys', table: 'sequencer_keys', where: 'account_id = $1' },
      { what: 'connections', table: 'connections', where: 'account_id = $1' },
    ],
  },
};

/** Number of rows of each kind; kinds without rows are omitted. */
export interface RemovalCounts {
  deleted: Record<string, number>;
  /** Rows that are kept without the removed one. */
  kept: Record<string, number>;
}

/** Counts what `remove` would do; null when there is no such row. */
export async function countRemoval(db: Database, kind: Removable, id: number): Promise<RemovalCounts | null> {
  const { table, entrances = [], parts } = PLANS[kind];
  const counted = [...entrances, ...parts].filter((part) => part.what !== undefined);
  const columns = counted.map((part, index) => `(select count(*) from ${part.table} where ${part.where}) as c${index}`);
  const statement = `select ${columns.join(', ')} from ${table} where id = $1::bigint`;
  const { rows } = await db.transaction((tx) => tx.query<Record<string, number>>(statement, [id]), { isLong: true });
  const [row] = rows;
  if (!row) return null;
  const counts: RemovalCounts = { deleted: {}, kept: {} };
  for (const [index, part] of counted.entries()) add(counts, part, row[`c${index}`] ?? 0);
  return counts;
}

/** Removes the row; null when there is no such row. */
export async function remove(db: Database, kind: Removable, id: number): Promise<RemovalCounts | null> {
  const { table, entrances = [], parts } = PLANS[kind];
  const counts: RemovalCounts = { deleted: {}, kept: {} };
  if (entrances.length > 0) {
    const isThere = await db.transaction(
      async (tx) => {
        if (!(await lock(tx, kind, id))) return false;
        await removeParts(tx, entrances, id, counts);
        return true;
      },
      { isLong: true },
    );
    if (!isThere) return null;
  }
  const isRemoved = await db.transaction(
    async (tx) => {
      // Before locking, because a batch of receipts that just looked up a source would wait while the logs are deleted.
      if (entrances.length > 0) await removeParts(tx, parts, id, counts);
      if (!(await lock(tx, kind, id))) return false;
      // Rows that arrived or were added meanwhile.
      await removeParts(tx, [...entrances, ...parts], id, counts);
      await tx.query(`delete from ${table} where id = $1`, [id]);
      return true;
    },
    { isLong: true },
  );
  return isRemoved ? counts : null;
}

/** Deletes the jobs and locks the row. Returns false when there is no such row. */
async function lock(tx: Db, kind: Removable, id: number): Promise<boolean> {
  const { table, blocklists } = PLANS[kind];
  if (blocklists !== undefined) {
    await tx.query(`select from blocklists where ${blocklists} order by id for update`, [id]);
  }
  for (const text of deleteRemovedJobs(kind)) await tx.query(text, [id]);
  const { rowCount } = await tx.query(`select from ${table} where id = $1 for update`, [id]);
  return rowCount > 0;
}

async function removeParts(tx: Db, parts: readonly Part[], id: number, counts: RemovalCounts): Promise<void> {
  for (const part of parts) add(counts, part, (await tx.query(statementOf(part), [id])).rowCount);
}

function statementOf({ table, where, kept }: Part): string {
  if (kept === undefined) return `delete from ${table} where ${where}`;
  return kept === 'unchanged'
    ? `select from ${table} where ${where}`
    : `update ${table} set ${kept.set} where ${where}`;
}

function add(counts: RemovalCounts, { what, kept }: Part, count: number): void {
  if (what === undefined || count === 0) return;
  const group = counts[kept === undefined ? 'deleted' : 'kept'];
  group[what] = (group[what] ?? 0) + count;
}
