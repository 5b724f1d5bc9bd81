import type { PlannedTask } from '@svc/domain/policy/outcomes';
import { asList, asObject, asText } from '../http/answer-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import type { CrmWrite } from '../port/types.ts';
import { asId, readPages, unexpected } from './client.ts';
import { truncateText } from '../events/text-limits.ts';
import { findOnlyDeal } from './deals.ts';
import { type Engagement, SUBJECT_MAX, toReference, toTodo, type WrittenKind, withReference } from './engagements.ts';
import { createOwned, createWithOptional, findActivityOwner } from './owners.ts';
import type { Person } from './persons.ts';
import { createOnce, type PipedriveSession, toRecord, toSince, type Warnings } from './session.ts';
import { readActivityType, refreshActivityTypes } from './settings.ts';
import { partIdentity } from './written-parts.ts';

/** Writes activities and notes of a person, each at most once. */

/** Returns the id of the event's activity or note. @param at its position on the timeline. @throws CrmFailure */
export function writeEngagement(
  session: PipedriveSession,
  write: CrmWrite,
  person: Person,
  engagement: Engagement,
  at: Date,
  warnings: Warnings,
): Promise<number> {
  return writePart(session, write, person, engagement.kind, async (reference) => {
    const html = withReference(engagement.html, reference);
    const dealId = await findOnlyDeal(session, write, person, warnings);
    const ofDeal = dealId === null ? {} : { deal_id: dealId };
    if (engagement.kind === 'note') {
      const isOfCompany = write.plan.associations.company && person.organizationId !== null;
      const optional = { ...ofDeal, ...(isOfCompany ? { org_id: person.organizationId } : {}) };
      return createWithOptional(optional, warnings, (more) => createNote(session, person, html, at, more));
    }
    const { type, subject } = engagement;
    const body = { subject, done: true, ...toDue(at), note: html };
    const ownerId = await findActivityOwner(session, write.plan, warnings);
    return createWithOptional(ofDeal, warnings, (more) =>
      createOwned(ownerId, warnings, (owner) => createActivity(session, person, { ...body, ...more, ...owner }, type)),
    );
  });
}

/** Returns the id of a to-do that is due today. One that was done meanwhile is not opened again. @throws CrmFailure */
export function writeTodo(
  session: PipedriveSession,
  write: CrmWrite,
  person: Person,
  { subject, html }: { subject: string; html: string },
  warnings: Warnings,
): Promise<number> {
  const due = { due_date: session.now().toISOString().slice(0, 10) };
  return createTodo(session, write, person, { subject, html, due }, warnings);
}

/** Returns the id of a to-do that an outcome asks for, with a due time. One per event and subject. @throws CrmFailure */
export function writeTask(
  session: PipedriveSession,
  write: CrmWrite,
  person: Person,
  task: PlannedTask,
  warnings: Warnings,
): Promise<number> {
  const { event, receivedAt } = write;
  const dueAt = new Date((event.occurredAt ?? receivedAt).getTime() + task.dueAfterMs);
  const todo = { ...toTodo(event), subject: truncateText(task.subject, SUBJECT_MAX), due: toDue(dueAt) };
  return createTodo(session, { ...write, idempotencyKey: taskKey(write, task) }, person, todo, warnings);
}

export function taskKey({ idempotencyKey }: Pick<CrmWrite, 'idempotencyKey'>, { subject }: PlannedTask): string {
  return `${idempotencyKey}/task/${subject}`;
}

function createTodo(
  session: PipedriveSession,
  write: CrmWrite,
  person: Person,
  { subject, html, due }: { subject: string; html: string; due: { due_date: string; due_time?: string } },
  warnings: Warnings,
): Promise<number> {
  return writePart(session, write, person, 'todo', async (reference) => {
    const body = {
      subject,
      done: false,
      ...due,
      note: withReference(html, reference),
      ...(person.ownerId === null ? {} : { owner_id: person.ownerId }),
    };
    const ownerId = await findActivityOwner(session, write.plan, warnings);
    return createOwned(ownerId, warnings, (owner) => createActivity(session, person, { ...body, ...owner }, 'task'));
  });
}

