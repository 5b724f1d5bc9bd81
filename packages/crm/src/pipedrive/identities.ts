import type { InboundEvent } from '@svc/sequencers';
import { emailOf, profileUrlOf } from '@svc/domain/contacts/event-contact';

/** By what the person of an event is known. */

/** Pipedrive's longest value of a field of type `varchar`. */
const FIELD_MAX_LENGTH = 255;

/** Returns the profile URL; null when there is none that the field can hold. */
export function usableProfileUrl(event: InboundEvent): string | null {
  const url = profileUrlOf(event);
  return url === null || url.length > FIELD_MAX_LENGTH ? null : url;
}

/** The identities of an event's person; the deciding identity comes first. */
export function personIdentities(event: InboundEvent): string[] {
  const [email, url] = [emailOf(event), usableProfileUrl(event)];
  const identities = [email === null ? [] : `email:${email}`, url === null ? [] : `url:${url}`].flat();
  // A handle that is no usable URL.
  return identities.length === 0 ? [`handle:${event.toEmail.slice(0, 500)}`] : identities;
}

/** The last part of a profile URL. */
export function toHandle(url: string): string {
  return url.split('/').findLast((part) => part !== '') ?? url;
}
