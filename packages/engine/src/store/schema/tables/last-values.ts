/** What happened last to people, for write policies with `lastValues` (`domain/policy/last-values.ts` has the rules). */
export const lastValueTables = {
  last_values: `
create table last_values (
  connection_id bigint not null references connections (id),
  -- The address in lower case, or the profile URL of a person without one.
  identity text collate "C" not null,
  -- LastValueState of the domain.
  state jsonb not null,
  -- Of a profile URL: the address of the person, whose row has the values. It never changes.
  merged_into text,
  updated_at timestamptz(3) not null,
  primary key (connection_id, identity)
);
create index last_values_merged on last_values (connection_id, merged_into) where merged_into is not null;`,
};
