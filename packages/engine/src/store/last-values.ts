/**
 * What happened last to the people of a connection, and how often. Each event is counted once: its mark and the new state of its person are
 * stored together, before the CRM is called. So a retry, another process or a receipt that is read again finds the same values.
 *
 * A person is an address, or a profile URL as long as no event has both: then what was counted for the URL is joined into the address, and
 * later events of the URL count there. A URL stays with its first address.
 */
import { joinStates, type LastValueState, NO_LAST_VALUES } from '@svc/domain/policy/last-values';
import type { Database, Db } from './database/db.ts';
import { toStorableJson } from './database/storable-json.ts';
import { readLastValueState } from './stored-json.ts';

export interface CountedEvent {
  /** In `inbound_events`. */
  id: number;
  /** As it is stored there: after an erasure it is another one, and the event is not counted. */
  toEmail: string;
  /** In lower case. */
  email: string | null;
  profileUrl: string | null;
  /** The state of a person with this event alone. */
  state: LastValueState;
}

interface PersonRow {
  identity: string;
  state: LastValueState;
  mergedInto: string | null;
}

/** Counts the events that were not counted yet. Returns the state of each event's person with all events that are known. */
export async function countLastValues(
  db: Database,
  connectionId: number,
  events: readonly CountedEvent[],
  now: Date,
): Promise<ReadonlyMap<number, LastValueState>> {
  return db.transaction(async (tx) => {
    // One at a time per connection, so that no row of a person is missed that another process adds. Then events and persons in their order, as
    // everywhere.
    await tx.query(
      {
        name: 'last-values-lock',
        text: `select pg_advisory_xact_lock(hashtextextended('last_values ' || $1::bigint, 15))`,
      },
      [connectionId],
    );
    const isNew = await markCounted(tx, events);
    const people = new Map((await lockPeople(tx, connectionId, events)).map((row) => [row.identity, row]));
    const changed = new Set<string>();
    const set = (row: PersonRow) => {
      people.set(row.identity, row);
      changed.add(row.identity);
    };
    for (const event of events.filter(({ id }) => isNew.has(id))) {
      linkProfile(event, people, set);
      const identity = personOf(event, people);
      set({
        identity,
        state: joinStates(people.get(identity)?.state ?? NO_LAST_VALUES, event.state),
        mergedInto: null,
      });
    }
    await upsertPeople(
      tx,
      connectionId,
      [...people.values()].filter(({ identity }) => changed.has(identity)),
      now,
    );
    return new Map(events.map((event) => [event.id, people.get(personOf(event, people))?.state ?? NO_LAST_VALUES]));
  });
}

/** An event with both gives what was counted for the URL to the address. */
function linkProfile(
  { email, profileUrl }: CountedEvent,
  people: ReadonlyMap<string, PersonRow>,
  set: (row: PersonRow) => void,
): void {
  if (email === null || profileUrl === null) return;
  const ofUrl = people.get(profileUrl);
  if (ofUrl?.mergedInto != null) return;
  set({ identity: profileUrl, state: NO_LAST_VALUES, mergedInto: email });
  if (ofUrl === undefined) return;
  set({
    identity: email,
    state: joinStates(people.get(email)?.state ?? NO_LAST_VALUES, ofUrl.state),
    mergedInto: null,
  });
}

function personOf({ email, profileUrl, toEmail }: CountedEvent, people: ReadonlyMap<string, PersonRow>): string {
  if (email !== null) return email;
  const url = profileUrl ?? toEmail;
  return people.get(url)?.mergedInto ?? url;
}

async function markCounted(tx: Db, events: readonly CountedEvent[]): Promise<ReadonlySet<number>> {
  const { rows } = await tx.query<{ id: number }>(
    {
      name: 'last-values-mark',
      text: `with locked as materialized (
          select events.id from inbound_events events
            join unnest($1::bigint[], $2::text[]) as given (id, to_email)
              on events.id = given.id and events.to_email = given.to_email
          where events.id = any($1) and events.is_counted is not true order by events.id for update of events
        )
        update inbound_events set is_counted = true from locked where inbound_events.id = locked.id
        returning inbound_events.id`,
    },
    [events.map(({ id }) => id), events.map(({ toEmail }) => toEmail)],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Returns the rows of addresses and URLs, and of the addresses that the URLs belong to. An `or` would read all people of the connection. */
async function lockPeople(tx: Db, connectionId: number, events: readonly CountedEvent[]): Promise<PersonRow[]> {
  const identities = new Set(
    events.flatMap(({ email, profileUrl, toEmail }) => [email ?? toEmail, profileUrl ?? []]).flat(),
  );
  const { rows } = await tx.query<Omit<PersonRow, 'state'> & { state: object }>(
    {
      name: 'last-values-people',
      text: `select identity, state, merged_into as "mergedInto" from last_values
        where connection_id = $1 and identity = any($2 || array(
          select merged_into from last_values where connection_id = $1 and identity = any($2) and merged_into is not null))
        order by identity for update`,
    },
    [connectionId, [...identities]],
  );
  return rows.map((row) => ({ ...row, state: readLastValueState(row.state) }));
}

async function upsertPeople(tx: Db, connectionId: number, people: readonly PersonRow[], now: Date): Promise<void> {
  if (people.length === 0) return;
  await tx.query(
    {
      name: 'last-values-upsert',
      text: `insert into last_values (connection_id, identity, state, merged_into, updated_at)
        select $1, identity, state::jsonb, merged_into, $5
        from unnest($2::text[], $3::text[], $4::text[]) as people (identity, state, merged_into) order by identity collate "C"
        on conflict (connection_id, identity) do update
          set state = excluded.state, merged_into = excluded.merged_into, updated_at = excluded.updated_at`,
    },
    [
      connectionId,
      people.map(({ identity }) => identity),
      people.map(({ state }) => toStorableJson(state)),
      people.map(({ mergedInto }) => mergedInto),
      now,
    ],
  );
}
