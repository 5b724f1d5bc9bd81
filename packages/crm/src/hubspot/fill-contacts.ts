import { CrmFailure } from '../http/http-failure.ts';
import {
  type Candidate,
  type Candidates,
  keepOnly,
  listCandidates,
  listOwnerCandidates,
  omitKnown,
  setOutcomes,
} from './candidates.ts';
import { OWNER, PROFILE_URL, toSpareDetails, toUrlKey } from './contact-details.ts';
import { applyRecord, emailIn, findContacts } from './contacts.ts';
import { missingIn } from './errors.ts';
import { type BatchContact, type EventWrite, fills, holdLater, leaveUnmatched } from './event-write.ts';
import { findOwner } from './owners.ts';
import { isOwnProperty, type OwnPropertyName } from './properties.ts';
import { forgetDefinitions, missingProperty, namesGone, withoutGoneProperties } from './property-definitions.ts';
import { type HubspotRecord, updateRecords, type UpsertInput, upsertRecords } from './records.ts';
import { CONFLICT, ensureOwnProperty, type HubspotSession, recheckProperties, upsertByOwnProperty } from './session.ts';

/**
 * Fills the blank properties of contacts, and creates those that HubSpot does not have and that an event creates, with one
 * upsert per contact. Only events whose plans write fields fill a contact that exists.
 *
 * Existing data wins, then the first event that knows a value. A value that replaces others (`overwrite` in a policy) wins over both; of
 * several, the last one does. A value that HubSpot refuses is omitted, with a warning
 * for the events that brought it, and the value of a later event takes its place. A value is also omitted when the
 * account requires a second value because of it, and the second one is not known.
 *
 * A value that the account requires of every new contact is filled where it is known. Otherwise the contact cannot be
 * made, and its events fail.
 */

const CONTACTS = { operation: 'contacts_upsert', objectType: 'contacts', part: 'the contact' } as const;

interface Filling {
  contact: BatchContact;
  /** In the order of the events. */
  candidates: Candidates;
  /**
   * Whether the values of one event are sent at a time, because HubSpot did not say which of several values it refuses.
   */
  isOneByOne: boolean;
  /** The profile URL that another contact has. */
  takenUrl: string | null;
  /** The profile URL of a contact without an address, which gets the address of these events. */
  joinUrl: string | null;
  /** Whether the contact is updated by its id: it is only remembered, and must not be created again; or it has no address. */
  isById: boolean;
}

export async function fillContacts(session: HubspotSession, contacts: readonly BatchContact[]): Promise<void> {
  let open: Filling[] = [];
  for (const contact of contacts) {
    holdLater(contact);
    const candidates = await listCandidates(session, contact);
    for (const event of contact.events) if (needsOwner(event)) await findOwner(session, event);
    const joinUrl = contact.events.some((event) => fills(event, contact)) ? contact.joinUrl : null;
    const hasNoKey = contact.email === null && contact.identity.idProperty === 'email' && joinUrl === null;
    const isById = contact.id !== null && (!contact.isChanged || hasNoKey);
    open.push({ contact, candidates, isOneByOne: false, takenUrl: null, joinUrl, isById });
  }
  const ownNames = await createOwnProperties(session, open);
  const gone = new Set<string>();
  const client = withoutGoneProperties(recheckProperties(session, CONTACTS.objectType, ownNames), gone);
  for (const { contact, candidates } of open) {
    holdLater(contact);
    keepOnly(candidates, ({ event }) => event.failure === null);
  }
  open = open.filter(({ contact }) => contact.events.some(({ failure }) => failure === null));
  for (open = open.filter(needsWrite); open.length > 0; open = open.filter(needsWrite)) {
    const byUrl = open.filter(isWrittenByUrl);
    const byId = open.filter(({ isById }) => isById);
    const byEmail = open.filter((filling) => !byUrl.includes(filling) && !byId.includes(filling));
    const [withId, withEmail, withUrl] = await Promise.all([
      updateRecords(client, { ...CONTACTS, operation: 'contacts_update' }, byId.map(toUpdate)),
      upsertRecords(client, { ...CONTACTS, idProperty: 'email' }, byEmail.map(toInput)),
      upsertByOwnProperty(session, { ...CONTACTS, idProperty: PROFILE_URL }, byUrl.map(toInput)),
    ]);
    for (const filling of open) omitGone(filling, gone);
    await forgetMissing(session, byId, withId);
    const isGone = [withId, withEmail, withUrl].flat().some((answer) => namesGone(answer).length > 0);
    if (isGone || gone.size > 0) forgetDefinitions(session);
    open = [...settle(byId, withId), ...settle(byEmail, withEmail), ...settle(byUrl, withUrl)];
    await findJoins(session, open);
    open = open.filter(({ contact }) => contact.events.some(({ failure }) => failure === null));
  }
}

