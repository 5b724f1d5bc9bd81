/** Bodies of stored receipts, read for the fields of a write policy (`payload:PATH`). */
import { parseReceivedBody } from '@svc/domain/syncs/inbound-post';
import type { Db } from './database/db.ts';
import { timesOf } from './row-times.ts';

/** Bodies in memory at one time, about: the one that exceeds it is the last one. Few batches have more. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;

interface BodyRow {
  id: number;
  contentType: string | null;
  body: Buffer;
}

/** Calls back with each body that is still stored, one after the other. @param receipts each once */
export async function readReceivedBodies(
  db: Db,
  receipts: readonly { readonly requestId: number; readonly receivedAt: Date }[],
  use: (requestId: number, body: unknown) => void,
): Promise<void> {
  const { from, until } = timesOf(receipts.map(({ receivedAt }) => receivedAt));
  let left = receipts.map(({ requestId }) => requestId);
  while (left.length > 0) {
    const { rows } = await db.query<BodyRow>(
      {
        name: 'received-bodies',
        text: `with wanted as materialized (
            select id, created_at, sum(octet_length(body)) over (order by id) - octet_length(body) as bytes_before
            from requests where id = any($1) and created_at >= $2 and created_at <= $3 and body is not null
          )
          select requests.id, requests.headers ->> 'content-type' as "contentType", requests.body
          from wanted join requests on requests.id = wanted.id and requests.created_at = wanted.created_at
            and requests.created_at >= $2 and requests.created_at <= $3
          where bytes_before < $4 order by requests.id`,
      },
      [left, from, until, BODY_BYTES_MAX],
    );
    for (const { id, contentType, body } of rows) {
      const parsed = parse(body, contentType);
      if (parsed !== null) use(id, parsed.value);
    }
    const bytes = rows.reduce((sum, { body }) => sum + body.length, 0);
    const last = rows.at(-1)?.id;
    if (last === undefined || bytes < BODY_BYTES_MAX) return;
    left = left.filter((id) => id > last);
  }
}

function parse(body: Buffer, contentType: string | null): { value: unknown } | null {
  try {
    return { value: parseReceivedBody(body.toString('utf8'), contentType ?? undefined) };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
