import type { StartMigration } from './migration.ts';

/** Databases that were made with schema 35 or 36 have the check of mails unvalidated, too. */
export const migration0037: StartMigration = {
  version: 37,
  name: 'validated-mails',
  sql: ['alter table relay_mails validate constraint relay_mails_status_check'],
};
