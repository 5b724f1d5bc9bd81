import { writeInContactTurns } from '../events/contact-turns.ts';
import { CrmFailure } from '../http/http-failure.ts';
import { noMatchingContact } from '../port/no-matching-contact.ts';
import type { CrmOutcome } from '../port/types.ts';
import { writeCompanies } from './companies.ts';
import { OWNER, toIdentity, toUrlKey } from './contact-details.ts';
import { listOutdatedKeys, openContacts, toContactRecords } from './contacts.ts';
import { toTasks } from './engagements.ts';
import { writeDeals } from './deals.ts';
import { fillContacts } from './fill-contacts.ts';
import { addListMembers } from './list-members.ts';
import { associateRecords } from './records.ts';
import { type BatchContact, type EventWrite, failOptionalPart, holdLater, isOpen } from './event-write.ts';
import { associateOthers } from './other-associations.ts';
import { type OwnedInput, upsertWithOwners } from './owned-records.ts';
import { findOwner } from './owners.ts';
import { toMarkIdentity } from './plain-keys.ts';
import { replacesValues } from './planned-values.ts';
import type { HubspotSession } from './session.ts';
import { settleUnknown } from './unknown-contacts.ts';

/** Writes the events of a batch; what becomes of each is recorded with it. */
export async function writeEvents(session: HubspotSession, events: readonly EventWrite[]): Promise<void> {
  const contactsByClaim = new Map<string, Set<string>>();
  for (const claims of events.map(toClaims)) {
    for (const claim of claims) {
      const contacts = contactsByClaim.get(claim) ?? new Set();
      contactsByClaim.set(claim, contacts.add(claims[0] ?? claim));
    }
  }
  for (let open = events; open.length > 0; ) {
    const { round, rest } = takeRound(open, contactsByClaim);
    const deferred = new Set(await writeRound(session, round, events));
    const left = new Set([...rest, ...deferred]);
    // The first open event is never deferred, so the loop ends.
    open = withoutHeld(
      open.filter((event) => left.has(event)),
      round.filter((event) => !deferred.has(event)),
    );
  }
}

/**
 * Takes the events that can be written together. Two contacts that claim one profile URL cannot: one by one, the first
 * would get it and the second would find it taken.
 */
function takeRound(
  events: readonly EventWrite[],
  contactsByClaim: ReadonlyMap<string, ReadonlySet<string>>,
): { round: EventWrite[]; rest: EventWrite[] } {
  const contactByClaim = new Map<string, string>();
  const waiting = new Set<string>();
  const round: EventWrite[] = [];
  const rest: EventWrite[] = [];
  for (const event of events) {
    const claims = toClaims(event);
    const [contact = ''] = claims;
    const isTaken = claims.some((claim) => waiting.has(claim) || (contactByClaim.get(claim) ?? contact) !== contact);
    const key = `key:${event.key}`;
    const mustWait = isTaken || contactByClaim.has(key);
    for (const claim of [...claims, key]) {
      if (mustWait) {
        waiting.add(claim);
        // This event may turn out to be of any contact with its profile URL: the later events of these contacts wait
        // behind it.
        for (const other of contactsByClaim.get(claim) ?? []) waiting.add(other);
      } else contactByClaim.set(claim, contact);
    }
    (mustWait ? rest : round).push(event);
  }
  return { round, rest };
}

/** Returns the keys of the contact and of its profile URL. */
function toClaims({ write: { event } }: EventWrite): string[] {
  const { profileUrl } = event.contact;
  return [toIdentity(event).key, ...(profileUrl === null ? [] : [toUrlKey(profileUrl)])];
}

/**
 * When an event will be repeated, the later events of its contact wait with it; returns the events that need not wait.
 */
function withoutHeld(rest: readonly EventWrite[], round: readonly EventWrite[]): EventWrite[] {
  const held = new Map<string, CrmFailure>();
  const hold = (event: EventWrite) => {
    if (event.failure?.isRefusal !== false) return;
    for (const claim of toClaims(event)) held.set(claim, held.get(claim) ?? event.failure);
  };
  for (const event of round) hold(event);
  return rest.filter((event) => {
    const claim = toClaims(event).find((key) => held.has(key));
    event.failure = (claim === undefined ? undefined : held.get(claim)) ?? null;
    hold(event);
    return event.failure === null;
  });
}

