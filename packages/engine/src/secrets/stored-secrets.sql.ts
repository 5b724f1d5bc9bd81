import { SECRET_COLUMNS, type SecretKind, type SecretPlace } from './secret-box.ts';
import type { Db } from '../store/database/db.ts';

const KINDS = Object.entries(SECRET_COLUMNS) as [SecretKind, (typeof SECRET_COLUMNS)[SecretKind]][];

/** A secret of each kind, encryption key and format in use. */
export interface SealedSample {
  place: SecretPlace;
  sealed: string;
  /** Number of secrets of this kind, key and format. */
  count: number;
}

export async function sampleSealedSecrets(db: Db): Promise<SealedSample[]> {
  const kinds = KINDS.map(
    ([kind, { table, column }]) => `select '${kind}' as kind, id::text as id, ${column} as sealed from ${table}`,
  );
  // Key and format are before the last dot.
  const { rows } = await db.query<{ kind: SecretKind; id: string; sealed: string; count: number }>(
    `select distinct on (kind, format) kind, id, sealed, count(*) over (partition by kind, format) as count
      from (select *, regexp_replace(sealed, '[^.]*$', '') as format from (${kinds.join(' union all ')}) all_kinds
        where sealed is not null) formats
      order by kind, format, sealed`,
  );
  return rows.map(({ kind, id, sealed, count }) => ({ place: { kind, id }, sealed, count }));
}

export interface SealedSecret {
  id: number | string;
  sealed: string;
}

/** Returns secrets of one kind by ascending id, after the given one. */
export async function listSealedSecrets(
  db: Db,
  kind: SecretKind,
  { after, limit }: { after: SealedSecret['id'] | null; limit: number },
): Promise<SealedSecret[]> {
  const { table, column } = SECRET_COLUMNS[kind];
  const { rows } = await db.query<SealedSecret>(
    `select id, ${column} as sealed from ${table}
      where ${column} is not null and ($1::text is null or id > $1::text${table === 'webhooks' ? '' : '::bigint'})
      order by id limit $2`,
    [after, limit],
  );
  return rows;
}

/**
 * Deletes a secret; false when it was changed or deleted meanwhile. A webhook always has one: it is switched off and gets
 * `replacement`.
 */
export async function discardSealedSecret(
  db: Db,
  place: SecretPlace,
  { sealed, replacement, at }: { sealed: string; replacement: string; at: Date },
): Promise<boolean> {
  const { table, column } = SECRET_COLUMNS[place.kind];
  const isWebhook = place.kind === 'webhook signing secret';
  const { rowCount } = isWebhook
    ? await db.query(
        `update webhooks set secret = $3, is_active = false, updated_at = $4 where id = $1 and secret = $2`,
        [place.id, sealed, replacement, at],
      )
    : await db.query(`update ${table} set ${column} = null where id = $1 and ${column} = $2`, [place.id, sealed]);
  return rowCount > 0;
}

/** Replaces a secret by its re-encrypted text; false when it was changed or deleted meanwhile. */
export async function replaceSealedSecret(
  db: Db,
  { kind, id }: SecretPlace,
  { before, after }: { before: string; after: string },
): Promise<boolean> {
  const { table, column } = SECRET_COLUMNS[kind];
  const { rowCount } = await db.query(`update ${table} set ${column} = $3 where id = $1 and ${column} = $2`, [
    id,
    before,
    after,
  ]);
  return rowCount > 0;
}
