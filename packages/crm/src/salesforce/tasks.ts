import { type Fields } from '../http/answer-values.ts';
import { createHash } from 'node:crypto';
import type { InboundEvent } from '@svc/sequencers';
import type { PlannedTask } from '@svc/domain/policy/outcomes';
import { toPlainText } from '@svc/domain/values/plain-text';
import { type ActivityKind, activityOf } from '../events/activities.ts';
import { toEndFacts, toTaskSubject } from '../events/event-text.ts';
import { truncateText } from '../events/text-limits.ts';
import { EVENT_KEY_FIELD, type SalesforceOrg } from './org.ts';
import type { EventWrite } from './session.ts';

/** Turns events into tasks: a completed one for every event, and an open one for a reply. */

const SUBJECT_MAX = 255;
const DESCRIPTION_MAX = 32_000;

/** The key of the to-do of an event. */
export function toTodoKey(key: string): string {
  return `${key}:todo`;
}

/** The text in `CallObject` that a task is recognized by. */
export function toCallObject(key: string): string {
  return `svc:${key}`;
}

/** The text at the end of a subject that a task is recognized by. */
export function toReference(key: string): string {
  return `[svc:${createHash('sha256').update(key).digest('hex').slice(0, 16)}]`;
}

/** Returns the completed task of an event. */
export function toTask(event: EventWrite, ownerId: string | null, org: SalesforceOrg, whatId: string | null): Fields {
  const { write, at, key, personId } = event;
  const { eventType, subject } = write.event;
  const { kind, label } = activityOf(eventType);
  return {
    WhoId: personId,
    ...(whatId === null ? {} : { WhatId: whatId }),
    ...recognizedBy(key, subject === null ? label : `${label}: ${subject}`, org),
    Description: toDescription(write.event, at),
    ActivityDate: toDay(at),
    Status: org.closedStatus,
    ...(org.fields.Task?.get('TaskSubtype')?.isCreateable === true ? { TaskSubtype: toSubtype(kind) } : {}),
    ...(ownerId === null ? {} : { OwnerId: ownerId }),
  };
}

/** Returns the open task of a reply. Its status is the org's own for new tasks. */
export function toTodo(event: EventWrite, ownerId: string | null, org: SalesforceOrg): Fields {
  const subject = toTaskSubject(event.write.event, SUBJECT_MAX);
  return toOpenTask(event, { key: toTodoKey(event.key), subject, due: event.at, ownerId }, org);
}

/** Returns the key of a to-do that a policy asks for: one per event and subject. */
export function toPlannedKey(key: string, { subject }: PlannedTask): string {
  return `${key}:${createHash('sha256').update(subject).digest('hex').slice(0, 8)}`;
}

/** Returns the open task that a policy asks for. */
export function toPlannedTodo(
  event: EventWrite,
  key: string,
  { subject, dueAfterMs }: PlannedTask,
  ownerId: string | null,
  org: SalesforceOrg,
): Fields {
  return toOpenTask(event, { key, subject, due: new Date(event.at.getTime() + dueAfterMs), ownerId }, org);
}

function toOpenTask(
  { write, at, personId }: EventWrite,
  { key, subject, due, ownerId }: { key: string; subject: string; due: Date; ownerId: string | null },
  org: SalesforceOrg,
): Fields {
  return {
    WhoId: personId,
    ...recognizedBy(key, subject, org),
    Description: toDescription(write.event, at),
    ActivityDate: toDay(due),
    // The owner of a lead can be a queue, which is no user.
    ...(ownerId?.startsWith('005') === true ? { OwnerId: ownerId } : {}),
  };
}

function recognizedBy(key: string, subject: string, { recognition }: SalesforceOrg): Fields {
  const line = subject.replaceAll(/\s+/g, ' ').trim();
  switch (recognition) {
    case 'field':
      return { Subject: truncateText(line, SUBJECT_MAX), [EVENT_KEY_FIELD]: key };
    case 'call_object':
      return { Subject: truncateText(line, SUBJECT_MAX), CallObject: toCallObject(key) };
    case 'subject': {
      const reference = toReference(key);
      return { Subject: `${truncateText(line, SUBJECT_MAX - reference.length - 1)} ${reference}` };
    }
  }
}

function toSubtype(kind: ActivityKind): string {
  switch (kind) {
    case 'mail-sent':
    case 'mail-received':
      return 'Email';
    case 'message':
    case 'invitation':
      return 'LinkedIn';
    case 'call':
      return 'Call';
    case 'note':
      return 'Task';
  }
}

function toDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** Plain text: the time, which a task does not have, the facts of the event, and the message. */
function toDescription(event: InboundEvent, at: Date): string {
  const facts = [
    ['Time', at.toISOString()],
    ['Campaign', event.campaign.name ?? event.campaign.id],
    ['Step', event.sequenceNumber === null ? null : String(event.sequenceNumber)],
    ['Category', event.category?.name ?? null],
    ...toEndFacts(event),
    ...event.linkUrls.map((url) => ['Link', url] as const),
  ] as const;
  const lines = facts.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  // Markup takes room, so more is read of a mail than is kept.
  const text =
    event.bodyText ?? (event.bodyHtml === null ? '' : toPlainText(event.bodyHtml.slice(0, DESCRIPTION_MAX * 4)));
  const body = text.replaceAll('\0', '').trim();
  return truncateText(body === '' ? lines.join('\n') : `${lines.join('\n')}\n\n${body}`, DESCRIPTION_MAX);
}
