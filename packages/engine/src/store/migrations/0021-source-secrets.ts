/** Adds secrets that posts to a source must carry, and counts of the posts that were refused. */
export const migration0021 = {
  version: 21,
  name: 'source-secrets',
  sql: `
-- Encrypted JSON: StoredSourceSecret[] of secrets/source-secrets.ts. Null while posts need none, or when the key was lost.
alter table sources add column secrets text;
-- Stays true when the secrets are lost, so that their loss does not open the source.
alter table sources add column requires_secret boolean not null default false;

create table inbound_refusals (
  source_id bigint not null references sources (id) on delete cascade,
  day date not null,
  missing bigint not null,
  wrong bigint not null,
  primary key (source_id, day)
);
`,
} as const;
