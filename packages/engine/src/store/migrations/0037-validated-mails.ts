import type { StartMigration } from './migration.ts';

/** Validates the check of mails: migration 36 adds it without reading the table, as the releases with schema 35 and 36 did. */
export const migration0037: StartMigration = {
  version: 37,
  name: 'validated-mails',
  sql: ['alter table relay_mails validate constraint relay_mails_status_check'],
};
