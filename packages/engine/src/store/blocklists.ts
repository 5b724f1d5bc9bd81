import type { BlockType } from '@svc/contract/vocabulary';
import type { Access } from '@svc/domain/requests/access';
import type { BlocklistState } from '@svc/domain/blocklists/blocklist';
import type { BlocklistRow } from '@svc/domain/resources';
import type { Db } from './database/db.ts';

const COLUMNS = `l.id, l.connection_id as "connectionId", l.list_name as "listName", l.crm, l.platform,
  l.block_type as "blockType", l.status, l.is_enabled as "isEnabled", l.client_id as "clientId",
  l.synced_count as "syncedCount", l.pending_count as "pendingCount", l.last_fetched_at as "lastFetchedAt",
  l.last_error as "lastError", l.last_attempted_at as "lastAttemptedAt", l.created_at as "createdAt"`;

/** Returns the block lists of these connections by ascending id. */
export async function listBlocklists(db: Db, connectionIds: readonly number[]): Promise<BlocklistRow[]> {
  const { rows } = await db.query<BlocklistRow>(
    {
      name: 'blocklists-list',
      text: `select ${COLUMNS} from blocklists l where l.connection_id = any($1) order by l.id`,
    },
    [connectionIds],
  );
  return rows;
}

/** Returns the platform of a block list; null when there is no such list. */
export async function findBlocklistPlatform(db: Db, id: number): Promise<string | null> {
  const { rows } = await db.query<{ platform: string }>('select platform from blocklists where id = $1', [id]);
  return rows[0]?.platform ?? null;
}

/** A block list as its pipeline uses it. Not for answers of the API. */
export interface BlocklistWork {
  id: number;
  state: BlocklistState;
  platform: string;
  blockType: BlockType;
  clientId: string | null;
  /** The customer's instance of the sequencer, that of the list or of its key; null for the one of the installation. */
  instanceUrl: string | null;
  crmListId: string | null;
  /** The stored key of a sequencer that the list uses; null when it has a token of its own. */
  sequencerKeyId: number | null;
  /** Encrypted, of the list or of its key; null when there is none. */
  sealedSequencerToken: string | null;
  /** From the end of a round to the next one; null: a day. */
  everyMinutes: number | null;
  /** Whether entries that leave the CRM list are removed at the sequencer. */
  removes: boolean;
  /** Generation of the current entries; a running fetch writes under the next one. */
  generation: number;
  connection: {
    id: number;
    crm: string;
    /** Encrypted; null when disconnected. */
    sealedCrmToken: string | null;
    /** No CRM call before this instant; null without a cooldown. */
    crmCooldownUntil: Date | null;
    canBlockList: boolean;
  };
}

interface WorkRow extends BlocklistState {
  id: number;
  platform: string;
  blockType: BlockType;
  clientId: string | null;
  instanceUrl: string | null;
  crmListId: string | null;
  sequencerKeyId: number | null;
  sealedSequencerToken: string | null;
  everyMinutes: number | null;
  removes: boolean;
  generation: number;
  connectionId: number;
  crm: string;
  sealedCrmToken: string | null;
  crmCooldownUntil: Date | null;
  canBlockList: boolean;
}

const SELECT = `select l.id, l.run, l.status, l.is_enabled as "isEnabled", l.synced_count as "syncedCount",
  l.pending_count as "pendingCount", l.last_fetched_at as "lastFetchedAt", l.last_error as "lastError",
  l.last_attempted_at as "lastAttemptedAt", l.platform, l.block_type as "blockType", l.client_id as "clientId",
  coalesce(l.instance_url, k.instance_url) as "instanceUrl", l.crm_list_id as "crmListId",
  l.sequencer_key_id as "sequencerKeyId", case when k.id is null then l.sequencer_token else k.token end as "sealedSequencerToken",
  l.every_minutes as "everyMinutes", l.removes, l.entries_generation as generation,
  c.id as "connectionId", c.crm, c.crm_token as "sealedCrmToken", c.crm_parked_until as "crmCooldownUntil",
  c.capability_blocklists as "canBlockList"
  from blocklists l join connections c on c.id = l.connection_id
    left join sequencer_keys k on k.id = l.sequencer_key_id`;

