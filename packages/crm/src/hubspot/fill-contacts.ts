import { CrmFailure } from '../http-failure.ts';
import { OWNER, PROFILE_URL, toDetails } from './contact-details.ts';
import type { BatchContact, EventWrite } from './event-write.ts';
import { findOwner } from './owners.ts';
import { isOwnProperty, type OwnPropertyName } from './properties.ts';
import { type HubspotRecord, type UpsertInput, upsertRecords } from './records.ts';
import { CONFLICT, ensureOwnProperty, type HubspotSession, recheckProperties, upsertByOwnProperty } from './session.ts';

/**
 * Fills the blank properties of contacts, and creates those that HubSpot does not have, with one upsert per contact.
 *
 * Existing data wins, then the first event that knows a value. A value that HubSpot refuses is omitted, with a warning
 * for the events that brought it, and the value of a later event takes its place.
 */

const CONTACTS = { operation: 'contacts_upsert', objectType: 'contacts', part: 'the contact' } as const;

/** A value for a blank property, and the event that brought it. */
interface Candidate {
  value: string;
  event: EventWrite;
}

interface Filling {
  contact: BatchContact;
  /** In the order of the events. */
  candidates: Map<string, Candidate[]>;
}

export async function fillContacts(session: HubspotSession, contacts: readonly BatchContact[]): Promise<void> {
  let open: Filling[] = [];
  for (const contact of contacts) {
    const filling = { contact, candidates: await listCandidates(session, contact) };
    if (contact.events.some(({ failure }) => failure === null)) open.push(filling);
  }
  const ownNames = await createOwnProperties(session, open);
  const client = recheckProperties(session, CONTACTS.objectType, ownNames);
  for (open = open.filter(needsWrite); open.length > 0; open = open.filter(needsWrite)) {
    const byEmail = open.filter(({ contact }) => contact.email !== null || contact.identity.idProperty === 'email');
    const byUrl = open.filter((filling) => !byEmail.includes(filling));
    const [withEmail, withUrl] = await Promise.all([
      upsertRecords(client, { ...CONTACTS, idProperty: 'email' }, byEmail.map(toInput)),
      upsertByOwnProperty(session, { ...CONTACTS, idProperty: PROFILE_URL }, byUrl.map(toInput)),
    ]);
    open = [...settle(byEmail, withEmail), ...settle(byUrl, withUrl)];
  }
}

async function listCandidates(session: HubspotSession, contact: BatchContact): Promise<Map<string, Candidate[]>> {
  const candidates = new Map<string, Candidate[]>();
  const add = (name: string, value: string, event: EventWrite) =>
    candidates.set(name, [...(candidates.get(name) ?? []), { value, event }]);
  for (const event of contact.events) {
    if (event.failure !== null) continue;
    for (const [name, value] of Object.entries(toDetails(event, contact.identity))) {
      if (!contact.filled.has(name)) add(name, value, event);
    }
    const ownerId = contact.ownerId === null ? await findOwner(session, event) : null;
    if (ownerId !== null) add(OWNER, ownerId, event);
  }
  return candidates;
}

/** Creates our own properties that will be filled. Where that is refused, they are omitted with a warning. */
async function createOwnProperties(session: HubspotSession, fillings: readonly Filling[]): Promise<OwnPropertyName[]> {
  const names = new Set(fillings.flatMap(({ candidates }) => [...candidates.keys()].filter(isOwnProperty)));
  for (const name of names) {
    const failure = await ensureOwnProperty(session, CONTACTS.objectType, name);
    if (failure === null) continue;
    for (const { candidates } of fillings) {
      for (const { event } of candidates.get(name) ?? []) {
        if (failure.isRefusal) event.warnings.push(failure.error);
        else event.failure ??= failure;
      }
      candidates.delete(name);
    }
  }
  return [...names];
}

function needsWrite({ contact, candidates }: Filling): boolean {
  return contact.id === null || candidates.size > 0;
}

function toInput({ contact, candidates }: Filling): UpsertInput {
  const values = [...candidates].flatMap(([name, [first]]) => (first === undefined ? [] : [[name, first.value]]));
  return { id: contact.email ?? contact.identity.id, properties: Object.fromEntries(values) };
}

/** Applies the answers; returns the contacts that have to be sent again with less. */
function settle(fillings: readonly Filling[], answers: readonly (HubspotRecord | CrmFailure)[]): Filling[] {
  return fillings.filter((filling, index) => {
    const { contact, candidates } = filling;
    const answer = answers[index];
    if (answer instanceof CrmFailure) {
      if (answer.isRefusal && candidates.size > 0) {
        omitRefused(filling, answer);
        return true;
      }
      for (const event of contact.events) event.failure ??= answer;
    } else if (answer !== undefined) {
      contact.id = answer.id;
      contact.ownerId ??= candidates.get(OWNER)?.[0]?.value ?? null;
      contact.filled = new Set([...contact.filled, ...candidates.keys()].filter((name) => name !== OWNER));
      contact.isChanged = true;
    }
    return false;
  });
}

/** Removes the values that a refusal names, or all that were sent if it names none. */
function omitRefused({ candidates }: Filling, failure: CrmFailure): void {
  const named = [...candidates.keys()].filter((name) => failure.message.includes(` for ${name}`));
  // Another contact has this profile URL: two records of one person, which is not a fault of this write.
  const isExpected = named.length === 1 && failure.message.includes(`${CONFLICT} for ${PROFILE_URL}`);
  const warned = new Set<EventWrite>();
  for (const name of named.length === 0 ? [...candidates.keys()] : named) {
    const values = candidates.get(name) ?? [];
    const refused = values[0]?.value;
    for (const { value, event } of values) if (value === refused) warned.add(event);
    const kept = values.filter(({ value }) => value !== refused);
    if (kept.length > 0) candidates.set(name, kept);
    else candidates.delete(name);
  }
  if (!isExpected) for (const event of warned) event.warnings.push(failure.error);
}
