import type { InboundEvent } from '@svc/sequencers';
import { CrmFailure } from '../http-failure.ts';
import { asList, asObject, type HubspotRecord, readRecord, upsertRecord, type Upsert } from './records.ts';
import { ensureOwnProperty, type HubspotSession, tryOptionalPart, upsertByOwnProperty } from './session.ts';

/**
 * Writes the contact of an event.
 *
 * 1. Its key is the email, or for social-only events the profile URL in a unique property of our own. 2. Existing CRM
 * data wins: only blank fields are filled. So the record is read first, and a complete one is not written. 3. Fields
 * that HubSpot refuses are omitted with a warning, to keep the contact.
 */

export interface WrittenContact {
  id: string;
  ownerId: string | null;
  /** Its company, if it has one. */
  companyId: string | null;
}

const PROFILE_URL = 'svc_profile_url';

export async function writeContact(session: HubspotSession): Promise<WrittenContact> {
  const { event, source } = session.write;
  const identity = toIdentity(event);
  if (identity.idProperty === PROFILE_URL) await ensureOwnProperty(session, 'contacts', PROFILE_URL);
  const details = toDetails(event, identity.idProperty);

  const wanted = [...Object.keys(details), 'hubspot_owner_id', 'associatedcompanyid'];
  const known = await readRecord(session.client, { ...identity, properties: wanted });
  const blanks = Object.fromEntries(Object.entries(details).filter(([name]) => textOf(known, name) === null));
  let ownerId = textOf(known, 'hubspot_owner_id');
  if (ownerId === null && source.assignContactOwner && event.fromEmail !== null) {
    ownerId = await findOwner(session, event.fromEmail);
    if (ownerId !== null) blanks['hubspot_owner_id'] = ownerId;
  }
  const isComplete = known !== null && Object.keys(blanks).length === 0;
  const { id } = isComplete ? known : await fillContact(session, { ...identity, properties: blanks });
  return { id, ownerId, companyId: textOf(known, 'associatedcompanyid') };
}

function toIdentity({ contact, toEmail }: InboundEvent) {
  const email = contact.email ?? (toEmail.includes('@') ? toEmail : null);
  const part = 'the contact';
  return email === null
    ? ({ objectType: 'contacts', idProperty: PROFILE_URL, id: contact.profileUrl ?? toEmail, part } as const)
    : ({ objectType: 'contacts', idProperty: 'email', id: email, part } as const);
}

/** Returns what the event knows about the contact, under HubSpot's names. */
function toDetails({ contact, toEmail }: InboundEvent, idProperty: string): Record<string, string> {
  const { firstName, lastName, companyName, jobTitle, phone, profileUrl } = contact;
  const isSocialOnly = idProperty === PROFILE_URL;
  const values = {
    firstname: firstName,
    // HubSpot requires an email or a name: without either, use the handle.
    lastname: lastName ?? (isSocialOnly && firstName === null ? (toEmail.split('/').at(-1) ?? toEmail) : null),
    company: companyName,
    jobtitle: jobTitle,
    phone,
    [PROFILE_URL]: isSocialOnly ? null : profileUrl,
  };
  return Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

async function fillContact(session: HubspotSession, upsert: Upsert): Promise<HubspotRecord> {
  if (upsert.properties[PROFILE_URL] !== undefined) await ensureOwnProperty(session, 'contacts', PROFILE_URL);
  try {
    return await upsertContact(session, upsert);
  } catch (error) {
    const { properties } = upsert;
    if (!(error instanceof CrmFailure && error.isRefusal) || Object.keys(properties).length === 0) throw error;
    const named = Object.keys(properties).filter((name) => error.message.includes(` for ${name}`));
    const kept =
      named.length === 0
        ? {}
        : Object.fromEntries(Object.entries(properties).filter(([name]) => !named.includes(name)));
    const record = await upsertContact(session, { ...upsert, properties: kept });
    // Another contact has this profile URL: two records of one person, which is not a fault of this write.
    if (named.length !== 1 || named[0] !== PROFILE_URL) session.warnings.push(error.error);
    return record;
  }
}

function upsertContact(session: HubspotSession, upsert: Upsert): Promise<HubspotRecord> {
  return upsert.idProperty === PROFILE_URL
    ? upsertByOwnProperty(session, { ...upsert, idProperty: PROFILE_URL })
    : upsertRecord(session.client, upsert);
}

async function findOwner(session: HubspotSession, email: string): Promise<string | null> {
  let ownerId: string | null = null;
  await tryOptionalPart(session, async () => {
    ownerId = await readOwnerId(session, email);
  });
  return ownerId;
}

function textOf(record: HubspotRecord | null, name: string): string | null {
  const value = record?.properties[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Returns the id of the account's user with this address, or null. Both results are cached. */
function readOwnerId({ client, caches, accountKey }: HubspotSession, email: string): Promise<string | null> {
  return caches.owners.get(`${accountKey}/${email}`, async () => {
    const path = `/crm/v3/owners?email=${encodeURIComponent(email)}&limit=1`;
    const { body } = await client.call({ operation: 'owners', method: 'GET', path, part: 'the look-up of the owner' });
    const { id } = asObject(asList(asObject(body)['results'])[0]);
    return typeof id === 'string' ? id : null;
  });
}
