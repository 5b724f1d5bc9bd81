import { CrmFailure } from '../http-failure.ts';
import { domainOf, findAccounts, toAccountIdentity } from './accounts.ts';
import { fillPeople, type PersonExtras } from './fill-people.ts';
import { takeRound, withoutWaiting } from './identity.ts';
import { learnOwners, ownerOf, ownersQuery, recallOwners } from './owners.ts';
import { matchPeople, type Person, peopleQueries, recallPeople, toPeople, toRemembered } from './people.ts';
import { type EventWrite, failEvents, isOpen, type SalesforceSession } from './session.ts';
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
    let deferred: EventWrite[] = [];
    try {
      deferred = await writeRound(session, round);
    } catch (error) {
      if (!(error instanceof CrmFailure)) throw error;
      failEvents(
        round.filter(({ taskId }) => taskId === null),
        error,
      );
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
 * @returns the events of people who turned out to be somebody else in the round; they come after that person's
 */
async function writeRound(session: SalesforceSession, events: readonly EventWrite[]): Promise<EventWrite[]> {
  const everybody = toPeople(events, session.org);
  await recallPeople(session, everybody);
  const owners = await recallOwners(session, events);

  const searches = peopleQueries(session, everybody);
  const rows = await session.client.query([...searches, ...ownersQuery(owners)]);
  await matchPeople(session, everybody, rows.slice(0, searches.length).flat());
  if (owners.unknown.length > 0) await learnOwners(session, owners, rows.slice(searches.length).flat());

  const { people, deferred } = withoutRepeated(everybody);
  const accounts = await findAccounts(session, people);
  const extrasOf = (person: Person): PersonExtras => {
    const domain = domainOf(person);
    const ownerId = person.events.map((event) => ownerOf(event, owners)).find((id) => id !== null) ?? null;
    return { ownerId, accountId: domain === null ? null : (accounts.get(domain) ?? null) };
  };
  await fillPeople(session, people, extrasOf);
  await session.records.write(toRemembered(session, people));
  // Who still has no account was refused the remembered one: the next event looks for it anew.
  const refused = people.flatMap((person) => (person.record === null ? [] : (domainOf(person) ?? [])));
  if (refused.length > 0) await session.records.delete(refused.map(toAccountIdentity));

  const ownerIds = new Map(
    people.flatMap(({ events: some, record }) => some.map((event) => [event, record?.ownerId ?? null] as const)),
  );
  await writeTasks(
    session,
    events.filter((event) => isOpen(event) && event.personId !== null),
    owners,
    (event) => ownerIds.get(event) ?? null,
  );
  return deferred;
}

/** Keeps the first person of each record. */
function withoutRepeated(everybody: readonly Person[]): { people: Person[]; deferred: EventWrite[] } {
  const ids = new Set<string>();
  const people: Person[] = [];
  const deferred: EventWrite[] = [];
  for (const person of everybody) {
    const id = person.record?.id;
    if (id !== undefined && ids.has(id)) deferred.push(...person.events);
    else people.push(person);
    if (id !== undefined) ids.add(id);
  }
  return { people, deferred };
}
