import type { ContactOutreachResponse } from '@svc/contract/types';
import type { ApiPromise, CallContext } from '../calls/call.ts';
import type { CallOptions } from '../http/send-with-retries.ts';
import { errors, type Operations } from './operations.ts';
import type { OutreachOutcome, OutreachParams } from '../flows/outreach-many.ts';
import { createShapeCheck } from '../calls/shape.ts';

/** Outreach to people. These calls have a rate limit of their own. */
export interface ContactsResource {
  /**
   * Returns what was sent to a contact and whether it may be contacted. An unknown contact is
   * not an error. The rate limit is 600 requests per minute, apart from the limit of other calls.
   *
   * Use `doNotContact.value` to decide. `blocklists` is the same in every answer of this release and has no meaning yet.
   *
   * @throws BadRequestError without an identity, with more than five URLs, or with an invalid email address or URL
   */
  outreach(params: OutreachParams, options?: CallOptions): ApiPromise<ContactOutreachResponse>;
  /**
   * Looks up any number of contacts in constant memory, up to eight at a time and within the rate limit. Outcomes come in the order
   * of the contacts, each with the object that was passed in.
   *
   * A contact that the service refuses (400, 413, 414, 431) or fails on (5xx, after the retries) has an `error` instead of an
   * `answer`, and the other lookups continue. A contact that occurs twice is looked up twice.
   *
   * @throws errors that concern all contacts: the key, the network, a 429 after its retries, the fifth 5xx in a row
   * @example
   * for await (const { contact, answer, error } of client.contacts.outreachMany([{ email: 'kim@example.org' }])) {
   *   console.log(contact.email, answer?.doNotContact.value ?? error?.message);
   * }
   */
  outreachMany<Contact extends OutreachParams>(
    contacts: Iterable<Contact> | AsyncIterable<Contact>,
    options?: CallOptions,
  ): AsyncGenerator<OutreachOutcome<Contact>, void, undefined>;
}

const findFault = createShapeCheck<ContactOutreachResponse>({ doNotContact: 'object' });

export function createContactsResource({ send }: Operations, { now }: CallContext): ContactsResource {
  const contacts: ContactsResource = {
    outreach: ({ email, profileUrls }, options) =>
      send('GET', '/api/v1/contacts/outreach', options, findFault, () => ({
        query: { email, profileUrl: profileUrls },
      })),
    async *outreachMany(source, options) {
      // Loaded on demand, to keep the core small.
      const { outreachMany } = await import('../flows/outreach-many.ts');
      yield* outreachMany({ contacts, now, errors }, source, options);
    },
  };
  return contacts;
}
