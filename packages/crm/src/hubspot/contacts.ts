import { companyDomainOf } from '../events/company-domain.ts';
import { CrmFailure } from '../http/http-failure.ts';
import type { CrmRecord } from '../port/types.ts';
import { DETAIL_NAMES, OWNER, PROFILE_URL, toDetails, toEmailKey, toIdentity, toUrlKey } from './contact-details.ts';
import { listContactOwners } from './owners.ts';
import { readOutcomeValues } from './contact-outcomes.ts';
import { hasNewValues, readFilled, toFilled, writeFilled } from './planned-values.ts';
import { type HubspotRecord, readRecords, type RecordsOf } from './records.ts';
import { sendDivided } from './batches.ts';
import { type BatchContact, type EventWrite, fills } from './event-write.ts';
import { ensureOwnProperty, type HubspotSession, recheckProperties } from './session.ts';

/**
 * The contacts of a batch: which events are of one contact, and what HubSpot knows about each contact.
 *
 * A contact whose details were complete less than a day ago is remembered and not read.
 */

const REMEMBERED_FOR_MS = 24 * 60 * 60 * 1000;
const OTHER_EMAILS = 'hs_additional_emails';
const COMPANY = 'associatedcompanyid';
const CONTACTS = { objectType: 'contacts', part: 'the contact' } as const;

/**
 * Groups the events by contact, and reads the contacts that are not remembered. A failure is recorded with the
 * contact's events.
 */
export async function openContacts(session: HubspotSession, events: readonly EventWrite[]): Promise<BatchContact[]> {
  const contacts = groupByIdentity(session, events);
  const remembered = await session.records.read(contacts.map(({ identity }) => identity.key));
  const unknown: BatchContact[] = [];
  for (const contact of contacts) {
    const record = remembered.get(contact.identity.key);
    if (record !== undefined && isFresh(session, record)) remember(contact, record);
    if (contact.id === null || !(await isComplete(session, contact))) unknown.push(contact);
  }
  await Promise.all(
    (['email', PROFILE_URL] as const).map((idProperty) =>
      readContacts(
        session,
        idProperty,
        unknown.filter(({ identity }) => identity.idProperty === idProperty),
      ),
    ),
  );
  return mergeById(contacts);
}

function groupByIdentity({ now }: HubspotSession, events: readonly EventWrite[]): BatchContact[] {
  const contacts = new Map<string, BatchContact>();
  for (const event of events) {
    const identity = toIdentity(event.write.event);
    const contact: BatchContact = contacts.get(identity.key) ?? {
      identity,
      keys: new Set([identity.key]),
      shownKeys: [],
      events: [],
      id: null,
      creator: null,
      joinUrl: null,
      email: null,
      ownerId: null,
      companyId: null,
      filled: new Map(),
      checkedAt: now,
      isChanged: false,
      isReplaced: false,
      isForgotten: false,
    };
    contact.events.push(event);
    event.contact = contact;
    contacts.set(identity.key, contact);
  }
  return [...contacts.values()];
}

function isFresh({ now }: HubspotSession, { recordType, checkedAt }: CrmRecord): boolean {
  return recordType === CONTACTS.objectType && now.getTime() - checkedAt.getTime() < REMEMBERED_FOR_MS;
}

function remember(contact: BatchContact, record: CrmRecord): void {
  contact.id = record.recordId;
  contact.ownerId = record.ownerId;
  contact.companyId = record.companyId;
  contact.filled = readFilled(record.detailsHash);
  contact.checkedAt = record.checkedAt;
}

/** Whether the events have nothing to add to what is remembered of their contact. */
async function isComplete(session: HubspotSession, contact: BatchContact): Promise<boolean> {
  const { events, filled, companyId } = contact;
  const names = events.flatMap((event) => (fills(event, contact) ? Object.keys(toDetails(event)) : []));
  if (names.some((name) => !filled.has(name))) return false;
  if (await hasNewValues(session, contact)) return false;
  // Before a stage is written it is read: somebody may have set a later one.
  if ((await readOutcomeValues(session, contact, 'quietly')).length > 0) return false;
  if (companyId === null && events.some((event) => companyDomainOf(event.write) !== null)) return false;
  return (await listContactOwners(session, contact)).length === 0;
}

async function readContacts(
  session: HubspotSession,
  idProperty: 'email' | typeof PROFILE_URL,
  contacts: readonly BatchContact[],
): Promise<void> {
  const ids = contacts.map(({ identity }) => identity.id);
  const found = await findContacts(session, idProperty, ids);
  for (const [index, contact] of contacts.entries()) {
    const record = found[index] ?? null;
    if (record instanceof CrmFailure) for (const event of contact.events) event.failure ??= record;
    else applyRecord(session, contact, record);
  }
}

