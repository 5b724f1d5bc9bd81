import { createTables } from '../schema/index.ts';
import type { StartMigration } from './migration.ts';

/** Adds what happened last to people, and which events were counted for it. */
export const migration0041: StartMigration = {
  version: 41,
  name: 'last-values',
  sql: [createTables('last_values'), 'alter table inbound_events add column is_counted boolean'],
};
