import { LOG_TABLES } from '../schema/index.ts';
import type { FinishMigration, FinishStep } from './migration.ts';
import { buildIndex, type NewIndex, toPartitioned } from './to-partitioned.ts';

const INDEXES: readonly NewIndex[] = [
  ...LOG_TABLES.map((table) => ({ name: `${table}_by_id`, table, isUnique: true, on: '(id, created_at)' })),
  { name: 'syncs_by_event', table: 'syncs', isUnique: false, on: '(inbound_event_id) where retry_of_sync_id is null' },
];

/** Few enough that each statement is short. */
const FIRST_SYNCS_BATCH = 10_000;

/**
 * The logs become partitioned by month of `created_at`, without copying a row: the table of today becomes the first
 * partition, which maintenance ends at the next month (`store/log-months.ts`).
 */
export const migration0030: FinishMigration = {
  version: 30,
  name: 'logs-by-month',
  steps: [
    {
      name: 'first-syncs',
      does: 'adds the events of all first syncs to first_syncs, in short statements',
      table: 'syncs',
      run: async ({ db }) => {
        let after = 0;
        for (;;) {
          const { rows } = await db.query<{ last: number | null }>(
            `with batch as materialized (
                select id, inbound_event_id, retry_of_sync_id from syncs where id > $1 order by id limit $2
              ), added as (
                insert into first_syncs (event_id)
                select inbound_event_id from batch where retry_of_sync_id is null and inbound_event_id is not null
                order by 1 on conflict do nothing
              )
              select max(id) as last from batch`,
            [after, FIRST_SYNCS_BATCH],
          );
          const last = rows[0]?.last ?? null;
          if (last === null) return;
          after = last;
        }
      },
    },
    ...INDEXES.map(
      (index): FinishStep => ({
        name: `index ${index.name}`,
        does: 'builds an index while the table is used',
        table: index.table,
        run: (work) => buildIndex(work, index),
      }),
    ),
    {
      name: 'foreign key',
      does: 'drops the reference of webhook deliveries to events, whose ids are unique by month only; locks both for a moment',
      table: 'webhook_deliveries',
      run: (work) =>
        work.together((tx) =>
          tx.script('alter table webhook_deliveries drop constraint if exists webhook_deliveries_event_id_fkey'),
        ),
    },
    ...LOG_TABLES.map(
      (table): FinishStep => ({
        name: `partition ${table}`,
        does: 'makes the table the first partition of a new one; locks it for a moment',
        table,
        run: (work) => work.together((tx) => toPartitioned(tx, table)),
      }),
    ),
  ],
};
