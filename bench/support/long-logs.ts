import type { Access } from '@svc/domain/requests/access';
import { Client, type Dispatcher } from 'undici';
import type { Database, Db } from '@svc/engine/store/database/db';
import { openPostgres } from '@svc/engine/store/database/postgres';
import { insertLogRows, LOG, type LogRows } from '@svc/engine/test/log-rows';
import { createTestDatabase } from '../../scripts/vitest/database.ts';
import { insertYears } from './years-rows.ts';
import { startProcess } from './process.ts';

export const CONNECTIONS = 50;

/** The API over long logs, and direct access to the same database. */
export type LongLogs = {
  /** URL of the API. */
  readonly url: string;
  readonly log: LogRows;
  /** The key's access to all connections of the account. */
  readonly access: Access;
  readonly db: Database;
  /** Returns the milliseconds of a GET including its body. `isRight` checks the first call of a path. */
  get(path: string, isRight?: (body: unknown) => boolean): Promise<number>;
  /** Returns the milliseconds of a list's statement without the API. */
  statement(list: (db: Db) => Promise<unknown>): Promise<number>;
  close(): Promise<void>;
};

/** Calls per sample, because the processor may be idle at the first one. */
const CALLS = 5;

export function startLongLogs(
  postgresUrl: string,
  options: { rows: number; logs: readonly ('syncs' | 'deliveries')[] },
): Promise<LongLogs> {
  return start(postgresUrl, (db) => insertLogRows(db, { ...options, connections: CONNECTIONS, now: new Date() }));
}

/** Like `startLongLogs`, with syncs and deliveries evenly spread over these months and the rows in their partitions. */
export function startYears(postgresUrl: string, options: { rows: number; months: number }): Promise<LongLogs> {
  return start(postgresUrl, (db) => insertYears(db, { ...options, connections: CONNECTIONS, now: new Date() }));
}

async function start(postgresUrl: string, fill: (db: Database) => Promise<LogRows>): Promise<LongLogs> {
  const database = await createTestDatabase(postgresUrl);
  const server = await startProcess('api-server.ts', database.url);
  const db = openPostgres(database.url, { maxConnections: 2 });
  const log = await fill(db);
  const client = new Client(server.ready);
  const checked = new Set<string>();
  const call: Omit<Dispatcher.RequestOptions, 'path'> = {
    method: 'GET',
    headers: { authorization: `Bearer ${LOG.key}` },
  };
  return {
    url: server.ready,
    log,
    access: {
      accountId: LOG.accountId,
      connectionIds: log.connectionIds,
      accountScoped: true,
      keyConnectionId: null,
      scopes: ['read'],
    },
    db,
    get: (path, isRight) =>
      averageMs(async () => {
        const answer = await client.request({ ...call, path: `/api/v1${path}` });
        const text = await answer.body.text();
        if (checked.has(path)) return;
        checked.add(path);
        const isExpected = answer.statusCode === 200 && (isRight?.(JSON.parse(text)) ?? true);
        if (!isExpected) throw new Error(`GET ${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
      }),
    statement: async (list) => averageMs(() => list(db)),
    async close() {
      await client.destroy();
      server.stop();
      await db.close();
      await database.drop();
    },
  };
}

async function averageMs(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  for (let call = 0; call < CALLS; call += 1) await work();
  return (performance.now() - started) / CALLS;
}
