/** Events that a write policy holds, and the leads whose events are no longer held (`domain/policy/hold.ts` has the rules). */
export const heldEventTables = {
  held_events: `
create table held_events (
  -- The id in inbound_events.
  event_id bigint primary key,
  source_id bigint not null references sources (id) on delete cascade,
  -- The lead: recipient in lower case, and the key of the campaign.
  recipient text not null,
  campaign text not null,
  -- When the receipt of the event was received, so that its month is kept.
  received_at timestamptz(3) not null,
  held_at timestamptz(3) not null,
  drops_at timestamptz(3) not null
);
create index held_events_by_lead on held_events (source_id, recipient, campaign);
create index held_events_by_drop on held_events (drops_at);`,

  released_leads: `
create table released_leads (
  source_id bigint not null references sources (id) on delete cascade,
  recipient text not null,
  -- Empty: the recipient was released in all campaigns.
  campaign text not null,
  released_at timestamptz(3) not null,
  primary key (source_id, recipient, campaign)
);`,
};
