import { BLANK_CONTACT, type InboundEvent } from '@svc/sequencers';

/** An event that a mail was sent to Kim Berg of Fjord. */
export function inboundEvent(changes: Partial<InboundEvent> = {}): InboundEvent {
  return {
    eventKey: 'k1',
    eventType: 'EMAIL_SENT',
    toEmail: 'kim@fjord.example.org',
    occurredAt: new Date('2026-03-01T10:00:00.000Z'),
    contact: {
      ...BLANK_CONTACT,
      email: 'kim@fjord.example.org',
      firstName: 'Kim',
      lastName: 'Berg',
      companyName: 'Fjord',
    },
    fromEmail: 'rep@example.com',
    replySender: null,
    campaign: { id: '7', name: 'Spring <2026>' },
    subject: 'Route planning',
    bodyHtml: '<p>Hello Kim</p>',
    bodyText: null,
    messageId: '<m1@example.com>',
    answeredMessageId: null,
    category: null,
    linkUrls: [],
    sequenceNumber: 1,
    ...changes,
  };
}
