import { isWritten } from '@svc/domain/policy/plan-write';
import { asObject, asText, type Fields } from '../http/answer-values.ts';
import { companyDomainOf } from '../events/company-domain.ts';
import { CrmFailure, NEVER } from '../http/http-failure.ts';
import type { CrmRecord } from '../port/types.ts';
import type { SalesforceQuery } from './client.ts';
import { COMPLETE, fillableFields, hashDetails, toDetails, toState } from './details.ts';
import { areMarked, splitHashes, wantedFields } from './fields.ts';
import { type Identity, toEmailKey, toIdentity, toUrlKey } from './identity.ts';
import { type PersonType, PROFILE_URL_FIELD, type SalesforceOrg } from './org.ts';
import { mayChangeOwner, type Owners } from './owners.ts';
import { type EventWrite, failEvents, type SalesforceSession } from './session.ts';
import { anyOf, isIn } from './soql.ts';
import { isId } from './values.ts';

/**
 * Finds the contact or lead of each person in a batch.
 *
 * Order: the contact with the address, the contact that a lead with the address was converted to, the lead with the
 * address; then the same for the profile URL, unless that record has another address. Of several, the oldest. A record that
 * was complete within the last day is not read again.
 */

export interface Person {
  identity: Identity;
  events: EventWrite[];
  /** What to create when the CRM has nobody. */
  newType: PersonType;
  record: PersonRecord | null;
  /** Whether another record has the profile URL already. */
  isUrlTaken: boolean;
}

export interface PersonRecord {
  type: PersonType;
  id: string;
  ownerId: string | null;
  /** A contact's account. */
  accountId: string | null;
  /** The fields as they were read; null for a record that was not read because nothing can be filled in. */
  row: Fields | null;
  /** What was remembered of the record. */
  detailsHash: string | null;
}

/** How long a remembered record need not be read. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;

/** Groups events by person, in the order of their first events. */
export function toPeople(events: readonly EventWrite[], org: SalesforceOrg): Person[] {
  const people = new Map<string, Person>();
  for (const event of events) {
    const identity = toIdentity(event.write.event);
    const known = people.get(identity.key);
    if (known !== undefined) {
      known.events.push(event);
      known.identity.profileUrl ??= identity.profileUrl;
      continue;
    }
    people.set(identity.key, { identity, events: [event], newType: toNewType(event), record: null, isUrlTaken: false });
  }
  for (const person of people.values()) refuseUnfindable(person, org);
  return [...people.values()].filter(({ events: [first] }) => first?.failure === null);
}

function toNewType({ write }: EventWrite): PersonType {
  return write.plan.salesforceObjectType?.toLowerCase() === 'lead' ? 'Lead' : 'Contact';
}

/** Without an address and without a field for profile URLs, every event would create another record. */
function refuseUnfindable({ identity, events, newType }: Person, org: SalesforceOrg): void {
  const isVisible = org.fields.Contact !== null || org.fields.Lead !== null;
  const hasUrlField = canFindByUrl('Contact', org) || canFindByUrl('Lead', org);
  const message = !isVisible
    ? "The user of the connection sees neither contacts nor leads of Salesforce. Grant access to them in the user's profile or permission set."
    : identity.email === null && !hasUrlField
      ? `Only a profile URL is known, and Salesforce has no field ${PROFILE_URL_FIELD} on ${newType} that the user of the connection sees. Add the field, then retry.`
      : null;
  if (message === null) return;
  const code = isVisible ? 'profile_url_field_missing' : 'forbidden';
  failEvents(events, new CrmFailure({ code, message, httpStatus: null }, NEVER));
}

/** Takes remembered records where nothing needs to be read or filled in. */
export async function recallPeople(
  session: SalesforceSession,
  people: readonly Person[],
  owners: Owners,
): Promise<void> {
  const remembered = await session.records.read(people.map(({ identity }) => identity.key));
  for (const person of people) {
    const known = remembered.get(person.identity.key);
    if (known !== undefined && isUsable({ ...session, owners }, person, known)) {
      person.record = {
        type: known.recordType === 'Lead' ? 'Lead' : 'Contact',
        id: known.recordId,
        ownerId: known.ownerId,
        accountId: known.companyId,
        row: null,
        detailsHash: known.detailsHash,
      };
    }
  }
}

