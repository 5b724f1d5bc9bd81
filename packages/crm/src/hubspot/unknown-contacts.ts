import { CrmFailure } from '../http/http-failure.ts';
import { PROFILE_URL, toUrlKey } from './contact-details.ts';
import { applyRecord, emailIn, findContacts } from './contacts.ts';
import { type BatchContact, type EventWrite, holdLater, leaveUnmatched } from './event-write.ts';
import type { HubspotRecord } from './records.ts';
import type { HubspotSession } from './session.ts';

/**
 * Decides what becomes of contacts that HubSpot does not have by the address or profile URL of their events. In the order of
 * a contact's events:
 *
 * - An event with an address may be of the contact that has its profile URL, if that contact has no address: it came from
 *   social-only events. The upsert of a contact that is created and filled finds this out itself (`fill-contacts.ts`); for
 *   other events the contact is looked for here.
 * - The first event that may create the contact does.
 * - An event before it has no contact, and is not written.
 *
 * @returns the events for a later round: those of a contact that was found by the profile URL of an earlier event alone
 */
export async function settleUnknown(
  session: HubspotSession,
  contacts: readonly BatchContact[],
): Promise<readonly EventWrite[]> {
  const unknown = contacts.filter(({ id }) => id === null);
  // An earlier event that is repeated may create the contact, so the later ones wait for it.
  for (const contact of unknown) holdLater(contact);
  const urls = [...new Set(unknown.flatMap(listUrls))];
  const answers = await findContacts(session, PROFILE_URL, urls);
  const found = new Map(urls.map((url, index) => [url, answers[index] ?? null]));
  return unknown.flatMap((contact) => settle(session, contact, found));
}

/** Returns the profile URLs of the events before the one that creates and fills the contact. */
function listUrls({ events, identity }: BatchContact): string[] {
  if (identity.idProperty === PROFILE_URL) return [];
  const open = events.filter(({ failure }) => failure === null);
  const end = open.findIndex(createsAndFills);
  return open.slice(0, end < 0 ? open.length : end).flatMap((event) => urlOf(event) ?? []);
}

function settle(
  session: HubspotSession,
  contact: BatchContact,
  found: ReadonlyMap<string, HubspotRecord | null | CrmFailure>,
): EventWrite[] {
  const events = contact.events.filter(({ failure }) => failure === null);
  for (const [index, event] of events.entries()) {
    const url = urlOf(event);
    const record = url === null ? null : (found.get(url) ?? null);
    const isTheirs = record !== null && !(record instanceof CrmFailure) && emailIn(record) === null;
    if (contact.id !== null) {
      // Without the address in HubSpot, only events with this profile URL are known to be of the contact.
      if (!isTheirs || record.id !== contact.id) return defer(contact, events.slice(index));
    } else if (isTheirs && url !== null && !createsAndFills(event)) {
      applyRecord(session, contact, record);
      contact.keys.delete(contact.identity.key);
      contact.keys.add(toUrlKey(url));
      contact.joinUrl = url;
    } else if (event.write.plan.mayCreate) {
      contact.creator = event;
      return [];
    } else if (record instanceof CrmFailure && !record.isRefusal) {
      event.failure = record;
      return [];
    } else {
      leaveUnmatched(event);
    }
    if (contact.id !== null && event.write.plan.writes.fields) {
      // The contact gets the address, so it is that of all further events.
      contact.keys.add(contact.identity.key);
      return [];
    }
  }
  return [];
}

function defer(contact: BatchContact, events: readonly EventWrite[]): EventWrite[] {
  for (const event of events) contact.events.splice(contact.events.indexOf(event), 1);
  return [...events];
}

function createsAndFills({ write: { plan } }: EventWrite): boolean {
  return plan.mayCreate && plan.writes.fields;
}

function urlOf({ write: { event } }: EventWrite): string | null {
  return event.contact.profileUrl;
}
