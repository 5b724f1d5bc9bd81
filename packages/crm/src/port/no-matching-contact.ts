import { NO_MATCHING_CONTACT } from '@svc/domain/policy/missing-contact';
import type { CrmOutcome } from './types.ts';

/**
 * The outcome of an event whose contact the CRM does not have and whose plan does not create it (`mayCreate`). Nothing is
 * written. A connector must not remember the answer: somebody may create the contact at any time.
 */
export function noMatchingContact(): CrmOutcome {
  return {
    status: 'warning',
    contactId: null,
    engagementId: null,
    error: NO_MATCHING_CONTACT,
  };
}

export function isNoMatchingContact(outcome: CrmOutcome): boolean {
  return outcome.status === 'warning' && outcome.error.code === NO_MATCHING_CONTACT.code;
}