function isUsable(
  { org, now, owners }: SalesforceSession & { owners: Owners },
  { identity, events }: Person,
  known: CrmRecord,
): boolean {
  const { recordType, detailsHash, companyId, checkedAt } = known;
  if (recordType !== 'Contact' && recordType !== 'Lead') return false;
  if (org.fields[recordType] === null || now().getTime() - checkedAt.getTime() > REMEMBERED_MS) return false;
  if (events.some((event) => toState(event) !== null) || mayChangeOwner(known.ownerId, events, owners)) return false;
  const mayNeedAccount =
    recordType === 'Contact' && companyId === null && events.some((event) => companyDomainOf(event.write) !== null);
  if (mayNeedAccount) return false;
  const filling = fillingEvents(events);
  const remembered = splitHashes(detailsHash);
  if (!areMarked(wantedFields(recordType, filling, org), remembered.marks)) return false;
  if (filling.length === 0 || remembered.detailsHash === COMPLETE) return true;
  return remembered.detailsHash === hashDetails(toDetails(recordType, identity, filling, org));
}

/** Returns the events whose plan changes the fields of an existing record. */
export function fillingEvents(events: readonly EventWrite[]): EventWrite[] {
  return events.filter(({ write }) => write.plan.writes.fields);
}

/** Returns the events whose details a new record gets: the one that creates it, and those that would fill it. */
export function creatingEvents([first, ...others]: readonly EventWrite[]): EventWrite[] {
  return first === undefined ? [] : [first, ...fillingEvents(others)];
}

/**
 * Settles the events of people whom the CRM does not have, up to the first event that may create its person.
 *
 * @returns the people who are left, with the events that are left
 */
export function withoutUnmatched(people: readonly Person[]): Person[] {
  return people.filter((person) => {
    if (person.record !== null) return true;
    const found = person.events.findIndex(({ write: { plan } }) => plan.mayCreate && isWritten(plan));
    const unmatched = person.events.splice(0, found === -1 ? person.events.length : found);
    for (const event of unmatched) event.isSettled = true;
    const [creating] = person.events;
    if (creating === undefined) return false;
    person.newType = toNewType(creating);
    return true;
  });
}

/** The queries that find the people whose record is not known yet. */
export function peopleQueries(session: SalesforceSession, people: readonly Person[]): SalesforceQuery[] {
  const { org } = session;
  const unknown = people.filter(({ record }) => record === null);
  const emails = unknown.flatMap(({ identity: { email } }) => (email === null ? [] : [email]));
  const urls = unknown.flatMap(({ identity: { profileUrl } }) => (profileUrl === null ? [] : [profileUrl]));
  return (['Contact', 'Lead'] as const).flatMap((type): SalesforceQuery[] => {
    const conditions = [
      ...(emails.length > 0 && org.fields[type] !== null ? [isIn('Email', emails)] : []),
      ...(urls.length > 0 && canFindByUrl(type, org) ? [isIn(PROFILE_URL_FIELD, urls)] : []),
    ];
    return conditions.length === 0
      ? []
      : [{ soql: personSoql(type, session, anyOf(conditions)), part: 'the search for the contact' }];
  });
}

function personSoql(type: PersonType, { org, properties }: SalesforceSession, condition: string): string {
  const wanted = [
    ...fillableFields(type, org),
    ...properties,
    'Email',
    PROFILE_URL_FIELD,
    'OwnerId',
    'HasOptedOutOfEmail',
    'EmailBouncedDate',
    ...(type === 'Contact' ? ['AccountId'] : ['IsConverted', 'ConvertedContactId']),
  ].filter((name) => org.fields[type]?.has(name) === true);
  return `SELECT ${['Id', ...new Set(wanted)].join(',')} FROM ${type} WHERE ${condition} ORDER BY CreatedDate, Id`;
}

/** Returns the keys by which an event of somebody else may know the record: its id, address and profile URL. */
export function keysOf({ id, row }: PersonRecord): string[] {
  const [email, url] = [asText(row?.['Email']), asText(row?.[PROFILE_URL_FIELD])];
  return [id, ...(email === null ? [] : [toEmailKey(email.toLowerCase())]), ...(url === null ? [] : [toUrlKey(url)])];
}

