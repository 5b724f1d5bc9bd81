/** Adds the oldest release that works with the schema; `migrate.ts` keeps it. */
export const migration0028 = {
  version: 28,
  name: 'schema-programs',
  sql: `
create table schema_programs (
  -- Always true: there is one row.
  id boolean primary key check (id),
  -- The newest migration that a release must at least know.
  oldest integer not null
);
`,
} as const;
