import type { Page, Sync } from '@svc/contract/types';
import { encodeCursor } from '@svc/domain/requests/cursor';
import type { LogPageQuery } from '@svc/engine/store/log-page';
import { listSyncs } from '@svc/engine/store/syncs';
import { LOG, RARE_ROWS } from '@svc/engine/test/log-rows';
import { CONNECTIONS, type LongLogs, startLongLogs } from './support/long-logs.ts';
import { type Bench, interleave, type Result } from './measure.ts';
import { findPostgres } from './support/postgres.ts';

const SMALL = 10_000;
const LARGE = 1_000_000;
const PAGE = 500;
const ROUNDS = 15;

/**
 * The cost of a page of `GET /syncs` at both ends of a short and a long log, with filters that match few rows, and
 * compared with its statement alone.
 */
export const bench: Bench = {
  name: 'list',
  question: `Does a page of ${PAGE} syncs cost the same at both ends of ${count(SMALL)} and of ${count(LARGE)} rows?`,
  async run() {
    const postgres = await findPostgres();
    if (!postgres) return [];
    const open: LongLogs[] = [];
    try {
      for (const rows of [SMALL, LARGE]) open.push(await startLongLogs(postgres.url, { rows, logs: ['syncs'] }));
      const [small, large] = open;
      if (!small || !large) throw new Error('unreachable');
      return [
        await bothEnds('one connection, half of all rows', small, large, `connectionId=${LOG.busyConnectionId}&`),
        await bothEnds(`${CONNECTIONS} connections, all rows`, small, large, ''),
        await filters(large),
        await besideStatement(large),
        await manyConnections(large),
      ];
    } finally {
      for (const logs of open) await logs.close();
      postgres.stop();
    }
  },
};

async function bothEnds(title: string, small: LongLogs, large: LongLogs, filter: string): Promise<Result> {
  const floor = `first page of ${count(SMALL)}`;
  const rows = await interleave(ROUNDS, {
    [floor]: getPage(small, filter),
    [`last page of ${count(SMALL)}`]: getPage(small, `${filter}cursor=${await lastPageCursor(small, filter)}&`),
    [`first page of ${count(LARGE)}`]: getPage(large, filter),
    [`last page of ${count(LARGE)}`]: getPage(large, `${filter}cursor=${await lastPageCursor(large, filter)}&`),
  });
  return { title: `GET /syncs, ${title}`, unit: 'ms', floor, rows };
}

async function filters(large: LongLogs): Promise<Result> {
  const ofBusy = `connectionId=${LOG.busyConnectionId}&`;
  const rows = await interleave(ROUNDS, {
    'no filter': getPage(large, ''),
    'status=error, 20 rows, the oldest': getPage(large, 'status=error&', RARE_ROWS),
    'status=warning, no rows': getPage(large, 'status=warning&', 0),
    'status=success, nearly all': getPage(large, 'status=success&'),
    'sourceId, half of all rows': getPage(large, `sourceId=${LOG.busySourceId}&`),
    'sourceId, 20 rows, the oldest': getPage(large, `sourceId=${LOG.rareSourceId}&`, RARE_ROWS),
    'sourceId and status, no rows': getPage(large, `sourceId=${LOG.rareSourceId}&status=success&`, 0),
    'connectionId and status, 20 rows': getPage(large, `${ofBusy}status=error&`, RARE_ROWS),
  });
  return { title: `GET /syncs, first page of ${count(LARGE)} by filter`, unit: 'ms', floor: 'no filter', rows };
}

async function besideStatement(large: LongLogs): Promise<Result> {
  const floor = 'its statement, one connection';
  const cursor = await lastPageCursor(large, '');
  const query: LogPageQuery = { range: large.log.range, limit: PAGE + 1, after: await lastPagePosition(large, '') };
  const { connectionIds } = large.log;
  const rows = await interleave(ROUNDS, {
    [floor]: () =>
      large.statement((db) =>
        listSyncs(db, { accountId: LOG.accountId, connectionIds: [LOG.busyConnectionId] }, query),
      ),
    'GET, one connection': getPage(large, `connectionId=${LOG.busyConnectionId}&cursor=${cursor}&`, null),
    [`its statement, ${CONNECTIONS} connections`]: () =>
      large.statement((db) => listSyncs(db, { accountId: LOG.accountId, connectionIds }, query)),
    [`GET, ${CONNECTIONS} connections`]: getPage(large, `cursor=${cursor}&`),
  });
  return { title: `the last page of ${count(LARGE)}, beside its statement alone`, unit: 'ms', floor, rows };
}

/**
 * The statements of a page of 100 by the number of connections, which do not know that connections above `CONNECTIONS`
 * have no rows.
 */
async function manyConnections(large: LongLogs): Promise<Result> {
  const floor = 'one connection';
  const query: LogPageQuery = { range: large.log.range, limit: 101 };
  const pageOf = (connections: number) => {
    const connectionIds = Array.from({ length: connections }, (_, index) => LOG.busyConnectionId + index);
    return () => large.statement((db) => listSyncs(db, { accountId: LOG.accountId, connectionIds }, query));
  };
  const rows = await interleave(ROUNDS, {
    [floor]: pageOf(1),
    [`${CONNECTIONS} connections`]: pageOf(CONNECTIONS),
    '500 connections': pageOf(500),
  });
  return { title: `the first 100 of ${count(LARGE)} syncs, its statement alone`, unit: 'ms', floor, rows };
}

/** @param wanted number of rows that the page must have; null for any */
function getPage(logs: LongLogs, query: string, wanted: number | null = PAGE): () => Promise<number> {
  const { from, to } = logs.log.range;
  const range = `from=${from.toISOString()}&to=${to.toISOString()}&limit=${PAGE}`;
  return () =>
    logs.get(`/syncs?${query}${range}`, (body) => wanted === null || (body as Page<Sync>).data.length === wanted);
}

/** Finds the position of the last page: the row with as many rows below it as a page has. */
async function lastPagePosition({ db }: LongLogs, filter: string): Promise<{ createdAt: Date; id: number }> {
  const { rows } = await db.query<{ createdAt: Date; id: number }>(
    `select created_at as "createdAt", id from syncs where account_id = ${LOG.accountId}
      ${filter === '' ? '' : `and connection_id = ${LOG.busyConnectionId}`}
      order by created_at, id offset ${PAGE} limit 1`,
  );
  if (!rows[0]) throw new Error('the log is shorter than a page');
  return rows[0];
}

async function lastPageCursor(logs: LongLogs, filter: string): Promise<string> {
  return encodeCursor({ rows: 'sync', ...(await lastPagePosition(logs, filter)) });
}

function count(rows: number): string {
  return rows.toLocaleString('en-US');
}
