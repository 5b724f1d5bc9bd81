import { toBlockedDomain } from '@svc/domain/blocklists/blocklist-entry';
import type { InboundEvent } from '@svc/sequencers';
import { toBusinessDomain } from './business-domain.ts';
import type { CrmWrite } from './types.ts';

/** By what the contact of an event, and its company, are known. The same in every CRM. */

/** Returns the address in lower case; null when only a profile is known. */
export function emailOf({ contact, toEmail }: InboundEvent): string | null {
  return (contact.email ?? (isAddress(toEmail) ? toEmail : null))?.toLowerCase() ?? null;
}

/** Returns the canonical profile URL; null when only an address is known. */
export function profileUrlOf({ contact, toEmail }: InboundEvent): string | null {
  return contact.profileUrl ?? (isAddress(toEmail) ? null : toEmail);
}

/** Canonical profile URLs contain no `@`. */
function isAddress(toEmail: string): boolean {
  return toEmail.includes('@');
}

/**
 * Returns the domain of the company to write: the one that the sequencer names, else that of the contact's address. Null
 * when the source writes no companies, for free mail hosts, and when only a profile is known.
 */
export function companyDomainOf({ event, source }: Pick<CrmWrite, 'event' | 'source'>): string | null {
  const { companyDomain } = event.contact;
  const domain = source.createOrUpdateCompany ? toBusinessDomain(companyDomain, emailOf(event)) : null;
  // Another text would not be found again.
  return domain === null ? null : toBlockedDomain(domain);
}
