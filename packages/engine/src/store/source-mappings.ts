/**
 * Statements about the mappings of sources. The latest version of a source reads; earlier ones stay for reference. A version
 * without a mapping, which is the JSON value null, ends the earlier ones.
 */
import type { EventMapping } from '@svc/domain/mappings/event-mapping';
import type { Db } from './database/db.ts';
import { toStorableJson } from './database/storable-json.ts';

export interface MappingVersion {
  version: number;
  /** Null when the mapping was removed. */
  mapping: EventMapping | null;
  createdAt: Date;
}

/** Adds a version, which reads from now on, and returns its number. */
export async function insertMapping(
  tx: Db,
  sourceId: number,
  mapping: EventMapping | null,
  now: Date,
): Promise<number> {
  // Two calls at the same time get different versions.
  await tx.query('select from sources where id = $1 for update', [sourceId]);
  const { rows } = await tx.query<{ version: number }>(
    `insert into source_mappings (source_id, version, mapping, created_at)
      select $1, coalesce(max(version), 0) + 1, $2::jsonb, $3 from source_mappings where source_id = $1
      returning version`,
    [sourceId, toStorableJson(mapping), now],
  );
  return rows[0]?.version ?? 0;
}

/** Returns the versions of a source, newest first. */
export async function listMappingVersions(db: Db, sourceId: number): Promise<MappingVersion[]> {
  const { rows } = await db.query<MappingVersion>(
    'select version, mapping, created_at as "createdAt" from source_mappings where source_id = $1 order by version desc',
    [sourceId],
  );
  return rows;
}

/** Returns the latest version of those of these sources that have a mapping. */
export async function listMappedSources(db: Db, sourceIds: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await db.query<{ sourceId: number; version: number }>(
    `select source_id as "sourceId", version from source_mappings latest
      where source_id = any($1) and mapping <> 'null'::jsonb
        and version = (select max(version) from source_mappings where source_id = latest.source_id)`,
    [sourceIds],
  );
  return new Map(rows.map(({ sourceId, version }) => [sourceId, version]));
}

export interface ReceivedBody {
  id: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** Returns the newest receipts of a source whose body is stored, up to a size in bytes, the oldest first. */
export async function listReceivedBodies(
  db: Db,
  sourceId: number,
  { limit, bytesMax }: { limit: number; bytesMax: number },
): Promise<ReceivedBody[]> {
  const { rows } = await db.query<ReceivedBody>(
    `with newest as materialized (
        select id, created_at, octet_length(body) as bytes from requests
        where source_id = $1 and body is not null order by created_at desc, id desc limit $2
      ), sized as (
        select id, sum(bytes) over (order by created_at desc, id desc) as bytes_so_far from newest
      )
      select requests.id, requests.headers, requests.body from sized join requests on requests.id = sized.id
      where sized.bytes_so_far <= $3 order by requests.id`,
    [sourceId, limit, bytesMax],
  );
  return rows;
}
