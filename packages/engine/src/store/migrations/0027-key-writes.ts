/** Adds where in the write-ahead log the last write of an API key is, for its reads of standbys. */
export const migration0027 = {
  version: 27,
  name: 'key-writes',
  sql: `
-- At or after the commit of the write. Null without a write while DATABASE_READ_URL was set.
alter table api_keys add column last_write_lsn pg_lsn;
`,
} as const;
