/** A server with long logs in this process, and a user who is signed in to its dashboard. */
import { Client } from 'undici';
import { insertLogRows, type LogRows } from '@svc/engine/test/log-rows';
import { COUNTED_LOGS } from '@svc/engine/store/hour-counts';
import { createTestDatabase } from '../../scripts/vitest/database.ts';
import { SAME_ORIGIN, signIn } from '../../packages/server/test/support/dashboard-user.ts';
import { openPostgres } from '@svc/engine/store/database/postgres';
import { countHours } from './count-hours.ts';
import { CONNECTIONS } from './long-logs.ts';
import { serve } from './serve.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- the answers of all routes
type Body = any;

export interface DashboardServer {
  readonly log: LogRows;
  /** Returns the milliseconds of a GET below `/dashboard/api/`, with its body. `isRight` checks the first call of a path. */
  get(path: string, isRight?: (body: Body) => boolean): Promise<number>;
  /** The same of an operation. */
  perform(name: string, input: object, isRight?: (body: Body) => boolean): Promise<number>;
  close(): Promise<void>;
}

/** @param postgresUrl empty for the embedded database */
export async function startDashboardServer(
  postgresUrl: string,
  options: Pick<Parameters<typeof insertLogRows>[1], 'rows' | 'logs'>,
): Promise<DashboardServer> {
  const database = postgresUrl === '' ? null : await createTestDatabase(postgresUrl);
  const { running, cleanUp } = await serve({ databaseUrl: database?.url ?? '', startWorkers: false });
  // The pool of the server gives a statement too little time for a million rows.
  const db = database === null ? running.ctx.db : openPostgres(database.url, { maxConnections: 2 });
  const log = await insertLogRows(db, { ...options, connections: CONNECTIONS, now: new Date() });
  await countHours(db, COUNTED_LOGS);
  if (database !== null) await db.close();
  const user = await signIn({ url: running.url, running }, { email: 'bench@example.com', role: 'admin' });
  const client = new Client(running.url);
  const checked = new Set<string>();

  async function call(method: 'GET' | 'POST', path: string, body: string | null, isRight: (body: Body) => boolean) {
    const headers = { ...SAME_ORIGIN, cookie: user.cookie, 'content-type': 'application/json' };
    const started = performance.now();
    const answer = await client.request({ method, path: `/dashboard/api/${path}`, headers, body });
    const text = await answer.body.text();
    const took = performance.now() - started;
    const what = `${method} ${path} ${body ?? ''}`;
    if (!checked.has(what)) {
      checked.add(what);
      const isExpected = answer.statusCode === 200 && isRight(JSON.parse(text));
      if (!isExpected) throw new Error(`${what} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    }
    return took;
  }

  return {
    log,
    get: (path, isRight = () => true) => call('GET', path, null, isRight),
    perform: (name, input, isRight = () => true) => call('POST', `operations/${name}`, JSON.stringify(input), isRight),
    async close() {
      await client.destroy();
      await running.close();
      await database?.drop();
      cleanUp();
    },
  };
}
