import { CrmFailure } from '../http/http-failure.ts';
import { domainOf, findAccounts, toAccountIdentity } from './accounts.ts';
import { writeMembers } from './campaigns.ts';
import { writeDeals } from './deals.ts';
import { fillPeople, type PersonExtras } from './fill-people.ts';
import { claimsOf, takeRound, withoutWaiting } from './identity.ts';
import { learnOwners, newOwnerOf, ownersQuery, ownerToSet, recallOwners } from './owners.ts';
import {
  keysOf,
  matchPeople,
  type Person,
  peopleQueries,
  recallPeople,
  toPeople,
  toRemembered,
  withoutUnmatched,
} from './people.ts';
import { type EventWrite, failEvents, failUnsettled, isOpen, type SalesforceSession } from './session.ts';
import { isStale } from './stale.ts';
import { writeTasks } from './write-tasks.ts';

/**
 * Writes the events of a batch; what becomes of each is recorded with it.
 *
 * @returns the events whose refusal says that what is remembered of their person or of the org is no longer true
 */
export async function writeEvents(session: SalesforceSession, events: readonly EventWrite[]): Promise<EventWrite[]> {
  for (let open = events; open.length > 0; ) {
    const { round, rest } = takeRound(open);
    const unwritten = events.filter((event) => open.includes(event) || event.failure?.isRefusal === false);
    let deferred: EventWrite[] = [];
    try {
      deferred = await writeRound(session, unwritten, round);
    } catch (error) {
      if (!(error instanceof CrmFailure)) throw error;
      failUnsettled(round, error);
      // What is not a refusal would meet the next round too.
      if (!error.isRefusal) {
        failEvents(rest, error);
        break;
      }
    }
    const left = new Set([...deferred, ...rest]);
    open = withoutWaiting(
      open.filter((event) => left.has(event)),
      round.filter((event) => !left.has(event)),
    );
  }
  return events.filter(({ failure }) => failure !== null && isStale(failure));
}

/**
 * Writes events whose people do not depend on each other, as far as is known.
 *
 * @param unwritten all events of the batch that are not written yet, or will be repeated, in order
 * @returns the events that turned out to come after another event of their person
 */
async function writeRound(
  session: SalesforceSession,
  unwritten: readonly EventWrite[],
  events: readonly EventWrite[],
): Promise<EventWrite[]> {
  const everybody = toPeople(events, session.org);
  const owners = await recallOwners(session, events);
  await recallPeople(session, everybody, owners);

  const searches = peopleQueries(session, everybody);
  const rows = await session.client.query([...searches, ...ownersQuery(owners)]);
  await matchPeople(session, everybody, rows.slice(0, searches.length).flat());
  if (owners.unknown.length > 0) await learnOwners(session, owners, rows.slice(searches.length).flat());

  const { people: found, deferred } = inOrder(everybody, unwritten);
  const people = withoutUnmatched(found);
  const accounts = await findAccounts(session, people, owners);
  const extrasOf = (person: Person): PersonExtras => {
    const domain = domainOf(person);
    return {
      newOwnerId: newOwnerOf(person.events, owners),
      ownerId: ownerToSet(person.events, owners),
      accountId: domain === null ? null : (accounts.get(domain) ?? null),
    };
  };
  await fillPeople(session, people, extrasOf);
  await session.records.write(toRemembered(session, people));
  // A person who still has no account was refused the remembered one: the next event looks for the account anew.
  const refused = people.flatMap((person) => (person.record === null ? [] : (domainOf(person) ?? [])));
  if (refused.length > 0) await session.records.delete(refused.map(toAccountIdentity));

  const recordsOf = new Map(
    people.flatMap(({ events: some, record }) => some.map((event) => [event, record] as const)),
  );
  const recordOf = (event: EventWrite) => recordsOf.get(event) ?? null;
  const findWritable = () => events.filter((event) => isOpen(event) && event.personId !== null);
  const dealOf = await writeDeals(session, findWritable(), owners, recordOf);
  await writeMembers(session, findWritable(), recordOf);
  await writeTasks(session, findWritable(), { owners, recordOf, dealOf });
  return deferred;
}

/**
 * Keeps the events that follow no other unwritten event of their record. That two people are one, or that a record has the address
 * or the profile URL of an event that waits, is only known once the records are found.
 */
function inOrder(
  everybody: readonly Person[],
  unwritten: readonly EventWrite[],
): { people: Person[]; deferred: EventWrite[] } {
  const personOf = new Map(everybody.flatMap((person) => person.events.map((event) => [event, person] as const)));
  const waiting = new Map<string, EventWrite>();
  const written = new Map<string, { event: EventWrite; person: Person }>();
  const deferred: EventWrite[] = [];
  for (const event of unwritten) {
    if (event.failure?.isRefusal === true) continue;
    const person = personOf.get(event);
    if (person === undefined) for (const claim of claimsOf(event)) waiting.set(claim, event);
    if (person === undefined || person.record === null) continue;
    const { id } = person.record;
    const before = written.get(id) ?? { event, person };
    const leader = before.person === person ? null : before.event;
    event.behind =
      leader ??
      keysOf(person.record)
        .map((key) => waiting.get(key))
        .find((other) => other !== undefined) ??
      null;
    if (event.behind === null) {
      written.set(id, before);
      continue;
    }
    deferred.push(event);
    waiting.set(id, event);
  }
  for (const person of everybody) person.events = person.events.filter(({ behind }) => behind === null);
  return { people: everybody.filter(({ events }) => events.length > 0), deferred };
}
