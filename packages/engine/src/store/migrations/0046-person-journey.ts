import { listPartitions } from '../log-months.ts';
import type { FinishMigration } from './migration.ts';
import { buildIndex } from './to-partitioned.ts';

const INDEXES = [
  {
    name: 'inbound_events_by_recipient',
    table: 'inbound_events',
    on: `(connection_id, lower(to_email), id) where to_email <> ''`,
  },
  {
    name: 'inbound_events_by_profile',
    table: 'inbound_events',
    on: `(connection_id, lower(normalized #>> '{contact,profileUrl}'), id) where normalized #>> '{contact,profileUrl}' is not null`,
  },
  {
    name: 'last_values_merged',
    table: 'last_values',
    on: '(connection_id, merged_into) where merged_into is not null',
  },
];

const BY_REPEATED_EVENT = 'using gin (repeated_event_ids) where repeated_event_ids is not null';

/** Finds the events of a person and the receipts that repeated them. A finish migration, because start migrations build no index of a log. */
export const migration0046: FinishMigration = {
  version: 46,
  name: 'person-journey',
  steps: [
    ...INDEXES.map(({ name, table, on }) => ({
      name: `index ${name}`,
      does: 'builds an index while the table is used',
      table,
      run: (work: Parameters<typeof buildIndex>[0]) => buildIndex(work, { name, table, isUnique: false, on }),
    })),
    {
      name: 'index requests_by_repeated_event',
      does: 'builds an index of each month while it is used; then locks requests for a moment',
      table: 'requests',
      async run(work) {
        for (const { name: table } of await listPartitions(work.db, 'requests')) {
          await buildIndex(work, { name: `${table}_by_repeated_event`, table, isUnique: false, on: BY_REPEATED_EVENT });
        }
        // Takes over the indexes of the months.
        await work.together((tx) =>
          tx.script(`create index if not exists requests_by_repeated_event on requests ${BY_REPEATED_EVENT}`),
        );
      },
    },
  ],
};
