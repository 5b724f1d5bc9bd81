import type { StartMigration } from './migration.ts';

/** Adds the names by which configuration files know webhooks. */
export const migration0051: StartMigration = {
  version: 51,
  name: 'webhook-names',
  sql: [
    'alter table webhooks add column if not exists name text',
    'create unique index if not exists webhooks_by_name on webhooks (account_id, name) where deleted_at is null',
  ],
};
