import type { InboundEvent } from '@svc/sequencers';
import { isReply } from '@svc/domain/policy/is-reply';
import { writerNameOf } from '@svc/domain/contacts/event-contact';
import { toPlainText } from '@svc/domain/values/plain-text';
import { activityOf } from './activities.ts';
import { escapeHtml, truncateHtml, truncateText } from './text-limits.ts';

/** What an event says, as text for a CRM. */

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
  const head = `<p><strong>${escapeHtml(activityOf(event.eventType).label)}</strong></p>`;
  const html = `${head}${lines.length === 0 ? '' : `<p>${lines.join('<br>')}</p>`}${body}`;
  return truncateHtml(html, maxLength);
}

/** Returns the message as HTML. Outside of an email, the sender's markup is shown as text. */
export function bodyAsHtml({ bodyText, bodyHtml }: InboundEvent, maxLength: number): string {
  const text = bodyText ?? (bodyHtml === null ? null : toPlainText(bodyHtml.slice(0, maxLength * 4)));
  if (text === null || text === '') return '';
  return `<p>${escapeHtml(truncateText(text, maxLength)).replaceAll(/\r?\n/g, '<br>')}</p>`;
}