/** Gives each person the best of the rows that were found; reads contacts of converted leads where needed. */
export async function matchPeople(
  session: SalesforceSession,
  people: readonly Person[],
  rows: readonly Fields[],
): Promise<void> {
  const candidates = rows.map((row) => ({ row, type: typeOf(row) }));
  const found: { person: Person; matches: Candidate[] }[] = people
    .filter(({ record }) => record === null)
    .map((person) => ({ person, matches: candidates.filter(({ row }) => isMatch(row, person)) }));
  const contactIds = new Set(found.flatMap(({ matches }) => matches.flatMap(({ row }) => convertedTo(row) ?? [])));
  const converted = await readPeople(session, { Contact: [...contactIds], Lead: [] });
  const convertedById = new Map(converted.map((record) => [record.id.slice(0, 15), record]));
  for (const { person, matches } of found) {
    const { email, profileUrl } = person.identity;
    // A person without an address keeps the URL, because nothing else identifies them.
    person.isUrlTaken = email !== null && matches.some(({ row }) => isSameText(row[PROFILE_URL_FIELD], profileUrl));
    const byEmail = email === null ? [] : matches.filter(({ row }) => isSameText(row['Email'], email));
    const byUrl = matches.filter(
      ({ row }) => isSameText(row[PROFILE_URL_FIELD], profileUrl) && (email === null || asText(row['Email']) === null),
    );
    person.record = best(byEmail, convertedById) ?? best(byUrl, convertedById);
  }
}

interface Candidate {
  row: Fields;
  type: PersonType;
}

function best(matches: readonly Candidate[], converted: ReadonlyMap<string, PersonRecord>): PersonRecord | null {
  const contact = matches.find(({ type }) => type === 'Contact');
  if (contact !== undefined) return toRecord(contact.row);
  for (const { row } of matches) {
    const id = convertedTo(row);
    const record = id === null ? undefined : converted.get(id.slice(0, 15));
    if (record !== undefined) return record;
  }
  const lead = matches.find(({ row }) => row['IsConverted'] !== true);
  return lead === undefined ? null : toRecord(lead.row);
}

/** Reads contacts and leads by id; absent when deleted or converted. */
export async function readPeople(
  session: SalesforceSession,
  ids: Readonly<Record<PersonType, readonly string[]>>,
): Promise<PersonRecord[]> {
  const queries = (['Contact', 'Lead'] as const).flatMap((type) =>
    ids[type].length === 0 || session.org.fields[type] === null
      ? []
      : [{ soql: personSoql(type, session, isIn('Id', ids[type])), part: 'the search for the contact' }],
  );
  const rows = (await session.client.query(queries)).flat();
  return rows.filter((row) => row['IsConverted'] !== true).map(toRecord);
}

export function toRecord(row: Fields): PersonRecord {
  return {
    type: typeOf(row),
    id: asText(row['Id']) ?? '',
    ownerId: asText(row['OwnerId']),
    accountId: asText(row['AccountId']),
    row,
    detailsHash: null,
  };
}

function typeOf(row: Fields): PersonType {
  return asObject(row['attributes'])['type'] === 'Lead' ? 'Lead' : 'Contact';
}

function convertedTo(row: Fields): string | null {
  const id = row['ConvertedContactId'];
  return row['IsConverted'] === true && isId(id, '003') ? id : null;
}

function isMatch(row: Fields, { identity: { email, profileUrl } }: Person): boolean {
  return (
    (email !== null && isSameText(row['Email'], email)) ||
    (profileUrl !== null && isSameText(row[PROFILE_URL_FIELD], profileUrl))
  );
}

/** Salesforce compares texts without case. */
function isSameText(value: unknown, text: string | null): boolean {
  return text !== null && typeof value === 'string' && value.toLowerCase() === text.toLowerCase();
}

function canFindByUrl(type: PersonType, org: SalesforceOrg): boolean {
  return org.fields[type]?.get(PROFILE_URL_FIELD)?.isFilterable === true;
}

/** Remembers the people of events that could be written. */
export function toRemembered(session: SalesforceSession, people: readonly Person[]): CrmRecord[] {
  return people.flatMap(({ identity, record }) => {
    if (record === null || record.detailsHash === null) return [];
    const { type, id, ownerId, accountId, detailsHash } = record;
    // A record that was not read is not known to exist any longer.
    if (record.row === null) return [];
    return [
      {
        identity: identity.key,
        recordType: type,
        recordId: id,
        detailsHash,
        ownerId,
        companyId: accountId,
        checkedAt: session.now(),
      },
    ];
  });
}
