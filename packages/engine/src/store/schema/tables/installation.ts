/** What belongs to the installation, not to a customer. */
export const installationTables = {
  // The fixed windows of the rate limits, shared by all processes. Losing them in a crash only opens a window anew.
  rate_windows: `
create unlogged table rate_windows (
  bucket text primary key,
  started_at timestamptz(3) not null,
  count integer not null
);`,

  // Facts about this database itself, such as "a demo world lives here".
  service_meta: `
create table service_meta (
  key text primary key,
  value text not null
);`,

  // The oldest release that works with the schema; migrate.ts keeps it.
  schema_programs: `
create table schema_programs (
  -- Always true: there is one row.
  id boolean primary key check (id),
  -- The newest migration that a release must at least know.
  oldest integer not null
);`,
};
