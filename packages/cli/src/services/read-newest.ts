import type { List } from '@svc/sdk';

/** What is read of a list here. */
export type Rows<Row> = Pick<List<Row>, 'toArray'>;

/** The first rows of a list, and whether there are more; one row beyond is asked for to know. */
export async function readNewest<Row>(
  list: Rows<Row>,
  limit: number | null,
): Promise<{ rows: Row[]; moreExist: boolean }> {
  if (limit === null) return { rows: await list.toArray(), moreExist: false };
  const rows = await list.toArray({ limit: limit + 1 });
  return { rows: rows.slice(0, limit), moreExist: rows.length > limit };
}
