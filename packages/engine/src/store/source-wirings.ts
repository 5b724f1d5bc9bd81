/** The webhooks at sequencers that post to sources. */
import type { Db } from './database/db.ts';

/** What operators see of the webhooks of a source. */
export interface SourceWiring {
  sourceId: number;
  sequencerKeyId: number;
  /** Null: the whole account of the sequencer. */
  campaignId: string | null;
  /** The URL of the source when they were registered, so that a process that does not know the public address can compare. */
  url: string;
  /** Ids of the sequencer. */
  webhookIds: string[];
  connectedAt: Date;
  checkedAt: Date;
  /** What differed at the last check; null: nothing. */
  error: string | null;
}

/** What calls about them need. */
export interface WiringWork extends SourceWiring {
  connectionId: number;
  platform: string;
  instanceUrl: string | null;
  /** Encrypted; null when the encryption key was lost. */
  sealedToken: string | null;
}

const SHOWN = `w.source_id as "sourceId", w.sequencer_key_id as "sequencerKeyId", w.campaign_id as "campaignId", w.url,
  w.webhook_ids as "webhookIds", w.connected_at as "connectedAt", w.checked_at as "checkedAt", w.error`;

export async function listSourceWirings(db: Db, sourceIds: readonly number[]): Promise<Map<number, SourceWiring>> {
  const { rows } = await db.query<SourceWiring>(`select ${SHOWN} from source_wirings w where w.source_id = any($1)`, [
    sourceIds,
  ]);
  return new Map(rows.map((row) => [row.sourceId, row]));
}

/** Returns those that were checked longest ago. @param sourceId only that of this source */
export async function listWiringWork(
  db: Db,
  { sourceId = null, limit = 1 }: { sourceId?: number | null; limit?: number },
): Promise<WiringWork[]> {
  const { rows } = await db.query<WiringWork>(
    `select ${SHOWN}, s.connection_id as "connectionId", s.platform, k.instance_url as "instanceUrl",
        k.token as "sealedToken"
      from source_wirings w join sources s on s.id = w.source_id join sequencer_keys k on k.id = w.sequencer_key_id
      where $1::bigint is null or w.source_id = $1 order by w.checked_at, w.source_id limit $2`,
    [sourceId, limit],
  );
  return rows;
}

/** Stores what was registered; a repeated call replaces it. */
export async function storeWiring(db: Db, wiring: Omit<SourceWiring, 'connectedAt'>): Promise<void> {
  await db.query(
    `insert into source_wirings (source_id, sequencer_key_id, campaign_id, url, webhook_ids, connected_at, checked_at, error)
      values ($1, $2, $3, $4, $5, $6, $6, $7)
      on conflict (source_id) do update set sequencer_key_id = excluded.sequencer_key_id,
        campaign_id = excluded.campaign_id, url = excluded.url, webhook_ids = excluded.webhook_ids,
        checked_at = excluded.checked_at, error = excluded.error`,
    [
      wiring.sourceId,
      wiring.sequencerKeyId,
      wiring.campaignId,
      wiring.url,
      wiring.webhookIds,
      wiring.checkedAt,
      wiring.error,
    ],
  );
}

/** Stores the result of a check, unless the wiring was changed since it began. */
export async function storeWiringCheck(
  db: Db,
  { sourceId, checkedAt: before }: Pick<SourceWiring, 'sourceId' | 'checkedAt'>,
  { at, error }: { at: Date; error: string | null },
): Promise<void> {
  await db.query('update source_wirings set checked_at = $3, error = $4 where source_id = $1 and checked_at = $2', [
    sourceId,
    before,
    at,
    error,
  ]);
}

export async function deleteWiring(db: Db, sourceId: number): Promise<void> {
  await db.query('delete from source_wirings where source_id = $1', [sourceId]);
}
