import { createTables } from '../schema/index.ts';
import type { StartMigration } from './migration.ts';

/** Adds the tables of events that wait for their lead, and of leads that were released. */
export const migration0040: StartMigration = {
  version: 40,
  name: 'held-events',
  sql: [createTables('held_events', 'released_leads')],
};
