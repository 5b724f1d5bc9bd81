/**
 * Adds the entries of block lists, read from the CRM and pushed to the sequencer or pending, and the token needed to
 * push them.
 *
 * A fetch writes entries under the next generation, where nobody sees them, and makes them current when it has read
 * everything. A failed fetch therefore changes no entries and counts.
 */
export const migration0002 = {
  version: 2,
  name: 'blocklist-entries',
  sql: `
-- Encrypted; null when the list has none.
alter table blocklists add column sequencer_token text;
-- The generation of the entries that count; the next one belongs to a fetch at work.
alter table blocklists add column entries_generation integer not null default 0;

create table blocklist_entries (
  blocklist_id bigint not null references blocklists (id) on delete cascade,
  generation integer not null,
  -- Normalised: an address or a domain in lower case.
  value text collate "C" not null,
  -- null: pending
  pushed_at timestamptz(3),
  primary key (blocklist_id, generation, value)
);
create index blocklist_entries_pending on blocklist_entries (blocklist_id, generation, value) where pushed_at is null;
`,
} as const;
