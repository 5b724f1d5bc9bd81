import type { StartMigration } from './migration.ts';

/** The tables whose rows configuration files name, with the column in which the name is unique. */
const SCOPES = {
  accounts: null,
  connections: 'account_id',
  sources: 'connection_id',
  destinations: 'connection_id',
  reply_relays: 'connection_id',
  blocklists: 'connection_id',
};

/** Adds the names by which configuration files know rows. */
export const migration0049: StartMigration = {
  version: 49,
  name: 'config-names',
  sql: Object.entries(SCOPES).flatMap(([table, scope]) => [
    `alter table ${table} add column if not exists name text`,
    `create unique index if not exists ${table}_by_name on ${table} (${scope === null ? '' : `${scope}, `}name)`,
  ]),
};
