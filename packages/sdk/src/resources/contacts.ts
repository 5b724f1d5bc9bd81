import type { ContactOutreachResponse } from '@svc/contract/types';
import type { ApiPromise, CallContext } from '../calls/call.ts';
import type { CallOptions } from '../http/fetch.ts';
import { errors, type Operations } from './operations.ts';
import type { OutreachOutcome, OutreachParams } from '../flows/outreach-many.ts';
import { createShapeCheck } from '../calls/shape.ts';

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
  /**
   * Looks up any number of contacts, up to eight at the same time and at the pace of the rate limit. Outcomes come in the order of
   * the contacts, each with the contact that was given, whatever else that holds. Neither all contacts nor all outcomes are
   * in memory at once.
   *
   * A contact that the service refuses (400, 413, 414, 431) or fails at (5xx, after the retries) has an `error` in place of an
   * `answer`, and the others go on. A contact that comes twice is asked for twice.
   *
   * @throws what concerns all contacts: the key, the network, the limit after its retries, the fifth 5xx in a row
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
      // Loaded when it is called: the core stays small for those who never do.
      const { outreachMany } = await import('../flows/outreach-many.ts');
      yield* outreachMany({ contacts, now, errors }, source, options);
    },
  };
  return contacts;
}
