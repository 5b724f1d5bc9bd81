import type { RelayedReply } from './relay-reply.ts';

/** Returns a reply by mail, for tests. */
export function someReply({
  contact,
  ...fields
}: Partial<Omit<RelayedReply, 'contact'>> & { contact?: Partial<RelayedReply['contact']> } = {}): RelayedReply {
  return {
    eventType: 'EMAIL_REPLY',
    toEmail: 'kim@lead.example',
    contact: {
      email: fields.toEmail ?? 'kim@lead.example',
      profileUrl: null,
      firstName: 'Kim',
      lastName: 'Lee',
      companyName: null,
      jobTitle: null,
      phone: null,
      ...contact,
    },
    fromEmail: 'box@acme.example',
    replySender: null,
    campaign: { id: '5', name: 'Spring' },
    subject: 'Hello',
    bodyHtml: null,
    bodyText: 'Yes, please.',
    messageId: '<reply-1@lead.example>',
    answeredMessageId: '<sent-1@acme.example>',
    category: null,
    ...fields,
  };
}
