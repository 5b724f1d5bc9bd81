import { createTables } from '../schema/index.ts';
import type { StartMigration } from './migration.ts';

/** Adds entries that are removed at the sequencer when they have left the CRM list. */
export const migration0052: StartMigration = {
  version: 52,
  name: 'blocklist-removals',
  sql: [
    createTables('blocklist_removals'),
    `alter table blocklists add column if not exists removes boolean not null default false,
      add column if not exists removal_error text`,
  ],
};
