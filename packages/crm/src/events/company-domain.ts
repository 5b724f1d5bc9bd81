import { toBlockedDomain } from '@svc/domain/blocklists/blocklist-entry';
import { emailOf } from '@svc/domain/contacts/event-contact';
import { toBusinessDomain } from './business-domain.ts';
import type { CrmWrite } from '../port/types.ts';

/**
 * Returns the domain of the company to write: the one that the sequencer names, else that of the contact's address. Null
 * when the plan has no company, for free mail hosts, and when only a profile is known.
 */
export function companyDomainOf({ event, plan }: Pick<CrmWrite, 'event' | 'plan'>): string | null {
  const { companyDomain } = event.contact;
  const domain = plan.company ? toBusinessDomain(companyDomain, emailOf(event)) : null;
  // Another text would not be found again.
  return domain === null ? null : toBlockedDomain(domain);
}
