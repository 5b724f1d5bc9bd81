/** Adds the mappings of sources. The latest version of a source is the one that reads; earlier ones stay for reference. */
export const migration0019 = {
  version: 19,
  name: 'source-mappings',
  sql: `
create table source_mappings (
  source_id bigint not null references sources (id) on delete cascade,
  version integer not null,
  mapping jsonb not null,
  created_at timestamptz(3) not null,
  primary key (source_id, version)
);
`,
} as const;
