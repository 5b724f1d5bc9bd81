import { asText, type Fields } from '../http/answer-values.ts';
import { CrmFailure, NEVER } from '../http/http-failure.ts';
import type { RecordResult } from './client.ts';
import { blanksOf, type Details, detailsHashOf, toDetails, toState, withRequired } from './details.ts';
import { fieldsOfExisting, fieldsOfNew, joinHashes, marksOf, wantedFields } from './fields.ts';
import { isStale } from './stale.ts';
import { type PersonType, PROFILE_URL_FIELD } from './org.ts';
import { isSameUser } from './owners.ts';
import {
  creatingEvents,
  fillingEvents,
  keysOf,
  type Person,
  type PersonRecord,
  readPeople,
  toRecord,
} from './people.ts';
import { lastValuesOf } from './last-values.ts';
import { statusOf } from './lead-status.ts';
import { type RepairableRecord, type RepairedResult, warningOf, writeRepairing } from './repair.ts';
import { failEvents, isOpen, type SalesforceSession, warnEvents } from './session.ts';
import { isId } from './values.ts';

/**
 * Creates the people that the CRM does not have, and fills what is blank in the others. What the CRM holds stays.
 *
 * A duplicate rule that stops a new record names what it has found: that contact or lead is used. If the rule names
 * none, the record is written again with the permission to be a duplicate, which rules that only warn accept.
 */
export interface PersonExtras {
  /** Owner of a new record; null for the user of the connection. */
  newOwnerId: string | null;
  /** Owner that an existing record gets; null: it keeps its own. */
  ownerId: string | null;
  /** Account of a contact without one; null for none. */
  accountId: string | null;
}

const PART = 'the contact';

export async function fillPeople(
  session: SalesforceSession,
  people: readonly Person[],
  extrasOf: (person: Person) => PersonExtras,
): Promise<void> {
  await createPeople(
    session,
    people.filter(({ record }) => record === null),
    extrasOf,
  );
  await updatePeople(
    session,
    people.filter(({ record }) => record !== null && !isNew(record)),
    extrasOf,
  );
  for (const { record, events } of people) {
    for (const event of events) event.personId = record?.id ?? null;
  }
}

async function createPeople(
  session: SalesforceSession,
  people: readonly Person[],
  extrasOf: (person: Person) => PersonExtras,
): Promise<void> {
  const { client } = session;
  const call = { operation: 'people_create', part: PART } as const;
  const items = people.flatMap((person) => {
    const record = toNewRecord(session, person, extrasOf(person));
    return record === null ? [] : [{ person, record }];
  });
  const results = await writeRepairing(
    client,
    items.map(({ record }) => record),
    call,
  );
  const duplicates: typeof items = [];
  for (const [index, item] of items.entries()) {
    const result = results[index];
    if (result === undefined) continue;
    if (!result.result.isWritten && result.result.problem.code === 'DUPLICATES_DETECTED') duplicates.push(item);
    else settleNew(session, item, result);
  }
  if (duplicates.length === 0) return;

  // A collection does not say what the rule has found.
  const found = await client.createSingly(
    duplicates.map(({ record }) => record),
    call,
  );
  const allowed: typeof items = [];
  const matches = new Map<Person, string>();
  for (const [index, item] of duplicates.entries()) {
    const result = found[index];
    if (result === undefined) continue;
    const known = result.isWritten ? null : result.problem.duplicates;
    const match =
      known?.matches.find(({ type, id }) => type === 'Contact' && isId(id, '003')) ??
      known?.matches.find(({ type, id }) => type === 'Lead' && isId(id, '00Q'));
    if (match !== undefined) matches.set(item.person, match.id);
    else if (known?.allowsSave === true) allowed.push(item);
    else settleNew(session, item, { result, left: null });
  }
  await useMatches(session, matches);
  const again = await writeRepairing(
    client,
    allowed.map(({ record }) => record),
    { ...call, allowsDuplicates: true },
  );
  for (const [index, item] of allowed.entries()) {
    const result = again[index];
    if (result !== undefined) settleNew(session, item, result);
  }
}

