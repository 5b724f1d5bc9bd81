import { LOG } from '@svc/engine/test/log-rows';
import { type Bench, type BenchOptions, interleave, type Result } from './measure.ts';
import { type DashboardServer, startDashboardServer } from './support/dashboard-server.ts';
import { findPostgres } from './support/postgres.ts';

const LOGS = ['requests', 'inbound_events', 'syncs', 'deliveries'] as const;
const SMALL = 100_000;
const LARGE = 10_000_000;
const ROUNDS = 15;

/**
 * The journey of a person among few rows and among many, through a server on PostgreSQL. A quarter of the rows each are requests, events, syncs
 * and deliveries. `--rows N` makes fewer.
 */
export const bench: Bench = {
  name: 'person',
  question: 'Does `person show` cost the same among many rows as among few?',
  async run({ rows: large = LARGE }: BenchOptions) {
    const postgres = await findPostgres();
    if (postgres === null) return [];
    const servers = new Map<string, DashboardServer>();
    try {
      for (const rows of [SMALL, large])
        servers.set(
          `among ${rows.toLocaleString('en-US')} rows`,
          await startDashboardServer(postgres.url, { rows: rows / LOGS.length, logs: LOGS }),
        );
      const people = {
        'nobody with this address': 'nobody@example.org',
        'an address with 1 row in each log': LOG.contacts.one,
        'an address with 50 rows in each log': LOG.contacts.fifty,
        'a profile URL with 50 rows in each log': LOG.profiles.fifty,
      };
      const results: Result[] = [];
      for (const [what, person] of Object.entries(people)) results.push(await compare(what, person, servers));
      return results;
    } finally {
      for (const server of servers.values()) await server.close();
      postgres.stop();
    }
  },
};

async function compare(title: string, person: string, servers: ReadonlyMap<string, DashboardServer>): Promise<Result> {
  const [floor = ''] = servers.keys();
  const contenders = [...servers].map(([name, server]) => [
    name,
    () => server.perform('persons/show', { person, limit: 50 }),
  ]);
  return { title, unit: 'ms', floor, rows: await interleave(ROUNDS, Object.fromEntries(contenders), 2) };
}