/** In UTC, as Pipedrive takes it. */
function toDue(at: Date): { due_date: string; due_time: string } {
  const [date = '', time = ''] = at.toISOString().split('T');
  return { due_date: date, due_time: time.slice(0, 5) };
}

async function writePart(
  session: PipedriveSession,
  { idempotencyKey }: CrmWrite,
  person: Person,
  kind: WrittenKind,
  create: (reference: string) => Promise<number>,
): Promise<number> {
  const reference = toReference(kind, idempotencyKey);
  const identity = partIdentity(kind, idempotencyKey);
  const known = session.records.get(identity);
  if (known !== null) return Number(known.recordId);
  const ownerId = String(person.id);
  return createOnce(session, {
    identity,
    recordType: kind,
    ownerId,
    find: (since) =>
      kind === 'note' ? findNote(session, person, reference, since) : findActivity(session, person, reference, since),
    create: () => create(reference),
    toRecords: (id) => [{ ...toRecord(identity, kind, String(id), session.now()), ownerId }],
  });
}

async function createActivity(
  session: PipedriveSession,
  { id: personId, organizationId }: Person,
  body: object,
  type: 'email' | 'call' | 'task',
): Promise<number> {
  const part = type === 'task' ? 'the to-do' : `the activity (${type})`;
  const call = { operation: 'activities_write', method: 'POST', path: '/api/v2/activities', kind: 'write' } as const;
  const create = async (key: string) => {
    const full = {
      ...body,
      type: key,
      // `person_id` is read-only.
      participants: [{ person_id: personId, primary: true }],
      ...(organizationId === null ? {} : { org_id: organizationId }),
    };
    return toId(await session.client.call({ ...call, body: full, part }), part);
  };
  const key = await readActivityType(session, type);
  try {
    return await create(key);
  } catch (error) {
    if (!(error instanceof CrmFailure && error.isRefusal)) throw error;
    // An admin may have removed the type.
    await refreshActivityTypes(session);
    const other = await readActivityType(session, type);
    if (other === key) throw error;
    return create(other);
  }
}

async function createNote(
  session: PipedriveSession,
  { id }: Person,
  html: string,
  at: Date,
  more: object,
): Promise<number> {
  const part = 'the note';
  const add_time = at.toISOString().slice(0, 19).replace('T', ' ');
  const body = { content: html, person_id: id, add_time, pinned_to_person_flag: 0, ...more };
  const call = { operation: 'notes_write', method: 'POST', path: '/api/v1/notes', kind: 'write' } as const;
  return toId(await session.client.call({ ...call, body, part }), part);
}

async function findActivity(session: PipedriveSession, { id }: Person, reference: string, since: Date) {
  const path = `/api/v2/activities?person_id=${id}&updated_since=${toSince(since)}&limit=500`;
  const call = { operation: 'activities_read', path, part: 'the activities of the person' } as const;
  for await (const { items } of readPages(session.client, call)) {
    const found = items.find((item) => asText(asObject(item)['note'])?.includes(reference));
    if (found !== undefined) return asId(asObject(found)['id']);
  }
  return null;
}

const NOTES_PAGE_SIZE = 100;

async function findNote(session: PipedriveSession, { id }: Person, reference: string, since: Date) {
  const part = 'the notes of the person';
  let start: number | null = 0;
  while (start !== null) {
    const path = `/api/v1/notes?person_id=${id}&updated_since=${toSince(since)}&limit=${NOTES_PAGE_SIZE}&start=${start}`;
    const call = { operation: 'notes_read', method: 'GET', kind: 'list', path, part } as const;
    const { data, additionalData } = await session.client.call(call);
    const found = asList(data).find((item) => asText(asObject(item)['content'])?.includes(reference));
    if (found !== undefined) return asId(asObject(found)['id']);
    const { more_items_in_collection: hasMore, next_start } = asObject(asObject(additionalData)['pagination']);
    const next = hasMore === true ? asId(next_start) : null;
    if (next !== null && next <= start) throw unexpected(part);
    start = next;
  }
  return null;
}

function toId({ data }: { data: unknown }, part: string): number {
  const id = asId(asObject(data)['id']);
  if (id === null) throw unexpected(part);
  return id;
}
