/** The secrets of sources, and the posts that were refused for want of one. */
import type { Db, NamedStatement } from './database/db.ts';

const VERSION_KEY = 'source-secrets-version';

const READ_VERSION: NamedStatement = {
  name: 'source-secrets-version',
  text: 'select value from service_meta where key = $1',
};

/** Returns a text that changes with every change of secrets. */
export async function readSecretsVersion(db: Db): Promise<string> {
  const { rows } = await db.query<{ value: string }>(READ_VERSION, [VERSION_KEY]);
  return rows[0]?.value ?? '0';
}

/** Makes every server process look the secrets up again. Call it in the transaction of the change. */
export async function countSecretsVersion(tx: Db): Promise<void> {
  await tx.query(
    `insert into service_meta (key, value) values ($1, '1')
      on conflict (key) do update set value = (service_meta.value::bigint + 1)::text`,
    [VERSION_KEY],
  );
}

export interface StoredSecrets {
  sourceId: number;
  platform: string;
  /** Null when there are none, or their key was lost. */
  sealed: string | null;
  requiresSecret: boolean;
}

const STORED = 'id as "sourceId", platform, secrets as sealed, requires_secret as "requiresSecret"';

export async function listSourceSecrets(db: Db, sourceIds: readonly number[]): Promise<Map<number, StoredSecrets>> {
  const { rows } = await db.query<StoredSecrets>(`select ${STORED} from sources where id = any($1)`, [sourceIds]);
  return new Map(rows.map((row) => [row.sourceId, row]));
}

/** Locks the source until the end of the transaction; null when there is none. */
export async function lockSourceSecrets(tx: Db, sourceId: number): Promise<StoredSecrets | null> {
  const { rows } = await tx.query<StoredSecrets>(`select ${STORED} from sources where id = $1 for update`, [sourceId]);
  return rows[0] ?? null;
}

/** Posts of one source that were refused on one day. */
export interface Refusals {
  sourceId: number;
  /** UTC, `YYYY-MM-DD`. */
  day: string;
  /** Without a secret or signature. */
  missing: number;
  /** With a wrong secret or signature. */
  wrong: number;
}

/** Adds to the counts. Sources that are gone are skipped. */
export async function addRefusals(db: Db, added: readonly Refusals[]): Promise<void> {
  await db.query(
    `insert into inbound_refusals as counted (source_id, day, missing, wrong)
      select added.source_id, added.day, added.missing, added.wrong
      from unnest($1::bigint[], $2::date[], $3::bigint[], $4::bigint[]) as added (source_id, day, missing, wrong)
        join sources on sources.id = added.source_id
      order by added.source_id, added.day
      on conflict (source_id, day) do update
        set missing = counted.missing + excluded.missing, wrong = counted.wrong + excluded.wrong`,
    [
      added.map(({ sourceId }) => sourceId),
      added.map(({ day }) => day),
      added.map(({ missing }) => missing),
      added.map(({ wrong }) => wrong),
    ],
  );
}

/** Returns the counts since a day, newest first. @param sourceIds null for all sources */
export async function listRefusals(
  db: Db,
  since: Date,
  sourceIds: readonly number[] | null = null,
): Promise<Refusals[]> {
  const { rows } = await db.query<Refusals>(
    `select source_id as "sourceId", day::text as day, missing, wrong from inbound_refusals
      where day >= ($1::timestamptz at time zone 'UTC')::date and ($2::bigint[] is null or source_id = any($2))
      order by day desc, source_id`,
    [since, sourceIds],
  );
  return rows;
}

export async function deleteOldRefusals(db: Db, before: Date): Promise<void> {
  await db.query(`delete from inbound_refusals where day < ($1::timestamptz at time zone 'UTC')::date`, [before]);
}
