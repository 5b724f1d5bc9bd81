import { createHash } from 'node:crypto';
import type { InboundEvent } from '@svc/sequencers';
import { activityOf } from '../events/activities.ts';
import { bodyAsHtml, toNoteHtml, toTaskSubject } from '../events/event-text.ts';
import { truncateText } from '../events/text-limits.ts';
import type { ActivityType } from './settings.ts';

/**
 * Turns an event into an activity or a note of the person.
 *
 * - A sent or answered mail and a call are activities that are done. Pipedrive has no call that creates a mail.
 * - Any other event is a note.
 *
 * Neither has writable fields of our own, so a reference is the last line of the text: visible, because Pipedrive removes
 * comments and attributes.
 */

/** Below the 100,000 characters that others saw as the limit. */
const TEXT_MAX = 60_000;
export const SUBJECT_MAX = 255;
/** Long enough to show the cause of a bounce without the returned mail. */
const NOTE_EXCERPT_MAX = 4_000;

export type Engagement =
  | { kind: 'activity'; type: ActivityType; subject: string; html: string }
  | { kind: 'note'; html: string };

export type WrittenKind = 'activity' | 'note' | 'todo';

/** Returns the text by which a written part of an event is recognized: `svc:` and 20 hex digits. */
export function toReference(kind: WrittenKind, idempotencyKey: string): string {
  const hash = createHash('sha256').update(`${kind}/${idempotencyKey}`).digest('hex');
  return `svc:${hash.slice(0, 20)}`;
}

export function toEngagement(event: InboundEvent): Engagement {
  const { kind, label } = activityOf(event.eventType);
  switch (kind) {
    case 'mail-sent':
    case 'mail-received': {
      const subject = kind === 'mail-received' ? `Reply: ${event.subject ?? '(no subject)'}` : event.subject;
      return { kind: 'activity', type: 'email', subject: toSubject(subject ?? label), html: toText(event, TEXT_MAX) };
    }
    case 'call':
      return {
        kind: 'activity',
        type: 'call',
        subject: toSubject(event.subject ?? label),
        html: toText(event, TEXT_MAX),
      };
    case 'message':
      return { kind: 'note', html: toText(event, TEXT_MAX) };
    case 'invitation':
    case 'note':
      return { kind: 'note', html: toText(event, NOTE_EXCERPT_MAX) };
  }
}

/** The text of a to-do for a sales rep. */
export function toTodo(event: InboundEvent): { subject: string; html: string } {
  return { subject: toTaskSubject(event, SUBJECT_MAX), html: toText(event, NOTE_EXCERPT_MAX) };
}

export function withReference(html: string, reference: string): string {
  return `${html}<p>Ref ${reference}</p>`;
}

function toText(event: InboundEvent, maxLength: number): string {
  return toNoteHtml(event, bodyAsHtml(event, maxLength), TEXT_MAX);
}

function toSubject(text: string): string {
  return truncateText(text, SUBJECT_MAX);
}