/**
 * Order: contact, engagement, then association, company, task and outcomes, whose refusal is only a warning. An event that fails
 * leaves the order; the parts of it that were written stay, and can be written again. Engagements of one contact are
 * written and associated one after the other.
 */
async function writeRound(
  session: HubspotSession,
  round: readonly EventWrite[],
  batch: readonly EventWrite[],
): Promise<EventWrite[]> {
  const opened = await openContacts(session, round);
  const behind = deferBehind(round, batch);
  const shown = opened.filter((contact) => contact.events.length > 0);
  const deferred = [...behind, ...(await settleUnknown(session, shown))];
  const events = round.filter((event) => !deferred.includes(event));
  const contacts = shown.filter((contact) => contact.events.length > 0);
  await fillContacts(session, contacts);
  await writeInContactTurns(
    events.filter((event) => isOpen(event) && event.write.plan.writes.timeline),
    ({ contact }) => contact,
    async (turn) => {
      await writeEngagements(session, turn);
      await associateEngagements(session, turn.filter(isOpen));
    },
  );
  const written = events.filter(isOpen);
  const ownerOf = (event: EventWrite) => findOutcomeOwner(session, event);
  await Promise.all([
    writeCompanies(session, contacts),
    writeTasks(session, written, ownerOf),
    addListMembers(session, written),
    writeDeals(session, written, ownerOf),
  ]);
  await associateOthers(session, written.filter(isOpen));
  for (const contact of contacts) holdReplaced(contact);
  await session.records.write(toContactRecords(contacts));
  const outdated = contacts.flatMap(listOutdatedKeys);
  if (outdated.length > 0) await session.records.delete(outdated);
  for (const event of events) event.isDone = true;
  return deferred;
}

/**
 * Takes an event out of the round when HubSpot showed that its contact has an address or profile URL of an earlier
 * event that is not written yet: the earlier event may be of the same contact, and then comes first. If the earlier
 * event failed and will be repeated, the later one waits with it.
 *
 * A contact that is only remembered was complete: the earlier event cannot change what the later one does to the
 * contact.
 *
 * @returns the events for a later round
 */
function deferBehind(round: readonly EventWrite[], batch: readonly EventWrite[]): EventWrite[] {
  const writable = new Set(round);
  const unwritten = new Map<string, EventWrite>();
  for (const event of batch) {
    const { contact } = event;
    const keys = writable.has(event) && contact !== null ? contact.shownKeys : [];
    const earlier = keys.map((key) => unwritten.get(key)).find((other) => other !== undefined);
    if (earlier !== undefined) event.failure ??= earlier.failure;
    if (earlier !== undefined && event.failure === null) {
      writable.delete(event);
      contact?.events.splice(contact.events.indexOf(event), 1);
    }
    const isUnwritten = event.failure === null ? !event.isDone && !writable.has(event) : !event.failure.isRefusal;
    for (const claim of isUnwritten ? toClaims(event) : []) unwritten.set(claim, unwritten.get(claim) ?? event);
  }
  return round.filter((event) => !writable.has(event));
}

/**
 * An event that is repeated replaces the owner of its contact, or values, again: so the later events that replace some are
 * repeated after it.
 */
function holdReplaced({ events }: BatchContact): void {
  holdLater({ events: events.filter(({ write }) => write.plan.owner?.contact === 'always' || replacesValues(write)) });
}

async function writeEngagements(session: HubspotSession, events: readonly EventWrite[]): Promise<void> {
  const byType = Map.groupBy(events, ({ engagement }) => engagement.objectType);
  await Promise.all(
    [...byType].map(async ([objectType, ofType]) => {
      const answers = await upsertWithOwners(
        session,
        {
          operation: 'engagements_upsert',
          objectType,
          idProperty: 'svc_event_key',
          part: `the engagement (${objectType})`,
        },
        ofType.map((event) => ({
          id: event.key,
          properties: event.engagement.properties,
          spare: spareOwner(event.contact),
          isNew: !event.write.isRepeated,
          ownerId: activityOwner(event),
        })),
        (index, { error }) => ofType[index]?.warnings.push(error),
      );
      for (const [index, event] of ofType.entries()) {
        const answer = answers[index];
        if (answer instanceof CrmFailure) event.failure = answer;
        else event.engagementId = answer?.id ?? null;
      }
    }),
  );
}

