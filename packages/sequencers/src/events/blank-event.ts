import type { InboundContact, InboundEvent } from './types.ts';

export const BLANK_CONTACT: Readonly<InboundContact> = {
  email: null,
  profileUrl: null,
  firstName: null,
  lastName: null,
  companyName: null,
  companyDomain: null,
  jobTitle: null,
  phone: null,
  custom: {},
  tags: [],
  leadId: null,
  leadUrl: null,
};

/** Returns an event with the given fields, and null or nothing in the others. For platforms that send few of them. */
export function withBlanks(
  known: Pick<InboundEvent, 'eventKey' | 'eventType' | 'toEmail' | 'occurredAt' | 'contact'> & Partial<InboundEvent>,
): InboundEvent {
  return {
    fromEmail: null,
    replySender: null,
    campaign: { id: null, name: null },
    subject: null,
    bodyHtml: null,
    bodyText: null,
    messageId: null,
    answeredMessageId: null,
    category: null,
    linkUrls: [],
    sequenceNumber: null,
    ...known,
  };
}
