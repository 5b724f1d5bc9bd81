import type { CrmOutcome } from './types.ts';

/** The code of the warning. */
export const NO_MATCHING_CONTACT = 'no_matching_contact';

/**
 * The outcome of an event whose contact the CRM does not have and whose plan does not create it (`mayCreate`). Nothing is
 * written. A connector must not remember the answer: somebody may create the contact at any time.
 */
export function noMatchingContact(): CrmOutcome {
  return {
    status: 'warning',
    contactId: null,
    engagementId: null,
    error: {
      code: NO_MATCHING_CONTACT,
      message: 'The CRM has no contact for this event, and the write policy of the source does not create one',
      httpStatus: null,
    },
  };
}

export function isNoMatchingContact(outcome: CrmOutcome): boolean {
  return outcome.status === 'warning' && outcome.error.code === NO_MATCHING_CONTACT;
}
