import { createTables } from '../schema/index.ts';
import type { StartMigration } from './migration.ts';

/** Adds which webhooks at a sequencer post to a source. */
export const migration0045: StartMigration = {
  version: 45,
  name: 'source-wirings',
  sql: [createTables('source_wirings')],
};
