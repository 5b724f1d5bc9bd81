/** Syncs and deliveries of years, in the partitions of their months. */
import type { Database } from '@svc/engine/store/database/db';
import { listPartitions, makeMonths } from '@svc/engine/store/log-months';
import { configurationSql, LOG, type LogRows } from '@svc/engine/test/log-rows';

const TABLES = ['syncs', 'deliveries'] as const;
/** Rows that one statement inserts. */
const ROWS_AT_ONCE = 500_000;

type Order = { rows: number; months: number; connections: number; now: Date };

/** Half of the rows are syncs, half are deliveries; half of each are of the busy connection, 50 of each of one contact. */
export async function insertYears(db: Database, { rows, months, connections, now }: Order): Promise<LogRows> {
  const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months + 1, 1));
  await db.script(configurationSql(connections, `timestamptz '${from.toISOString()}'`));
  // The few rows of the world end the first partition, so that nothing would be in months.
  await db.script(`truncate ${TABLES.join(', ')}`);
  for (const table of TABLES) {
    // The first month of the rows begins after the month in which the partitions are made.
    await makeMonths(db, table, new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() - 1, 1)));
    while ((await makeMonths(db, table, now)).length > 0);
    await fillTable(db, table, { rows: rows / TABLES.length, connections, from, now });
  }
  return {
    connectionIds: Array.from({ length: connections }, (_, index) => LOG.busyConnectionId + index),
    range: { from, to: now },
  };
}

type TableOrder = { rows: number; connections: number; from: Date; now: Date };

/** Row `n` of `rows` is from as many parts of the time. Written past the log's triggers, as nothing depends on them here. */
async function fillTable(db: Database, table: (typeof TABLES)[number], order: TableOrder): Promise<void> {
  const { rows, from, now } = order;
  const span = BigInt(now.getTime() - from.getTime());
  const firstSince = (time: Date | null) => {
    const offset = time === null ? 0n : BigInt(time.getTime() - from.getTime());
    return offset <= 0n ? 0 : Math.min(rows, Number((offset * BigInt(rows) + span - 1n) / span));
  };
  for (const partition of await listPartitions(db, table)) {
    const end = partition.until === null ? rows : firstSince(partition.until);
    for (let first = firstSince(partition.from); first < end; first += ROWS_AT_ONCE) {
      const last = Math.min(end, first + ROWS_AT_ONCE) - 1;
      await db.script(insertText(table, partition.name, order, { first, last }), { isLong: true });
    }
    await db.script(`vacuum (analyze) ${partition.name}`, { isLong: true });
  }
  await db.script(`analyze ${table}`, { isLong: true });
}

function insertText(
  table: (typeof TABLES)[number],
  partition: string,
  { rows, connections, from, now }: TableOrder,
  { first, last }: { first: number; last: number },
): string {
  const own = table === 'syncs' ? 'source_id, platform' : 'destination_id, source_id, destination_url, http_status';
  const values =
    table === 'syncs'
      ? `connection_id, 'smartlead'`
      : `connection_id, connection_id, 'https://hooks.example.com/', 200`;
  return `set synchronous_commit = off;
    insert into ${partition} (id, account_id, connection_id, status, event_type, to_email, payload_id, created_at, ${own})
    select nextval('${table}_id_seq'), ${LOG.accountId}, connection_id, 'success', 'EMAIL_SENT',
      case when n % ${rows / 50} = 2 then '${LOG.contacts.fifty}' else 'lead-' || n || '@example.org' end, n,
      timestamptz '${from.toISOString()}' + n * ${now.getTime() - from.getTime()}::bigint / ${rows} * interval '1 ms', ${values}
    from (
      select n::bigint, case when n % 2 = 0 then ${LOG.busyConnectionId}
        else ${LOG.busyConnectionId + 1} + n / 2 % ${connections - 1} end as connection_id
      from generate_series(${first}, ${last}) n
    ) numbered`;
}