/** Returns the contact with each address or profile URL, null for none, or why it cannot be read. */
export async function findContacts(
  session: HubspotSession,
  idProperty: 'email' | typeof PROFILE_URL,
  ids: readonly string[],
): Promise<(HubspotRecord | null | CrmFailure)[]> {
  if (ids.length === 0) return [];
  if (idProperty === PROFILE_URL) {
    const missing = await ensureOwnProperty(session, CONTACTS.objectType, PROFILE_URL);
    if (missing !== null) return ids.map(() => missing);
  }
  const names = new Set([...DETAIL_NAMES, OWNER, COMPANY, ...session.plannedNames.keys()]);
  const properties = ['email', OTHER_EMAILS, ...names];
  const records: RecordsOf = { ...CONTACTS, operation: 'contacts_read', idProperty };
  const client =
    idProperty === PROFILE_URL ? recheckProperties(session, CONTACTS.objectType, [PROFILE_URL]) : session.client;
  return await sendDivided<string, HubspotRecord | null>(ids, async (asked) => {
    const read = await readRecords(client, records, asked, properties);
    const byValue = new Map(read.flatMap((record) => listValues(record, idProperty).map((value) => [value, record])));
    return asked.map((id) => byValue.get(id.toLowerCase()) ?? null);
  });
}

/** Returns the values by which a record may have been asked for. HubSpot finds a contact by its other addresses too. */
function listValues({ properties }: HubspotRecord, idProperty: string): string[] {
  const values = [properties[idProperty], idProperty === 'email' ? properties[OTHER_EMAILS] : null];
  return values.flatMap((value) => (typeof value === 'string' ? value.toLowerCase().split(';') : []));
}

/** Sets what HubSpot knows about a contact. */
export function applyRecord(
  { now, plannedNames }: HubspotSession,
  contact: BatchContact,
  record: HubspotRecord | null,
): void {
  contact.id = record?.id ?? null;
  contact.email = emailIn(record);
  contact.shownKeys = record === null ? [] : keysOf(record);
  contact.ownerId = textOf(record, OWNER);
  contact.companyId = textOf(record, COMPANY);
  contact.filled = toFilled(record?.properties ?? {}, DETAIL_NAMES, plannedNames);
  contact.checkedAt = now;
  contact.isChanged = true;
}

/** Returns the keys of all addresses of a record and of its profile URL. */
function keysOf(record: HubspotRecord): string[] {
  return [...listValues(record, 'email').map(toEmailKey), ...listValues(record, PROFILE_URL).map(toUrlKey)];
}

export function emailIn(record: HubspotRecord | null): string | null {
  return textOf(record, 'email');
}

function textOf(record: HubspotRecord | null, name: string): string | null {
  const value = record?.properties[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Two addresses may belong to one contact: its events are merged in their order. */
function mergeById(contacts: readonly BatchContact[]): BatchContact[] {
  const byId = new Map<string, BatchContact>();
  return contacts.filter((contact) => {
    const first = contact.id === null ? undefined : byId.get(contact.id);
    if (contact.id !== null && first === undefined) byId.set(contact.id, contact);
    if (first === undefined) return true;
    for (const event of contact.events) event.contact = first;
    for (const key of contact.keys) first.keys.add(key);
    first.events.push(...contact.events);
    first.events.sort((a, b) => a.index - b.index);
    if (first.isChanged) return false;
    // What was read now is newer than what is remembered.
    if (contact.isChanged) {
      const { ownerId, companyId, filled, checkedAt, email, shownKeys } = contact;
      Object.assign(first, { ownerId, companyId, filled, checkedAt, email, shownKeys, isChanged: true });
    } else {
      // One of the two contacts may have been remembered before the other was filled.
      first.filled = new Map([...first.filled, ...contact.filled]);
      first.ownerId ??= contact.ownerId;
      first.companyId ??= contact.companyId;
    }
    return false;
  });
}

/** Returns the keys under which a contact may be remembered with values that this batch has replaced. */
export function listOutdatedKeys({ isReplaced, keys, shownKeys }: BatchContact): string[] {
  return isReplaced ? shownKeys.filter((key) => !keys.has(key)) : [];
}

/** What is remembered of the contacts that this batch has seen or changed. */
export function toContactRecords(contacts: readonly BatchContact[]): CrmRecord[] {
  return contacts.flatMap(({ id, keys, isChanged, isForgotten, filled, ownerId, companyId, checkedAt }) =>
    id === null || !isChanged || isForgotten
      ? []
      : [...keys].map((identity) => ({
          identity,
          recordType: CONTACTS.objectType,
          recordId: id,
          detailsHash: writeFilled(filled),
          ownerId,
          companyId,
          checkedAt,
        })),
  );
}
