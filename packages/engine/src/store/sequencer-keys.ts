/** API keys of sequencers, which block lists and webhooks of an account use. */
import type { Db } from './database/db.ts';

/** What operators see of a key. */
export interface SequencerKeyRow {
  id: number;
  accountId: number;
  name: string;
  platform: string;
  instanceUrl: string | null;
  /** False when its encryption key was lost. */
  hasToken: boolean;
  createdAt: Date;
}

/** @param filter default: all */
export async function listSequencerKeys(
  db: Db,
  { id = null, accountId = null }: { id?: number | null; accountId?: number | null } = {},
): Promise<SequencerKeyRow[]> {
  const { rows } = await db.query<SequencerKeyRow>(
    `select id, account_id as "accountId", name, platform, instance_url as "instanceUrl", token is not null as "hasToken",
        created_at as "createdAt"
      from sequencer_keys
      where ($1::bigint is null or id = $1) and ($2::bigint is null or account_id = $2) order by id`,
    [id, accountId],
  );
  return rows;
}

/** Returns the encrypted key; null when there is none. */
export async function findSealedSequencerKey(db: Db, id: number): Promise<string | null> {
  const { rows } = await db.query<{ token: string | null }>('select token from sequencer_keys where id = $1', [id]);
  return rows[0]?.token ?? null;
}

/** Returns the block lists that use a key, by ascending id. */
export async function listListsOfKey(db: Db, keyId: number): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>('select id from blocklists where sequencer_key_id = $1 order by id', [
    keyId,
  ]);
  return rows.map(({ id }) => id);
}

/** Returns the first block list of an account and platform that has an API key of its own; null when there is none. */
export async function findListWithToken(
  db: Db,
  { accountId, platform }: { accountId: number; platform: string },
): Promise<{ id: number; name: string } | null> {
  const { rows } = await db.query<{ id: number; name: string }>(
    `select l.id, l.list_name as name from connections c join blocklists l on l.connection_id = c.id
      where c.account_id = $1 and l.platform = $2 and l.sequencer_key_id is null and l.sequencer_token is not null
      order by l.id limit 1`,
    [accountId, platform],
  );
  return rows[0] ?? null;
}
