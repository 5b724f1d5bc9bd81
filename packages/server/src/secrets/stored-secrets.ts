import { SECRET_COLUMNS, type SecretKind, type SecretPlace } from './secret-box.ts';
import type { Db } from '../store/database/db.ts';

const KINDS = Object.entries(SECRET_COLUMNS) as [SecretKind, (typeof SECRET_COLUMNS)[SecretKind]][];

/** Of each kind of secret, one for every encryption key and format that any of them was sealed with. */
export interface SealedSample {
  place: SecretPlace;
  sealed: string;
  /** How many of this kind were sealed with this key, in this format. */
  count: number;
}

export async function sampleSealedSecrets(db: Db): Promise<SealedSample[]> {
  const kinds = KINDS.map(
    ([kind, { table, column }]) => `select '${kind}' as kind, id::text as id, ${column} as sealed from ${table}`,
  );
  // In front of the last dot is what says how it was sealed.
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

/** The secrets of one kind by ascending id, from after this one on. */
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

/** Puts a secret sealed anew in its place; false when another was stored meanwhile, or none. */
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
