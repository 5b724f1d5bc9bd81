import type { StartMigration } from './migration.ts';

/**
 * Adds which events a receipt repeated, in `inbound_events`: it may write the person in another way than the receipt that
 * gave them, and an erasure must find both. Null: none, or the receipt was processed by an earlier release.
 */
export const migration0034: StartMigration = {
  version: 34,
  name: 'repeated-events',
  sql: `
alter table requests add column repeated_event_ids bigint[];
`,
};
