import { createHash } from 'node:crypto';
import type { InboundEvent } from '@svc/sequencers';
import type { CrmWrite } from '../port/types.ts';
import { activityOf } from '../events/activities.ts';
import { bodyAsHtml, toNoteHtml, toTaskSubject } from '../events/event-text.ts';
import { truncateHtml, truncateText } from '../events/text-limits.ts';

/**
 * Turns an event into an engagement on the contact's timeline.
 *
 * - A sent or answered mail is an email with its direction.
 * - A message on a social network is a communication; a call is a call.
 * - Any other event (open, click, bounce, category, unmapped) is a note.
 */

/** Longest text HubSpot stores in one property. */
const HUBSPOT_TEXT_MAX = 65_536;
const SUBJECT_MAX = 1_000;
/** Long enough to show the cause of a bounce without the returned mail. */
const NOTE_EXCERPT_MAX = 4_000;

export interface Engagement {
  objectType: 'emails' | 'notes' | 'communications' | 'calls';
  properties: Record<string, string>;
}

/**
 * Returns the value of the unique property that makes a write repeatable. Kept readable if possible; hashed when
 * HubSpot, which ignores case in unique values, could confuse two keys.
 */
export function toUniqueKey(idempotencyKey: string): string {
  return /^[a-z0-9][a-z0-9_:./-]{0,199}$/.test(idempotencyKey)
    ? idempotencyKey
    : createHash('sha256').update(idempotencyKey).digest('hex');
}

/** @param at when the event happened, which is its position on the timeline */
export function toEngagement(event: InboundEvent, at: Date): Engagement {
  const hs_timestamp = at.toISOString();
  const { kind, label } = activityOf(event.eventType);
  switch (kind) {
    case 'mail-sent':
      return { objectType: 'emails', properties: { hs_timestamp, ...toEmail(event, 'EMAIL') } };
    case 'mail-received':
      return { objectType: 'emails', properties: { hs_timestamp, ...toEmail(event, 'INCOMING_EMAIL') } };
    case 'message':
      return {
        objectType: 'communications',
        properties: {
          hs_timestamp,
          hs_communication_channel_type: 'LINKEDIN_MESSAGE',
          hs_communication_logged_from: 'CRM',
          hs_communication_body: toNoteHtml(event, bodyAsHtml(event, HUBSPOT_TEXT_MAX), HUBSPOT_TEXT_MAX),
        },
      };
    case 'call':
      return {
        objectType: 'calls',
        properties: {
          hs_timestamp,
          hs_call_title: truncateText(event.subject ?? label, SUBJECT_MAX),
          hs_call_body: toNoteHtml(event, bodyAsHtml(event, HUBSPOT_TEXT_MAX), HUBSPOT_TEXT_MAX),
          hs_call_direction: 'OUTBOUND',
          hs_call_status: 'COMPLETED',
        },
      };
    case 'invitation':
    case 'note':
      return {
        objectType: 'notes',
        properties: {
          hs_timestamp,
          hs_note_body: toNoteHtml(event, bodyAsHtml(event, NOTE_EXCERPT_MAX), HUBSPOT_TEXT_MAX),
        },
      };
  }
}

/** Returns the tasks of an event: that of a reply, and those of its outcomes, each with the key of the event and of its subject. */
export function toTasks(
  { event, plan, idempotencyKey }: CrmWrite,
  at: Date,
): { id: string; properties: Record<string, string> }[] {
  const reply = plan.writes.task ? [{ id: toUniqueKey(idempotencyKey), properties: toTask(event, at) }] : [];
  const others = (plan.outcomes?.tasks ?? []).map(({ subject, dueAfterMs }) => {
    const id = createHash('sha256')
      .update(JSON.stringify([idempotencyKey, subject]))
      .digest('hex');
    const due = new Date(at.getTime() + dueAfterMs).toISOString();
    return { id, properties: { ...toTask(event, at), hs_timestamp: due, hs_task_subject: subject } };
  });
  return [...reply, ...others];
}

/**
 * Returns the properties of a sales rep's task. Without a status: HubSpot starts it as open, and a repeated write must
 * not reopen a completed one.
 */
function toTask(event: InboundEvent, at: Date): Record<string, string> {
  return {
    hs_timestamp: at.toISOString(),
    hs_task_subject: toTaskSubject(event, SUBJECT_MAX),
    hs_task_body: toNoteHtml(event, bodyAsHtml(event, NOTE_EXCERPT_MAX), HUBSPOT_TEXT_MAX),
    hs_task_priority: 'MEDIUM',
    hs_task_type: 'TODO',
  };
}

function toEmail(event: InboundEvent, direction: 'EMAIL' | 'INCOMING_EMAIL'): Record<string, string> {
  const lead = { email: event.toEmail };
  const writer = { email: event.replySender?.email ?? event.toEmail };
  const own = event.fromEmail === null ? [] : [{ email: event.fromEmail }];
  const [from, to] = direction === 'EMAIL' ? [own[0], [lead]] : [writer, own];
  return {
    hs_email_direction: direction,
    hs_email_status: 'SENT',
    hs_email_subject: truncateText(event.subject ?? '(no subject)', SUBJECT_MAX),
    ...(event.bodyHtml === null ? {} : { hs_email_html: truncateHtml(event.bodyHtml, HUBSPOT_TEXT_MAX) }),
    ...(event.bodyText === null ? {} : { hs_email_text: truncateText(event.bodyText, HUBSPOT_TEXT_MAX) }),
    // A sender that is not known is left out: HubSpot's headers have no null.
    hs_email_headers: JSON.stringify({ from, to, cc: [], bcc: [] }),
  };
}
