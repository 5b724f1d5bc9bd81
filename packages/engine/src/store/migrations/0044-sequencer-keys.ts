import { createTables } from '../schema/index.ts';
import type { StartMigration } from './migration.ts';

/** Adds API keys of sequencers that several block lists and sources use. */
export const migration0044: StartMigration = {
  version: 44,
  name: 'sequencer-keys',
  sql: [
    createTables('sequencer_keys'),
    'alter table blocklists add column if not exists sequencer_key_id bigint references sequencer_keys (id)',
  ],
};
