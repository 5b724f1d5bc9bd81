/** What operators see of receipts: pages of the log, one receipt with its events, and sources that are not understood. */
import { countNotUnderstood, RECENT_RECEIPTS_MAX, RECENT_RECEIPTS_MS } from '@svc/domain/account/account-status';
import type { Db } from './database/db.ts';

/** Newest receipts of a source that are looked at; when more than these wait to be processed, none counts. */
const RECENT_ROWS_MAX = 200;

/**
 * Returns SQL for the outcomes of a source's recent receipts as a JSON list, newest first; empty unless one of them was
 * not understood, which an index knows.
 *
 * @param sourceId SQL of the source's id
 * @param since SQL of the instant from which receipts count
 */
export function recentOutcomesOf(sourceId: string, since: string): string {
  return `case when exists (select from requests unread where unread.source_id = ${sourceId}
      and unread.outcome = 'unparsed' and unread.created_at >= ${since})
    then coalesce((select json_agg(recent.outcome) from (
        select newest.outcome from (
          select requests.outcome, requests.created_at, requests.id from requests
          where requests.source_id = ${sourceId} and requests.created_at >= ${since}
          order by requests.created_at desc, requests.id desc limit ${RECENT_ROWS_MAX}
        ) newest where newest.outcome is not null order by newest.created_at desc, newest.id desc limit ${RECENT_RECEIPTS_MAX}
      ) recent), '[]')
    else '[]' end`;
}

export interface UnreadSource {
  id: number;
  platform: string;
  connectionId: number;
  /** Of the recent ones. */
  notUnderstood: number;
  recent: number;
}

/** Returns the sources whose recent receipts were not understood (`domain/account/account-status`), by id. */
export async function listUnreadSources(db: Db, now: Date): Promise<UnreadSource[]> {
  const { rows } = await db.query<{ id: number; platform: string; connectionId: number; recentOutcomes: string[] }>(
    `select s.id, s.platform, s.connection_id as "connectionId", ${recentOutcomesOf('s.id', '$1::timestamptz')} as "recentOutcomes"
      from sources s order by s.id`,
    [new Date(now.getTime() - RECENT_RECEIPTS_MS)],
  );
  return rows.flatMap(({ recentOutcomes, ...source }) => {
    const notUnderstood = countNotUnderstood({ recentOutcomes });
    return notUnderstood === null ? [] : [{ ...source, notUnderstood, recent: recentOutcomes.length }];
  });
}
