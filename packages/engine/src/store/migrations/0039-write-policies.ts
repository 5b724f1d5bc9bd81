import { createTables } from '../schema/index.ts';
import type { StartMigration } from './migration.ts';

/** Adds the table of write policies. */
export const migration0039: StartMigration = {
  version: 39,
  name: 'write-policies',
  sql: [createTables('write_policies')],
};
