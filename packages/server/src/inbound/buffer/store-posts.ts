/**
 * Stores posts that have their ids already, and enqueues their jobs. A post whose id is stored is left out, so a message that
 * arrives twice, and a post that was stored directly because its message was not confirmed in time, become one receipt.
 */
import { createHash } from 'node:crypto';
import type { Database } from '@svc/engine/store/database/db';
import { revisitPayloads } from '@svc/engine/store/payload-retention';
import type { BufferedPost } from './message.ts';
import { STORE } from './store-posts.sql.ts';

/** `source_gone`: no source has the path any more. */
export type StoredAs = 'stored' | 'repeated' | 'source_gone';

/** A post that is stored later than this may have been passed by the job that drops old payloads. */
const LATE_MS = 24 * 3_600_000;

/** @returns one result per post, in order */
export async function storePosts(db: Database, posts: readonly BufferedPost[], now: Date): Promise<StoredAs[]> {
  // A message that was sent twice may be in one batch twice.
  const firstIndex = new Map<number, number>();
  for (const [index, { id }] of posts.entries()) if (!firstIndex.has(id)) firstIndex.set(id, index);
  const distinct = posts.filter(({ id }, index) => firstIndex.get(id) === index);
  const { rows } = await db.query<{ id: number; isNew: boolean }>(STORE, [
    distinct.map(({ id }) => id),
    distinct.map(({ path }) => path),
    distinct.map(({ receivedAt }) => receivedAt.toISOString()),
    distinct.map(({ headers }) => JSON.stringify(headers)),
    distinct.map(({ body }) => body),
    distinct.map(({ body }) => createHash('sha256').update(body).digest('hex')),
    distinct.map(({ traceparent }) => traceparent ?? null),
  ]);
  const late = distinct.filter(({ receivedAt }) => now.getTime() - receivedAt.getTime() > LATE_MS);
  if (late.length > 0) await revisitPayloads(db, Math.min(...late.map(({ id }) => id)));
  const isNew = new Map(rows.map((row) => [row.id, row.isNew]));
  return posts.map(({ id }, index) => {
    const found = isNew.get(id);
    if (found === undefined) return 'source_gone';
    return found && firstIndex.get(id) === index ? 'stored' : 'repeated';
  });
}
