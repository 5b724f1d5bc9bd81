import { CrmFailure } from '../http-failure.ts';
import type { CrmOutcome } from '../types.ts';
import { writeCompanies } from './companies.ts';
import { toIdentity, toUrlKey } from './contact-details.ts';
import { openContacts, toContactRecords } from './contacts.ts';
import { isReply } from '../event-text.ts';
import { toTask } from './engagements.ts';
import { fillContacts } from './fill-contacts.ts';
import { associateRecords } from './records.ts';
import { type EventWrite, failOptionalPart } from './event-write.ts';
import { type HubspotSession, upsertByOwnProperty } from './session.ts';

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
    await writeRound(session, round);
    open = withoutHeld(rest, round);
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
        // This event may turn out to be of any contact with its profile URL: their later events wait behind it.
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

/** Events behind one of their contact that will be repeated wait with it; returns the others. */
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
 * Order: contact, engagement, then association, company and task, whose refusal is only a warning. An event that fails
 * leaves the order; what was written of it stays and is repeatable.
 */
async function writeRound(session: HubspotSession, events: readonly EventWrite[]): Promise<void> {
  const contacts = await openContacts(session, events);
  await fillContacts(session, contacts);
  await writeEngagements(session, events.filter(isOpen));
  const written = events.filter(isOpen);
  await Promise.all([
    associateEngagements(session, written),
    writeCompanies(session, contacts),
    writeTasks(session, written),
  ]);
  await session.records.write(toContactRecords(contacts));
  for (const event of events) event.isDone = true;
}

function isOpen({ failure }: EventWrite): boolean {
  return failure === null;
}

async function writeEngagements(session: HubspotSession, events: readonly EventWrite[]): Promise<void> {
  const byType = Map.groupBy(events, ({ engagement }) => engagement.objectType);
  await Promise.all(
    [...byType].map(async ([objectType, ofType]) => {
      const answers = await upsertByOwnProperty(
        session,
        {
          operation: 'engagements_upsert',
          objectType,
          idProperty: 'svc_event_key',
          part: `the engagement (${objectType})`,
        },
        ofType.map(({ key, engagement }) => ({ id: key, properties: engagement.properties })),
      );
      for (const [index, event] of ofType.entries()) {
        const answer = answers[index];
        if (answer instanceof CrmFailure) event.failure = answer;
        else event.engagementId = answer?.id ?? null;
      }
    }),
  );
}

async function associateEngagements(session: HubspotSession, events: readonly EventWrite[]): Promise<void> {
  const byType = Map.groupBy(events, ({ engagement }) => engagement.objectType);
  await Promise.all(
    [...byType].map(([objectType, ofType]) =>
      associateWithContacts(
        session,
        { from: objectType, part: 'the association with the contact' },
        ofType.flatMap((event) => (event.engagementId === null ? [] : [{ event, recordId: event.engagementId }])),
      ),
    ),
  );
}

async function writeTasks(session: HubspotSession, events: readonly EventWrite[]): Promise<void> {
  const replies = events.filter(({ write }) => write.source.createOrUpdateTask && isReply(write.event.eventType));
  const answers = await upsertByOwnProperty(
    session,
    { operation: 'tasks_upsert', objectType: 'tasks', idProperty: 'svc_event_key', part: 'the task' },
    replies.map(({ key, write, at, contact }) => ({
      id: key,
      properties: toTask(write.event, at, contact?.ownerId ?? null),
    })),
  );
  const tasks = replies.flatMap((event, index) => {
    const answer = answers[index];
    if (answer instanceof CrmFailure) failOptionalPart(event, answer);
    return answer === undefined || answer instanceof CrmFailure ? [] : [{ event, recordId: answer.id }];
  });
  await associateWithContacts(session, { from: 'tasks', part: 'the association with the task' }, tasks);
}

async function associateWithContacts(
  session: HubspotSession,
  { from, part }: { from: string; part: string },
  written: readonly { event: EventWrite; recordId: string }[],
): Promise<void> {
  const pairs = written.flatMap(({ event, recordId }) => {
    const { contact } = event;
    return contact === null || contact.id === null ? [] : [{ event, contact, fromId: recordId, toId: contact.id }];
  });
  const answers = await associateRecords(session.client, { from, to: 'contacts', part }, pairs);
  const missing = pairs.filter(({ event }, index) => {
    const answer = answers[index];
    if (answer instanceof CrmFailure) failOptionalPart(event, answer);
    return answer instanceof CrmFailure && answer.error.httpStatus === 404;
  });
  for (const { contact } of missing) contact.isForgotten = true;
  if (missing.length > 0) await session.records.delete(missing.flatMap(({ contact }) => [...contact.keys]));
}

export function toOutcome({ contact, engagementId, warnings, failure }: EventWrite): CrmOutcome {
  if (failure !== null) return failure.toOutcome();
  const contactId = contact?.id ?? null;
  if (contactId === null || engagementId === null) throw new Error('an event has neither a result nor a failure');
  // Reports one warning: a missing permission, which is recorded as the connection's error, else the first one.
  const error = warnings.find(({ httpStatus }) => httpStatus === 403) ?? warnings[0];
  return error === undefined
    ? { status: 'success', contactId, engagementId }
    : { status: 'warning', contactId, engagementId, error };
}
