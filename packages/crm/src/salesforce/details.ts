import { asText, type Fields } from '../http/answer-values.ts';
import { createHash } from 'node:crypto';
import { toPlainText } from '@svc/domain/values/plain-text';
import { truncateText } from '../events/text-limits.ts';
import type { Identity } from './identity.ts';
import { type PersonType, PROFILE_URL_FIELD, type SalesforceOrg } from './org.ts';
import type { EventWrite } from './session.ts';

/** What the events know about a person, under Salesforce's names. */

export type Details = Readonly<Record<string, string>>;

const LAST_NAME_MAX = 80;
/** Company of a lead whose company is not known. Salesforce requires one. */
const NO_COMPANY = '[not provided]';
/** Longer texts are left out: half of an address or number is wrong. */
const NEVER_TRUNCATED = new Set(['Phone', 'Website', PROFILE_URL_FIELD]);

/**
 * Merges the details of events in their order: the first value of a field stays, as when the events are written one by
 * one and each fills only what is blank.
 */
export function toDetails(
  type: PersonType,
  identity: Identity,
  events: readonly EventWrite[],
  org: SalesforceOrg,
): Details {
  const merged = new Map<string, string>();
  for (const { write } of events) {
    const { contact } = write.event;
    const values: Readonly<Record<string, string | null>> = {
      FirstName: contact.firstName,
      LastName: contact.lastName,
      Email: identity.email,
      Phone: contact.phone,
      Title: contact.jobTitle,
      [PROFILE_URL_FIELD]: contact.profileUrl ?? (identity.email === null ? identity.profileUrl : null),
      ...(type === 'Lead' ? { Company: contact.companyName, Website: contact.companyDomain } : {}),
    };
    for (const [name, value] of Object.entries(values)) {
      if (value !== null && value.trim() !== '' && !merged.has(name)) merged.set(name, value);
    }
  }
  const fields = org.fields[type];
  const shown = [...merged].flatMap(([name, value]): [string, string][] => {
    const field = fields?.get(name);
    if (field === undefined) return [];
    const { maxLength } = field;
    if (maxLength === 0 || value.length <= maxLength || name === 'Email') return [[name, value]];
    return NEVER_TRUNCATED.has(name) ? [] : [[name, truncateText(value, maxLength)]];
  });
  return Object.fromEntries(shown);
}

/** Returns the details of a new record, with what Salesforce requires. */
export function withRequired(type: PersonType, details: Details, { email, profileUrl }: Identity): Details {
  return {
    ...(type === 'Lead' ? { Company: NO_COMPANY } : {}),
    LastName: handlesOf(email, profileUrl)[0] ?? NO_COMPANY,
    ...details,
  };
}

/** Returns what stands for an unknown last name: the local part of the address, the last part of the profile URL. */
function handlesOf(email: string | null, profileUrl: string | null): string[] {
  const handles = [email?.slice(0, email.indexOf('@')), profileUrl?.replace(/\/+$/, '').split('/').at(-1)];
  return handles.flatMap((handle) =>
    handle === undefined || handle === '' ? [] : [truncateText(handle, LAST_NAME_MAX)],
  );
}

/** Returns whether nobody has entered a value: the field is empty, or holds what this connector puts where one is required. */
export function isBlank(row: Fields, name: string): boolean {
  const value = row[name];
  if (value === null || value === undefined || value === '') return true;
  if (name === 'Company') return value === NO_COMPANY;
  if (name !== 'LastName') return false;
  return (
    value === NO_COMPANY ||
    handlesOf(asText(row['Email']), asText(row[PROFILE_URL_FIELD])).some((handle) => handle === value)
  );
}

/** The fields that details can fill, as the org shows them to the user. */
export function fillableFields(type: PersonType, org: SalesforceOrg): string[] {
  const names = ['FirstName', 'LastName', 'Email', 'Phone', 'Title', PROFILE_URL_FIELD];
  const all = type === 'Lead' ? [...names, 'Company', 'Website'] : names;
  return all.filter((name) => org.fields[type]?.get(name)?.isUpdateable === true);
}

/** Returns the details whose field is blank in the CRM. */
export function blanksOf(details: Details, row: Fields, type: PersonType, org: SalesforceOrg): Details {
  const fillable = new Set(fillableFields(type, org));
  return Object.fromEntries(
    Object.entries(details).filter(([name, value]) => fillable.has(name) && isBlank(row, name) && row[name] !== value),
  );
}

/** Remembers a record without blanks: nothing that an event says could change it. */
export const COMPLETE = 'complete';

/** Returns what is remembered of details that were filled in. */
export function hashDetails(details: Details): string {
  const entries = Object.entries(details).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(entries)).digest('base64url');
}

const REASON_MAX = 255;

/** The CRM's own mark that an event sets; null for other events. */
export function toState({ write, at }: EventWrite): Readonly<Record<string, string | boolean>> | null {
  const { event, plan } = write;
  if (!plan.stateFields) return null;
  switch (event.eventType) {
    case 'LEAD_UNSUBSCRIBED':
      return { HasOptedOutOfEmail: true };
    case 'EMAIL_BOUNCE': {
      const text = event.bodyText ?? (event.bodyHtml === null ? null : toPlainText(event.bodyHtml.slice(0, 20_000)));
      const reason = (text ?? event.subject ?? '').replaceAll(/\s+/g, ' ').trim();
      return {
        EmailBouncedDate: at.toISOString(),
        EmailBouncedReason: truncateText(reason === '' ? 'Bounced' : reason, REASON_MAX),
      };
    }
    default:
      return null;
  }
}

/** Returns what is to be remembered of a record with these values. */
export function detailsHashOf(values: Fields, details: Details, type: PersonType, org: SalesforceOrg): string {
  return fillableFields(type, org).some((name) => isBlank(values, name)) ? hashDetails(details) : COMPLETE;
}
