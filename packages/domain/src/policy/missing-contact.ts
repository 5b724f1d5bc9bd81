/** An event whose contact the CRM does not have, and whose write policy does not create it, is tried again daily for 30 days. */
const DAY_MS = 24 * 60 * 60 * 1000;
const ASKED_DAYS = 30;

/** The error of its sync, which is a warning. */
export const NO_MATCHING_CONTACT = {
  code: 'no_matching_contact',
  message: 'The CRM has no contact for this event, and the write policy of the source does not create one',
  httpStatus: null,
} as const;

/** Returns when it is tried again; null when it is not. @param since when the CRM did not have the contact for the first time */
export function nextTryForContact(since: Date, now: Date): Date | null {
  return now.getTime() - since.getTime() < ASKED_DAYS * DAY_MS ? new Date(now.getTime() + DAY_MS) : null;
}
