import type { StartMigration } from './migration.ts';

/** Adds what chooses the recipient of a relay's mails. */
export const migration0048: StartMigration = {
  version: 48,
  name: 'relay-routes',
  sql: [
    'alter table reply_relays add column if not exists routes jsonb',
    `alter table relay_mails add column if not exists recipient text,
      add column if not exists route text check (route in ('fixed', 'crm-owner', 'policy-owner', 'campaigns')),
      add column if not exists route_note text`,
  ],
};