/** Whether more than the contact gets the owner of an event. */
function needsOwner({ write: { plan }, failure }: EventWrite): boolean {
  const { owner, writes } = plan;
  const hasActivity = writes.timeline || writes.task;
  return failure === null && owner !== null && ((owner.activities && hasActivity) || (owner.companies && plan.company));
}

function isWrittenByUrl({ contact, joinUrl, isById }: Filling): boolean {
  if (isById) return false;
  return joinUrl !== null || (contact.email === null && contact.identity.idProperty === PROFILE_URL);
}

/**
 * A new contact whose profile URL is taken may be a known one: if the contact with the URL has no address, that contact
 * came from social-only events, and gets the address. Otherwise the URL is omitted.
 */
async function findJoins(session: HubspotSession, fillings: readonly Filling[]): Promise<void> {
  const taken = fillings.flatMap((filling) => (filling.takenUrl === null ? [] : [{ filling, url: filling.takenUrl }]));
  for (const { filling } of taken) filling.takenUrl = null;
  const found = await findContacts(
    session,
    PROFILE_URL,
    taken.map(({ url }) => url),
  );
  for (const [index, { filling, url }] of taken.entries()) {
    const record = found[index] ?? null;
    const { contact, candidates } = filling;
    if (record instanceof CrmFailure) {
      if (!record.isRefusal) for (const event of contact.events) event.failure ??= record;
    } else if (record !== null && emailIn(record) === null) {
      applyRecord(session, contact, record);
      contact.keys.add(toUrlKey(url));
      filling.joinUrl = url;
      for (const [name, hash] of contact.filled) omitKnown(candidates, name, hash);
      await setOutcomes(session, contact, candidates);
      keepOnly(candidates, ({ kind }) => kind !== 'new');
      candidates.delete(OWNER);
      const owners = await listOwnerCandidates(session, contact);
      if (owners.length > 0) candidates.set(OWNER, owners);
    }
  }
}

/**
 * The contact without an address cannot get that of the events: they get a contact of their own. If none of them may create
 * it, the contact stays as it is, and the events are written to it.
 */
function giveUpJoin(filling: Filling, refusal: CrmFailure): void {
  const { contact, joinUrl } = filling;
  filling.joinUrl = null;
  if (contact.creator === null) {
    // Outcomes and last values are written by the id of the contact.
    keepOnly(filling.candidates, ({ kind }) => kind === 'outcome' || kind === 'last');
    filling.isById = true;
    contact.keys.delete(contact.identity.key);
    for (const event of contact.events) if (fills(event, contact)) event.warnings.push(refusal.error);
    return;
  }
  if (joinUrl !== null) contact.keys.delete(toUrlKey(joinUrl));
  Object.assign(contact, { id: null, ownerId: null, companyId: null, filled: new Map() });
}

/** Creates our own properties that will be filled. Properties whose creation is refused are omitted with a warning. */
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

function needsWrite(filling: Filling): boolean {
  return filling.contact.id === null || filling.joinUrl !== null || nextCandidates(filling).length > 0;
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
  const { joinUrl } = filling;
  const { email, identity } = filling.contact;
  const values = Object.fromEntries(nextCandidates(filling).map(([name, { value }]) => [name, value]));
  const spare = toSpareDetails(filling.contact.events);
  if (joinUrl !== null) return { id: joinUrl, properties: { ...values, email: identity.id }, spare };
  return { id: email ?? identity.id, properties: values, spare, isNew: filling.contact.id === null };
}

function toUpdate(filling: Filling): UpsertInput {
  return { ...toInput(filling), id: filling.contact.id ?? '' };
}

/** A remembered contact that HubSpot does not have was deleted or merged: its events are repeated, and look for it again. */
async function forgetMissing(
  session: HubspotSession,
  fillings: readonly Filling[],
  answers: readonly (HubspotRecord | CrmFailure)[],
): Promise<void> {
  const missing = fillings.filter((_, index) => {
    const answer = answers[index];
    return answer instanceof CrmFailure && answer.error.httpStatus === 404;
  });
  for (const { contact } of missing) contact.isForgotten = true;
  if (missing.length > 0) await session.records.delete(missing.flatMap(({ contact }) => [...contact.keys]));
}

