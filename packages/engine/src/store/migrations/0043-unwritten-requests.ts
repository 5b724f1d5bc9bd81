import { listPartitions } from '../log-months.ts';
import type { FinishMigration } from './migration.ts';
import { buildIndex } from './to-partitioned.ts';

const UNWRITTEN = `outcome in ('unparsed', 'ignored', 'duplicate')`;

/** Each replaces an index without duplicates, if there was one. */
const INDEXES = [
  {
    name: 'unwritten_by_source',
    replaced: 'unread_by_source',
    on: `(source_id, outcome, created_at, id) where ${UNWRITTEN}`,
  },
  {
    name: 'unwritten_by_connection',
    replaced: 'unread_by_connection',
    on: `(connection_id, outcome, created_at, id) where ${UNWRITTEN}`,
  },
  {
    name: 'unwritten_by_account',
    replaced: null,
    on: `(account_id, outcome, created_at, id) where connection_id is null and ${UNWRITTEN}`,
  },
];

/** Finds duplicates, and what removed sources received, among many requests. A finish migration, because start migrations build no index of a log. */
export const migration0043: FinishMigration = {
  version: 43,
  name: 'unwritten-requests',
  steps: INDEXES.map(({ name, replaced, on }) => ({
    name: `index requests_${name}`,
    does: 'builds an index of each month while it is used; then locks requests for a moment',
    table: 'requests',
    async run(work) {
      for (const partition of await listPartitions(work.db, 'requests')) {
        await buildIndex(work, { name: `${partition.name}_${name}`, table: partition.name, isUnique: false, on });
      }
      await work.together(async (tx) => {
        // Takes over the indexes of the months.
        await tx.script(`create index if not exists requests_${name} on requests ${on}`);
        if (replaced !== null) await tx.script(`drop index if exists requests_${replaced}`);
      });
    },
  })),
};
