import { join } from 'node:path';
import { fetchPackages } from '../../scripts/fetched-packages.ts';
import type { Peer } from './contender.ts';

const PG_BOSS = 'pg-boss@12.38.0';

/** @returns null when pg-boss cannot be installed, with a message on stderr */
export async function findByHand(): Promise<Peer | null> {
  const fetched = await fetchPackages(PG_BOSS.replace('@', '-'), [PG_BOSS]);
  if ('problem' in fetched) {
    process.stderr.write(`${PG_BOSS} cannot be installed: measured without it.\n${fetched.problem}\n`);
    return null;
  }
  const pgBoss = join(fetched.folder, 'node_modules', 'pg-boss', 'dist', 'index.js');
  return {
    name: 'by hand: Express, pg-boss, fetch',
    path: '/webhooks/smartlead',
    prepare: async ({ databaseUrl, crmUrl, port }) => ({
      args: [join(import.meta.dirname, 'by-hand-server.ts'), pgBoss, port, databaseUrl, crmUrl],
      env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    }),
  };
}