async function useMatches(session: SalesforceSession, matches: ReadonlyMap<Person, string>): Promise<void> {
  const ids = [...matches.values()];
  const records = await readPeople(session, {
    Contact: ids.filter((id) => id.startsWith('003')),
    Lead: ids.filter((id) => id.startsWith('00Q')),
  });
  const byId = new Map(records.map((record) => [record.id.slice(0, 15), record]));
  for (const [person, id] of matches) {
    person.record = byId.get(id.slice(0, 15)) ?? null;
    if (person.record !== null) continue;
    const message = `A duplicate rule of Salesforce refused ${PART}, and the record that it names cannot be read`;
    failEvents(
      person.events,
      new CrmFailure({ code: 'refused', message, httpStatus: 400, category: 'DUPLICATES_DETECTED' }, NEVER),
    );
  }
}

function toNewRecord(
  { org }: SalesforceSession,
  { identity, events, newType, isUrlTaken }: Person,
  { newOwnerId, accountId }: PersonExtras,
): RepairableRecord | null {
  const fields = org.fields[newType];
  if (fields === null) {
    const message = `The user of the connection does not see the object ${newType} of Salesforce, which the source creates`;
    failEvents(events, new CrmFailure({ code: 'forbidden', message, httpStatus: null }, NEVER));
    return null;
  }
  const details = withoutTakenUrl(toDetails(newType, identity, creatingEvents(events), org), isUrlTaken);
  // Without its key the person could not be found again, and every event would create another one.
  const key = identity.email === null ? PROFILE_URL_FIELD : 'Email';
  if (details[key] === undefined) {
    const message = `Salesforce has no field ${newType}.${key} that the user of the connection sees and that is long enough. Add the field or its permission, then retry.`;
    const code = identity.email === null ? 'profile_url_field_missing' : 'forbidden';
    failEvents(events, new CrmFailure({ code, message, httpStatus: null }, NEVER));
    return null;
  }
  const values = {
    ...withRequired(newType, details, identity),
    ...fieldsOfNew(newType, creatingEvents(events), org),
    ...lastValuesOf(newType, events, org),
    ...statusOf(newType, events, org),
    ...toStateValues(events, null, (name) => fields.get(name)?.isCreateable === true, newType),
    ...(newOwnerId === null ? {} : { OwnerId: newOwnerId }),
    ...(accountId === null || newType === 'Lead' ? {} : { AccountId: accountId }),
  };
  return { type: newType, values, required: ['LastName', 'Company', key] };
}

function settleNew(
  session: SalesforceSession,
  { person, record }: { person: Person; record: RepairableRecord },
  { result, left }: RepairedResult,
): void {
  if (!result.isWritten) {
    failEvents(person.events, result.failure);
    return;
  }
  const { newType: type, identity, events } = person;
  const kept = Object.fromEntries(
    Object.entries(record.values).filter(([name]) => left?.fields.includes(name) !== true),
  );
  person.record = {
    ...toRecord({ ...kept, attributes: { type }, Id: result.id }),
    detailsHash: hashOf(session, { type, identity, events: creatingEvents(events), values: kept }),
  };
  warnOfLeft(person, left);
}

/** A record that was created a moment ago has what the events say. */
function isNew({ row, detailsHash }: PersonRecord): boolean {
  return row !== null && detailsHash !== null;
}

async function updatePeople(
  session: SalesforceSession,
  people: readonly Person[],
  extrasOf: (person: Person) => PersonExtras,
): Promise<void> {
  const ids = new Set<string>();
  const items = people.flatMap((person) => {
    const { record } = person;
    if (record === null) return [];
    // A duplicate rule named one record for two people: their later events fill in the rest.
    if (ids.has(record.id)) return [];
    ids.add(record.id);
    const filled = record.row === null ? {} : toFilled(session, person, record, record.row, extrasOf(person));
    const { type } = record;
    const values = {
      ...filled,
      ...lastValuesOf(type, person.events, session.org),
      ...statusOf(type, person.events, session.org),
    };
    return [{ person, record, values }];
  });
  const changed = items.filter(({ values }) => Object.keys(values).length > 0);
  const results = await writeRepairing(
    session.client,
    changed.map(({ record: { type, id }, values }) => ({ type, id, values, required: [] })),
    // The record is there already, so a rule that only warns has nothing to say about it.
    { operation: 'people_update', part: PART, allowsDuplicates: true },
  );
  const leftOf = new Map(changed.map(({ person }, index) => [person, results[index]]));
  const outdated: string[] = [];
  for (const { person, record, values } of items) {
    const updated = leftOf.get(person);
    const isRefused = updated !== undefined && !updated.result.isWritten;
    if (isRefused && !settleRefused(person, updated.result)) continue;
    if (!isRefused) warnOfLeft(person, updated?.left ?? null);
    const left = new Set(isRefused ? Object.keys(values) : updated?.left?.fields);
    const kept = Object.fromEntries(Object.entries(values).filter(([name]) => !left.has(name)));
    const { AccountId, OwnerId } = kept;
    if (typeof AccountId === 'string') record.accountId = AccountId;
    if (typeof OwnerId === 'string') record.ownerId = OwnerId;
    const { type, row } = record;
    // Nothing is known of a record that was not read but what is remembered of it.
    if (row === null) continue;
    const events = fillingEvents(person.events);
    record.detailsHash = hashOf(session, { type, identity: person.identity, events, values: { ...row, ...kept } });
    // Under another key the record may be remembered with the values that these replace.
    if (session.properties.some((name) => Object.hasOwn(kept, name)))
      outdated.push(...keysOf(record).filter((key) => key !== person.identity.key && key !== record.id));
  }
  if (outdated.length > 0) await session.records.delete(outdated);
}

