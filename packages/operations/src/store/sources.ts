/** Pages of the sources, as operators look for them. */
import type { Db } from '@svc/engine/store/database/db';

export interface SourceSearch {
  connectionIds: readonly number[];
  /** A part of the platform, the id, or the URL of the source; null: all. */
  search: string | null;
  /** Only sources after this one. */
  after: number;
  /** Null: all. */
  limit: number | null;
}

/** Returns the ids of the sources that match, in ascending order. */
export async function findSourceIds(db: Db, { connectionIds, search, after, limit }: SourceSearch): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select id from sources
      where connection_id = any($1) and id > $2
        and ($3::text is null or strpos(platform, lower($3)) > 0 or id::text = $3 or right($3, length(path)) = path)
      order by id limit $4`,
    [connectionIds, after, search, limit],
  );
  return rows.map(({ id }) => id);
}

export interface SourceFacts {
  id: number;
  accountId: number;
  connectionId: number;
  platform: string;
  /** Of its URL. */
  path: string;
}

export async function findSourceFacts(db: Db, id: number): Promise<SourceFacts | null> {
  const { rows } = await db.query<SourceFacts>(
    `select s.id, c.account_id as "accountId", s.connection_id as "connectionId", s.platform, s.path
      from sources s join connections c on c.id = s.connection_id where s.id = $1`,
    [id],
  );
  return rows[0] ?? null;
}
