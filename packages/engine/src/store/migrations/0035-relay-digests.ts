import type { StartMigration } from './migration.ts';

/**
 * The limit of a relay's mails in an hour, and the digest of those above it.
 *
 * - A digest is a mail without an event: `received_at` is the end of its hour. `relay_digest_replies` has the mails whose
 *   replies it lists; they end as `digest`.
 * - `relay_hours` counts the mails that a relay has begun in an hour, and names the digest that is due when the hour ends. Its
 *   row is what processes wait for when they count at the same time.
 */
export const migration0035: StartMigration = {
  version: 35,
  name: 'relay-digests',
  sql: `
alter table relay_mails
  alter column event_id drop not null,
  drop constraint relay_mails_status_check,
  add constraint relay_mails_status_check
    check (status in ('waiting', 'sending', 'sent', 'digest', 'skipped', 'failed')) not valid;

create table relay_digest_replies (
  -- In relay_mails, both.
  digest_id bigint not null,
  mail_id bigint not null,
  primary key (digest_id, mail_id)
);

create table relay_hours (
  relay_id bigint not null,
  -- Its begin.
  hour timestamptz(3) not null,
  begun_count integer not null,
  -- In relay_mails; null without one.
  digest_id bigint,
  primary key (relay_id, hour)
);
`,
};