/** Returns the owner of an event's engagement and task, as its plan says. */
function activityOwner({ write, ownerId }: EventWrite): string | null {
  return write.plan.owner?.activities === true ? (ownerId ?? null) : null;
}

function spareOwner(contact: BatchContact | null): Record<string, string> {
  const ownerId = contact?.ownerId ?? null;
  return ownerId === null ? {} : { [OWNER]: ownerId };
}

async function associateEngagements(session: HubspotSession, events: readonly EventWrite[]): Promise<void> {
  const byType = Map.groupBy(events, ({ engagement }) => engagement.objectType);
  await Promise.all(
    [...byType].map(([objectType, ofType]) =>
      associateWithContacts(
        session,
        { from: objectType, part: 'the association with the contact' },
        ofType.flatMap((event) => {
          const { engagementId, key } = event;
          return engagementId === null ? [] : [{ event, recordId: engagementId, key }];
        }),
      ),
    ),
  );
}

/** Returns who gets the tasks and deals of an event: the user whom its plan names, else the owner of the contact. */
async function findOutcomeOwner(session: HubspotSession, event: EventWrite): Promise<string | null> {
  if (event.write.plan.owner?.activities === true) await findOwner(session, event);
  return activityOwner(event) ?? event.contact?.ownerId ?? null;
}

async function writeTasks(
  session: HubspotSession,
  events: readonly EventWrite[],
  ownerOf: (event: EventWrite) => Promise<string | null>,
): Promise<void> {
  const wanted = events.flatMap((event) => toTasks(event.write, event.at).map((task) => ({ event, ...task })));
  const inputs: OwnedInput[] = [];
  for (const { event, id, properties } of wanted) {
    inputs.push({ id, properties, isNew: !event.write.isRepeated, ownerId: await ownerOf(event) });
  }
  const answers = await upsertWithOwners(
    session,
    { operation: 'tasks_upsert', objectType: 'tasks', idProperty: 'svc_event_key', part: 'the task' },
    inputs,
    (index, { error }) => wanted[index]?.event.warnings.push(error),
  );
  const tasks = wanted.flatMap(({ event, id }, index) => {
    const answer = answers[index];
    if (answer instanceof CrmFailure) failOptionalPart(event, answer);
    return answer === undefined || answer instanceof CrmFailure ? [] : [{ event, recordId: answer.id, key: id }];
  });
  await associateWithContacts(session, { from: 'tasks', part: 'the association with the task' }, tasks);
}

async function associateWithContacts(
  session: HubspotSession,
  { from, part }: { from: string; part: string },
  written: readonly { event: EventWrite; recordId: string; key: string }[],
): Promise<void> {
  const pairs = written.flatMap(({ event, recordId, key }) => {
    const { contact } = event;
    return contact === null || contact.id === null ? [] : [{ event, contact, key, fromId: recordId, toId: contact.id }];
  });
  const answers = await associateRecords(session.client, { from, to: 'contacts', part }, pairs);
  const missing = pairs.filter(({ event }, index) => {
    const answer = answers[index];
    if (answer instanceof CrmFailure) failOptionalPart(event, answer);
    return answer instanceof CrmFailure && answer.error.httpStatus === 404;
  });
  for (const { contact } of missing) contact.isForgotten = true;
  const forgotten = missing.flatMap(({ contact, key }) => [...contact.keys, toMarkIdentity({ objectType: from }, key)]);
  if (missing.length > 0) await session.records.delete(forgotten);
}

export function toOutcome({ write, contact, engagementId, warnings, failure, isUnmatched }: EventWrite): CrmOutcome {
  if (failure !== null) return failure.toOutcome();
  if (isUnmatched) return noMatchingContact();
  const contactId = contact?.id ?? null;
  const isMissing = engagementId === null && write.plan.writes.timeline;
  if (contactId === null || isMissing) throw new Error('an event has neither a result nor a failure');
  // Reports one warning: a missing permission, which is recorded as the connection's error, else the first one.
  const error = warnings.find(({ httpStatus }) => httpStatus === 403) ?? warnings[0];
  return error === undefined
    ? { status: 'success', contactId, engagementId }
    : { status: 'warning', contactId, engagementId, error };
}
