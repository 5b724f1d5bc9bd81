import { SEQUENCER_EVENT_TYPES, type SequencerEventType, type TouchFlags } from '@svc/contract/vocabulary';
import type { InboundEvent } from '@svc/sequencers';
import { writerNameOf } from '@svc/domain/contacts/event-contact';
import { toPlainText } from '@svc/domain/values/plain-text';
import { escapeHtml, truncateHtml, truncateText } from './text-limits.ts';

/** What an event says, as text for a CRM. */

/** Returns whether the contact answered, which creates a task for a sales rep. */
export function isReply(eventType: string): boolean {
  return isVocabulary(eventType) && (SEQUENCER_EVENT_TYPES[eventType] as TouchFlags).replied === true;
}

/** Returns the subject of a sales rep's task, at most `maxLength` long. */
export function toTaskSubject(event: InboundEvent, maxLength: number): string {
  return truncateText(`Reply from ${writerNameOf(event)}`, maxLength);
}

/** Returns who wrote the message of an event and who received it; null for what the contact's own record says. */
export function toEndFacts({ eventType, fromEmail, replySender }: InboundEvent): (readonly [string, string | null])[] {
  if (!isReply(eventType)) return [['From', fromEmail]];
  const from = replySender && [replySender.name, `<${replySender.email}>`].filter((part) => part !== null);
  return [
    ['From', from?.join(' ') ?? null],
    ['To', fromEmail],
  ];
}

const LABELS: Partial<Record<SequencerEventType, string>> = {
  EMAIL_OPEN: 'Email opened',
  EMAIL_LINK_CLICK: 'Link clicked',
  EMAIL_OPEN_BY_BOT: 'Email opened by a bot',
  EMAIL_LINK_CLICK_BY_BOT: 'Link clicked by a bot',
  EMAIL_BOUNCE: 'Email bounced',
  LEAD_UNSUBSCRIBED: 'Unsubscribed',
  LEAD_CATEGORY_UPDATED: 'Category changed',
  MESSAGE_REPLY: 'Reply to message',
  INMAIL_SENT: 'InMail sent',
  INMAIL_REPLY: 'Reply to InMail',
};

/** `PROFILE_VIEWED` becomes "Profile viewed". */
export function toEventLabel(eventType: string): string {
  const label = isVocabulary(eventType) ? LABELS[eventType] : undefined;
  const words = eventType.toLowerCase().replaceAll('_', ' ');
  return label ?? words.charAt(0).toUpperCase() + words.slice(1);
}

function isVocabulary(eventType: string): eventType is SequencerEventType {
  return Object.hasOwn(SEQUENCER_EVENT_TYPES, eventType);
}

/** Returns what happened as HTML: the label, the facts of the event, and `body` (HTML). At most `maxLength` long. */
export function toNoteHtml(event: InboundEvent, body: string, maxLength: number): string {
  const facts = [
    ['Campaign', event.campaign.name ?? event.campaign.id],
    ['Step', event.sequenceNumber === null ? null : String(event.sequenceNumber)],
    ['Category', event.category?.name ?? null],
    ['Subject', event.subject],
    ...toEndFacts(event),
    ...event.linkUrls.map((url) => ['Link', url] as const),
  ] as const;
  const lines = facts.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${escapeHtml(value)}`]));
  const head = `<p><strong>${escapeHtml(toEventLabel(event.eventType))}</strong></p>`;
  const html = `${head}${lines.length === 0 ? '' : `<p>${lines.join('<br>')}</p>`}${body}`;
  return truncateHtml(html, maxLength);
}

/** Returns the message as HTML. Outside of an email, the sender's markup is shown as text. */
export function bodyAsHtml({ bodyText, bodyHtml }: InboundEvent, maxLength: number): string {
  const text = bodyText ?? (bodyHtml === null ? null : toPlainText(bodyHtml.slice(0, maxLength * 4)));
  if (text === null || text === '') return '';
  return `<p>${escapeHtml(truncateText(text, maxLength)).replaceAll(/\r?\n/g, '<br>')}</p>`;
}
