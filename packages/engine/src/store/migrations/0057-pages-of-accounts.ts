import { listPartitions } from '../log-months.ts';
import type { FinishMigration } from './migration.ts';
import { buildIndex } from './to-partitioned.ts';

const BY_STATUS = '(account_id, status, created_at, id)';

/** The index of all rows of an account, and the indexes that those with the status replace. */
const LOGS = [
  { table: 'requests', name: 'of_account', on: '(account_id, created_at, id)', replaced: [] },
  { table: 'syncs', name: 'by_account_status', on: BY_STATUS, replaced: ['by_connection', 'by_source'] },
  { table: 'deliveries', name: 'by_account_status', on: BY_STATUS, replaced: ['by_connection', 'by_destination'] },
] as const;

/** Pages over all connections of an account are one scan. A finish migration, because start migrations build no index of a log. */
export const migration0057: FinishMigration = {
  version: 57,
  name: 'pages-of-accounts',
  steps: LOGS.map(({ table, name, on, replaced }) => ({
    name: `index ${table}_${name}`,
    does: `builds an index of each month while it is used; then locks ${table} for a moment`,
    table,
    async run(work) {
      for (const partition of await listPartitions(work.db, table)) {
        await buildIndex(work, { name: `${partition.name}_${name}`, table: partition.name, isUnique: false, on });
      }
      await work.together(async (tx) => {
        // Takes over the indexes of the months.
        await tx.script(`create index if not exists ${table}_${name} on ${table} ${on}`);
        for (const index of replaced) await tx.script(`drop index if exists ${table}_${index}`);
      });
    },
  })),
};
