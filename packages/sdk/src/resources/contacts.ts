import type { ContactOutreachResponse } from '@svc/contract/types';
import type { ApiPromise } from '../call.ts';
import type { CallOptions } from '../fetch.ts';
import type { Operations } from '../operations.ts';
import { hasShape } from '../shape.ts';

/** At least one of the two. */
export interface OutreachParams {
  email?: string | undefined;
  /** Social profile URLs of the same contact, at most five. */
  profileUrls?: readonly string[] | undefined;
}

/** Outreach to people. Spends a rate limit of its own. */
export interface ContactsResource {
  /**
   * What has been sent to a contact before, and whether it may be contacted (specification, "Contact outreach"). A contact
   * that is not known is an answer like any other. Spends a rate limit of its own: 600 requests per minute.
   *
   * Decide by `doNotContact.value`. `blocklists` is the same in every answer of this release, whatever block
   * lists there are: nothing may be read from it.
   *
   * @throws BadRequestError without an identity, with more than five URLs, or with something that is neither
   */
  outreach(params: OutreachParams, options?: CallOptions): ApiPromise<ContactOutreachResponse>;
}

const findFault = hasShape<ContactOutreachResponse>({ doNotContact: 'object' });

export function createContactsResource({ send }: Operations): ContactsResource {
  return {
    outreach: ({ email, profileUrls }, options) =>
      send('GET', '/api/v1/contacts/outreach', options, findFault, () => ({
        query: { email, profileUrl: profileUrls },
      })),
  };
}
