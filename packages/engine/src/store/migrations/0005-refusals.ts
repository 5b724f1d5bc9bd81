/**
 * Stores refusals of CRMs and sequencers that later attempts must know.
 *
 * - `crm_parked_until`: no call of this connection can succeed before. Stored per connection, so that one refused call
 *   is enough for all of its jobs.
 * - `refused_at`: the sequencer refuses this entry, which is no longer pending and does not block others.
 */
export const migration0005 = {
  version: 5,
  name: 'refusals',
  sql: `
-- null: not parked
alter table connections add column crm_parked_until timestamptz(3);

-- null: not refused
alter table blocklist_entries add column refused_at timestamptz(3);
drop index blocklist_entries_pending;
create index blocklist_entries_pending on blocklist_entries (blocklist_id, generation, value)
  where pushed_at is null and refused_at is null;
create index blocklist_entries_refused on blocklist_entries (blocklist_id, generation) where refused_at is not null;
`,
} as const;