/** Returns what is remembered of a record with these values. */
function hashOf(
  { org }: SalesforceSession,
  known: { type: PersonType; identity: Person['identity']; events: Person['events']; values: Fields },
): string {
  const { type, identity, events, values } = known;
  const details = detailsHashOf(values, toDetails(type, identity, events, org), type, org);
  return joinHashes(details, marksOf(wantedFields(type, events, org), values));
}

/** A refused update leaves the record as it is. Returns whether the events can be written nevertheless. */
function settleRefused({ events }: Person, result: RecordResult): boolean {
  if (result.isWritten) return true;
  if (!result.failure.isRefusal || isStale(result.failure)) {
    failEvents(events, result.failure);
    return false;
  }
  warnEvents(events, result.failure.error);
  return true;
}

function toFilled(
  { org }: SalesforceSession,
  { identity, events, isUrlTaken }: Person,
  { type, ownerId, accountId }: PersonRecord,
  row: Fields,
  extras: PersonExtras,
): Fields {
  const fields = org.fields[type];
  const details = withoutTakenUrl(toDetails(type, identity, fillingEvents(events), org), isUrlTaken);
  const canUpdate = (name: string) => fields?.get(name)?.isUpdateable === true;
  return {
    ...blanksOf(details, row, type, org),
    ...fieldsOfExisting(type, fillingEvents(events), org, row),
    ...toStateValues(events, row, canUpdate, type),
    ...(type === 'Contact' && accountId === null && extras.accountId !== null ? { AccountId: extras.accountId } : {}),
    ...(extras.ownerId === null || isSameUser(extras.ownerId, ownerId) ? {} : { OwnerId: extras.ownerId }),
  };
}

/** Returns the CRM's own marks that the events set and that the record does not have yet. */
function toStateValues(
  events: Person['events'],
  row: Fields | null,
  canWrite: (name: string) => boolean,
  type: string,
): Fields {
  const values: Record<string, unknown> = {};
  for (const event of events.filter(isOpen)) {
    const state = toState(event);
    if (state === null) continue;
    const hidden = Object.keys(state).filter((name) => !canWrite(name));
    if (hidden.length > 0) {
      const names = hidden.map((name) => `${type}.${name}`).join(' and ');
      const message = `Salesforce does not let the user of the connection write ${names}: field security hides it, or the org does not have it`;
      warnEvents([event], { code: 'field_hidden', message, httpStatus: null });
    }
    const isSet =
      'HasOptedOutOfEmail' in state ? row?.['HasOptedOutOfEmail'] === true : asText(row?.['EmailBouncedDate']) !== null;
    if (isSet) continue;
    for (const [name, value] of Object.entries(state)) {
      if (!hidden.includes(name)) values[name] ??= value;
    }
  }
  return values;
}

function withoutTakenUrl(details: Details, isUrlTaken: boolean): Details {
  if (!isUrlTaken) return details;
  return Object.fromEntries(Object.entries(details).filter(([name]) => name !== PROFILE_URL_FIELD));
}

function warnOfLeft({ events }: Person, left: RepairedResult['left']): void {
  const warning = warningOf(left);
  if (warning !== null) warnEvents(events, warning);
}
