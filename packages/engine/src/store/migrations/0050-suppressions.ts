import { createTables } from '../schema/index.ts';
import type { StartMigration } from './migration.ts';

/** Adds contacts that events of an account put on its block lists, and how often a list is read. */
export const migration0050: StartMigration = {
  version: 50,
  name: 'suppressions',
  sql: [
    createTables('suppressions'),
    `alter table blocklists add column if not exists suppresses jsonb,
      add column if not exists suppression_error text, add column if not exists every_minutes integer`,
  ],
};