/** Applies the answers; returns the contacts that are not given up. */
function settle(fillings: readonly Filling[], answers: readonly (HubspotRecord | CrmFailure)[]): Filling[] {
  return fillings.filter((filling, index) => {
    const { contact, candidates } = filling;
    const answer = answers[index];
    if (answer instanceof CrmFailure) {
      if (omitGone(filling, namesGone(answer))) return true;
      const isIdentityRefused = answer.message.includes(` for ${contact.identity.idProperty}`);
      if (filling.joinUrl !== null && answer.isRefusal && (isIdentityRefused || candidates.size === 0)) {
        giveUpJoin(filling, answer);
        return true;
      }
      if (answer.isRefusal && omitTakenUrl(filling, answer)) return true;
      if (omitUnfillable(filling, answer)) return true;
      const isImpossible = isIdentityRefused || missingIn(answer).length > 0;
      if (answer.isRefusal && candidates.size > 0 && !(isImpossible && contact.id === null)) {
        omitRefused(filling, answer);
        return true;
      }
      failEvents(contact, answer);
      return false;
    }
    if (answer === undefined) return false;
    contact.id = answer.id;
    contact.isChanged = true;
    if (filling.joinUrl !== null) contact.email = contact.identity.id;
    filling.joinUrl = null;
    for (const [name, { value, hash, kind }] of nextCandidates(filling)) {
      if (name === OWNER) contact.ownerId = value;
      else if (kind !== 'last') contact.filled.set(name, hash);
      if (hash !== null) contact.isReplaced = true;
      candidates.delete(name);
    }
    return true;
  });
}

/** A refused contact is not created: the events that may not create it themselves have none. */
function failEvents(contact: BatchContact, failure: CrmFailure): void {
  const isMissing = contact.id === null && failure.isRefusal;
  for (const event of [...contact.events]) {
    if (isMissing && !event.write.plan.mayCreate && event.failure === null) leaveUnmatched(event);
    else event.failure ??= failure;
  }
}

/** Removes the values of properties that HubSpot no longer has. @returns whether it removed a value */
function omitGone({ candidates }: Filling, gone: Iterable<string>): boolean {
  const names = [...gone].filter((name) => candidates.has(name));
  for (const name of names) {
    for (const { event } of candidates.get(name) ?? []) event.warnings.push(missingProperty(name));
    candidates.delete(name);
  }
  return names.length > 0;
}

/**
 * Removes a profile URL that another contact has already, if the first event of a new contact brought the URL, and
 * keeps it in `takenUrl`. For if the first event were written alone, it would make the new contact, and the later
 * events would find that contact.
 */
function omitTakenUrl(filling: Filling, failure: CrmFailure): boolean {
  const { contact, candidates } = filling;
  const [first, ...others] = candidates.get(PROFILE_URL) ?? [];
  const isOfFirst = first !== undefined && first.event === contact.events.find((event) => event.failure === null);
  if (contact.id !== null || !isOfFirst || !failure.message.includes(`${CONFLICT} for ${PROFILE_URL}`)) return false;
  filling.takenUrl = first.value;
  const kept = others.filter(({ value }) => value !== first.value);
  if (kept.length > 0) candidates.set(PROFILE_URL, kept);
  else candidates.delete(PROFILE_URL);
  return true;
}

/**
 * Removes the values because of which the account requires a property whose value is not known. If the account requires
 * the property whatever is written, removes all values, provided that the contact exists already.
 *
 * @returns whether it removed a value
 */
function omitUnfillable({ contact, candidates }: Filling, failure: CrmFailure): boolean {
  const missing = missingIn(failure);
  const causes = missing.flatMap(({ because }) => (because !== null && candidates.has(because) ? [because] : []));
  const names = causes.length === 0 && missing.length > 0 && contact.id !== null ? [...candidates.keys()] : causes;
  const warned = new Set(names.flatMap((name) => (candidates.get(name) ?? []).map(({ event }) => event)));
  for (const event of warned) event.warnings.push(failure.error);
  for (const name of names) candidates.delete(name);
  return names.length > 0;
}

/**
 * Removes the values that a refusal names; if the refusal names none, removes all values of the event whose values were
 * sent.
 */
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
    // A value that the refusal does not name is only omitted from its event: the value may be good, and another event
    // can bring it.
    const isOmitted = ({ value, event }: Candidate) =>
      named.length === 0 ? event === first.event : value === first.value;
    const end = values.findIndex((candidate) => !isOmitted(candidate));
    const kept = end < 0 ? [] : values.slice(end);
    if (!isExpected(name)) for (const { event } of values.slice(0, values.length - kept.length)) warned.add(event);
    if (kept.length > 0) candidates.set(name, kept);
    else candidates.delete(name);
    // What waits behind a value of a later event that replaces it belongs to the omitted values too.
    if (named.length === 0) keepOnly(candidates, ({ event }) => event !== first.event);
  }
  for (const event of warned) event.warnings.push(failure.error);
}
