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
  /** Whether the values of one event are sent at a time, because HubSpot did not say which of them it refuses. */
  isOneByOne: boolean;
}

export async function fillContacts(session: HubspotSession, contacts: readonly BatchContact[]): Promise<void> {
  let open: Filling[] = [];
  for (const contact of contacts) {
    holdLater(contact);
    open.push({ contact, candidates: await listCandidates(session, contact), isOneByOne: false });
  }
  const ownNames = await createOwnProperties(session, open);
  const client = recheckProperties(session, CONTACTS.objectType, ownNames);
  for (const { contact } of open) holdLater(contact);
  open = open.filter(({ contact }) => contact.events.some(({ failure }) => failure === null));
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
    // A HubSpot that did not answer to the read is not asked for owners.
    if (event.failure !== null) continue;
    for (const [name, value] of Object.entries(toDetails(event))) {
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

/** The events behind one that will be repeated wait for it, so that their values do not take the place of its own. */
function holdLater({ events }: BatchContact): void {
  let earlier: CrmFailure | null = null;
  for (const event of events) {
    event.failure ??= earlier;
    if (event.failure?.isRefusal === false) earlier = event.failure;
  }
}

function needsWrite(filling: Filling): boolean {
  return filling.contact.id === null || nextCandidates(filling).length > 0;
}

/** Returns the candidates that are sent next, by name. */
function nextCandidates({ candidates, isOneByOne }: Filling): [name: string, candidate: Candidate][] {
  const firsts = [...candidates].flatMap(([name, [first]]): [string, Candidate][] =>
    first === undefined || first.event.failure !== null ? [] : [[name, first]],
  );
  const earliest = Math.min(...firsts.map(([, { event }]) => event.index));
  return isOneByOne ? firsts.filter(([, { event }]) => event.index === earliest) : firsts;
}

function toInput(filling: Filling): UpsertInput {
  const { email, identity } = filling.contact;
  const values = nextCandidates(filling).map(([name, { value }]) => [name, value]);
  return { id: email ?? identity.id, properties: Object.fromEntries(values) };
}

/** Applies the answers; returns the contacts that are not given up. */
function settle(fillings: readonly Filling[], answers: readonly (HubspotRecord | CrmFailure)[]): Filling[] {
  return fillings.filter((filling, index) => {
    const { contact, candidates } = filling;
    const answer = answers[index];
    if (answer instanceof CrmFailure) {
      const isIdentityRefused = answer.message.includes(` for ${contact.identity.idProperty}`);
      if (answer.isRefusal && candidates.size > 0 && !(isIdentityRefused && contact.id === null)) {
        omitRefused(filling, answer);
        return true;
      }
      for (const event of contact.events) event.failure ??= answer;
      return false;
    }
    if (answer === undefined) return false;
    contact.id = answer.id;
    contact.isChanged = true;
    for (const [name, { value }] of nextCandidates(filling)) {
      if (name === OWNER) contact.ownerId = value;
      else contact.filled.add(name);
      candidates.delete(name);
    }
    return true;
  });
}

/** Removes the values that a refusal names; if it names none, those of the event that brought them. */
function omitRefused(filling: Filling, failure: CrmFailure): void {
  const { candidates } = filling;
  const sent = nextCandidates(filling);
  const named = sent.filter(([name]) => failure.message.includes(` for ${name}`));
  if (named.length === 0 && !filling.isOneByOne && new Set(sent.map(([, { event }]) => event)).size > 1) {
    filling.isOneByOne = true;
    return;
  }
  // Another contact has this profile URL: two records of one person, which is not a fault of this write.
  const isExpected = (name: string) => name === PROFILE_URL && failure.message.includes(`${CONFLICT} for ${name}`);
  const warned = new Set<EventWrite>();
  for (const [name, first] of named.length === 0 ? sent : named) {
    const values = candidates.get(name) ?? [];
    // Omits a value that is not named only from its event: it may be good, and another event can bring it.
    const isOmitted = ({ value, event }: Candidate) =>
      named.length === 0 ? event === first.event : value === first.value;
    const end = values.findIndex((candidate) => !isOmitted(candidate));
    const kept = end < 0 ? [] : values.slice(end);
    if (!isExpected(name)) for (const { event } of values.slice(0, values.length - kept.length)) warned.add(event);
    if (kept.length > 0) candidates.set(name, kept);
    else candidates.delete(name);
  }
  for (const event of warned) event.warnings.push(failure.error);
}
