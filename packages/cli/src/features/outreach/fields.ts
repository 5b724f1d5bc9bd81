import { CONTACT_OUTREACH_RESPONSE_FIELDS } from '@svc/contract/fields';
import type { ContactOutreachResponse } from '@svc/sdk';

/** The fields of the contract without `blocklists`, which is the same in every answer of this release and has no meaning yet. */
export const OUTREACH_FIELDS: readonly string[] = CONTACT_OUTREACH_RESPONSE_FIELDS.filter(
  (field) => !field.startsWith('blocklists'),
);

/** Returns the answer without `blocklists`. */
export function toShownOutreach(outreach: ContactOutreachResponse): Omit<ContactOutreachResponse, 'blocklists'> {
  const { blocklists: _unused, ...shown } = outreach;
  return shown;
}
