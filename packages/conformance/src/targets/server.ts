/**
 * The reference server as a target: the real application and its workers on a real port, in the test's process, with a
 * clock that is moved by hand. It is put together from its parts, some of which the package does not export.
 */
import { bindServer, createManualClock, readConfig, startServer } from '@svc/server';
import { pino } from 'pino';
import { inject } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { createSecretBox, generateEncryptionKey } from '../../../server/src/secrets.ts';
import { createOutbound } from '../../../server/src/outbound/outbound.ts';
import type { Database } from '../../../server/src/store/db.ts';
import { migrate } from '../../../server/src/store/migrate.ts';
import { IN_MEMORY, openPglite } from '../../../server/src/store/pglite.ts';
import { openPostgres } from '../../../server/src/store/postgres.ts';
import { loadWorld } from '../../../server/src/world/load-world.ts';
import type { Target } from './target.ts';

const postgresUrl = inject('databaseUrl');

export const serverOnPglite: Target = serverTarget('server on PGlite', true, () => openPglite(IN_MEMORY));

export const serverOnPostgres: Target = serverTarget('server on PostgreSQL', postgresUrl !== null, async () => {
  if (postgresUrl === null) throw new Error('There is no PostgreSQL for tests.');
  const database = await createTestDatabase(postgresUrl);
  const db = openPostgres(database.url, { maxConnections: 4 });
  return {
    ...db,
    close: async () => {
      await db.close();
      await database.drop();
    },
  };
});

function serverTarget(name: string, isAvailable: boolean, openDatabase: () => Promise<Database>): Target {
  return {
    name,
    isAvailable,
    async start(world, { now, rateLimit = 'off', trustedProxies = 0, workers = 'on' }) {
      const db = await openDatabase();
      await migrate(db, now);
      const secrets = createSecretBox([generateEncryptionKey()]);
      await loadWorld({ db, secrets, now }, world);
      const clock = createManualClock(now);
      const config = readConfig({
        SVC_PORT: '0',
        SVC_RATE_LIMIT: rateLimit,
        SVC_TRUST_PROXY: trustedProxies === 0 ? undefined : String(trustedProxies),
      });
      const running = await startServer(
        {
          bound: await bindServer(0, '127.0.0.1'),
          config,
          db,
          secrets,
          clock,
          log: pino({ level: 'silent' }),
          outbound: createOutbound({ resolve: refuseToLeave, dial: refuseToLeave, allowedCidrs: [] }),
          fetch: refuseToLeave,
        },
        { startWorkers: workers === 'on' },
      );
      return {
        baseUrl: running.url,
        clock,
        settle: async () => {
          await running.runner.runDue();
        },
        close: () => running.close(),
      };
    },
  };
}

/** Nothing leaves the machine; a case that needs a CRM or a receiver will bring its simulator. */
const refuseToLeave = async (): Promise<never> => {
  throw new TypeError('Nothing leaves the machine.');
};