/**
 * Returns the list, locked until the caller's transaction ends; null when it does not exist for this access. Code that
 * needs the list and its jobs locks the list first.
 */
export async function lockBlocklist(tx: Db, access: Access, id: number): Promise<BlocklistWork | null> {
  const { rows } = await tx.query<WorkRow>(
    { name: 'blocklists-lock', text: `${SELECT} where l.id = $1 and l.connection_id = any($2) for no key update of l` },
    [id, access.connectionIds],
  );
  return rows[0] ? toWork(rows[0]) : null;
}

/** Does the same for the service's own jobs, without an access check. */
export async function lockBlocklistOfJob(tx: Db, id: number): Promise<BlocklistWork | null> {
  const { rows } = await tx.query<WorkRow>(
    { name: 'blocklists-lock-of-job', text: `${SELECT} where l.id = $1 for no key update of l` },
    [id],
  );
  return rows[0] ? toWork(rows[0]) : null;
}

function toWork(row: WorkRow): BlocklistWork {
  const { run, status, isEnabled, syncedCount, pendingCount, lastFetchedAt, lastError, lastAttemptedAt, ...rest } = row;
  const { connectionId, crm, sealedCrmToken, crmCooldownUntil, canBlockList, ...list } = rest;
  return {
    ...list,
    state: { run, status, isEnabled, syncedCount, pendingCount, lastFetchedAt, lastError, lastAttemptedAt },
    connection: { id: connectionId, crm, sealedCrmToken, crmCooldownUntil, canBlockList },
  };
}

/** Returns a list without a lock. */
export async function findBlocklistWork(db: Db, id: number): Promise<BlocklistWork | null> {
  const { rows } = await db.query<WorkRow>({ name: 'blocklists-find-of-job', text: `${SELECT} where l.id = $1` }, [id]);
  return rows[0] ? toWork(rows[0]) : null;
}

/** Locks several lists as `lockBlocklistOfJob` does, by ascending id, so that two callers never wait for each other. */
export async function lockBlocklistsOfJob(tx: Db, ids: readonly number[]): Promise<BlocklistWork[]> {
  const { rows } = await tx.query<WorkRow>(
    {
      name: 'blocklists-lock-all-of-job',
      text: `${SELECT} where l.id = any($1::bigint[]) order by l.id for no key update of l`,
    },
    [ids],
  );
  return rows.map(toWork);
}

export interface SequencerAccess {
  id: number;
  sequencerKeyId: number | null;
  sealedSequencerToken: string | null;
}

/** Returns what these lists use to call their sequencers: all lists of the same platform, instance and client as a list, without itself. */
export async function listSimilarLists(tx: Db, list: BlocklistWork): Promise<SequencerAccess[]> {
  const { rows } = await tx.query<SequencerAccess>(
    {
      name: 'blocklists-similar',
      text: `select l.id, l.sequencer_key_id as "sequencerKeyId",
          case when k.id is null then l.sequencer_token else k.token end as "sealedSequencerToken"
        from blocklists l left join sequencer_keys k on k.id = l.sequencer_key_id
        where l.id <> $1 and l.platform = $2 and l.client_id is not distinct from $3
          and coalesce(l.instance_url, k.instance_url) is not distinct from $4`,
    },
    [list.id, list.platform, list.clientId, list.instanceUrl],
  );
  return rows;
}

export async function setBlocklistState(tx: Db, id: number, state: BlocklistState): Promise<void> {
  await tx.query(
    {
      name: 'blocklists-set',
      text: `update blocklists set run = $2, status = $3, is_enabled = $4, synced_count = $5, pending_count = $6,
        last_fetched_at = $7, last_error = $8, last_attempted_at = $9 where id = $1`,
    },
    [
      id,
      state.run,
      state.status,
      state.isEnabled,
      state.syncedCount,
      state.pendingCount,
      state.lastFetchedAt,
      state.lastError,
      state.lastAttemptedAt,
    ],
  );
}
