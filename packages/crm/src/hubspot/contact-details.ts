import { emailOf, profileUrlOf } from '@svc/domain/contacts/event-contact';
import type { InboundEvent } from '@svc/sequencers';
import { toBusinessDomain } from '../events/business-domain.ts';
import type { ContactIdentity, EventWrite } from './event-write.ts';

/** What an event says about its contact, under HubSpot's names. */

export const PROFILE_URL = 'svc_profile_url';
export const OWNER = 'hubspot_owner_id';

/** All properties that events fill. */
export const DETAIL_NAMES = [
  'firstname',
  'lastname',
  'company',
  'jobtitle',
  'phone',
  PROFILE_URL,
  'svc_bounced_at',
  'svc_unsubscribed_at',
] as const;
export type DetailName = (typeof DETAIL_NAMES)[number];

export function toIdentity(event: InboundEvent): ContactIdentity {
  const email = emailOf(event);
  if (email !== null) return { idProperty: 'email', id: email, key: toEmailKey(email) };
  const url = profileUrlOf(event) ?? event.toEmail;
  return { idProperty: PROFILE_URL, id: url, key: toUrlKey(url) };
}

/** HubSpot ignores case in unique values. */
export function toEmailKey(email: string): string {
  return `email:${email.toLowerCase()}`;
}

export function toUrlKey(profileUrl: string): string {
  return `url:${profileUrl.toLowerCase()}`;
}

/** Returns the values that fill the contact's blank properties. */
export function toDetails({ write, at }: EventWrite): Partial<Record<DetailName, string>> {
  const { contact, toEmail } = write.event;
  const { firstName, lastName, companyName, jobTitle, phone, profileUrl } = contact;
  const isSocialOnly = toIdentity(write.event).idProperty === PROFILE_URL;
  const { stateFields } = write.plan;
  const { eventType } = write.event;
  const values: Record<DetailName, string | null> = {
    firstname: firstName,
    // HubSpot requires an email or a name: without either, use the handle.
    lastname: lastName ?? (isSocialOnly && firstName === null ? toHandle(toEmail) : null),
    company: companyName,
    jobtitle: jobTitle,
    phone,
    [PROFILE_URL]: isSocialOnly ? null : profileUrl,
    // HubSpot's own marks (`hs_email_optout`, `hs_email_bounce`) are read-only.
    svc_bounced_at: stateFields && eventType === 'EMAIL_BOUNCE' ? at.toISOString() : null,
    svc_unsubscribed_at: stateFields && eventType === 'LEAD_UNSUBSCRIBED' ? at.toISOString() : null,
  };
  return Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

/** The local part of an address, or the last part of a profile URL. */
function toHandle(identity: string): string {
  const at = identity.lastIndexOf('@');
  return at > 0 ? identity.slice(0, at) : (identity.split('/').at(-1) ?? identity);
}

/**
 * Returns what is known of a contact beyond its details. These values are only written where the account requires them,
 * because they are conclusions. The first event that knows a value wins.
 */
export function toSpareDetails(events: readonly EventWrite[]): Record<string, string> {
  const spare: Record<string, string> = {};
  for (const { write } of events.toReversed()) {
    const { event } = write;
    const { companyDomain, profileUrl } = event.contact;
    const domain = toBusinessDomain(companyDomain, emailOf(event));
    spare['lastname'] = toHandle(event.toEmail);
    if (domain !== null) Object.assign(spare, { company: domain, website: domain });
    if (profileUrl !== null && LINKEDIN.test(profileUrl)) spare['hs_linkedin_url'] = profileUrl;
  }
  return spare;
}

const LINKEDIN = /^https:\/\/(?:www\.)?linkedin\.com\//;
