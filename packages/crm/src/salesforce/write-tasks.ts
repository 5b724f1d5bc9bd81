import { asText, type Fields } from '../http/answer-values.ts';
import { writeInContactTurns } from '../events/contact-turns.ts';
import type { CrmFailure } from '../http/http-failure.ts';
import type { SalesforceQuery } from './client.ts';
import { EVENT_KEY_FIELD } from './org.ts';
import { activityOwnerOf, type Owners } from './owners.ts';
import type { PersonRecord } from './people.ts';
import { type RepairableRecord, type RepairedResult, writeRepairing } from './repair.ts';
import type { EventWrite, SalesforceSession } from './session.ts';
import { anyOf, contains, isIn } from './soql.ts';
import { isStale } from './stale.ts';
import { toCallObject, toPlannedKey, toPlannedTodo, toReference, toTask, toTodo, toTodoKey } from './tasks.ts';
import { toLongId } from './values.ts';

/**
 * Writes the tasks of events whose person is known, the tasks of one person one after the other. A task is only ever
 * created, so a completed to-do stays completed.
 *
 * With the own field, Salesforce itself refuses a second task of an event. Otherwise the tasks of events that may have been
 * written before are looked up first.
 */

interface TaskWrite {
  event: EventWrite;
  key: string;
  isTodo: boolean;
  record: RepairableRecord;
}

/** What else the tasks of an event belong to. */
interface RelatedRecords {
  owners: Owners;
  recordOf: (event: EventWrite) => PersonRecord | null;
  /** The only open opportunity of the event's contact, when its plan puts tasks on it; null for none. */
  dealOf: (event: EventWrite) => string | null;
}

const PART = 'the task';
/** Only the subtype, the owner and the account or opportunity can be left out. */
const REQUIRED = ['WhoId', 'Subject', 'Description', 'ActivityDate', 'Status', EVENT_KEY_FIELD, 'CallObject'];

export async function writeTasks(
  session: SalesforceSession,
  events: readonly EventWrite[],
  related: RelatedRecords,
): Promise<void> {
  const tasks = events.flatMap((event) => toTaskWrites(session, event, related));
  const known = await findTasks(
    session,
    tasks.filter(({ event }) => event.write.isRepeated),
  );
  for (const task of tasks) {
    const id = known.get(task.key);
    if (id !== undefined) settle(task, id);
  }
  const unfinished = new Set(tasks.map(({ event }) => event));
  for (const event of events) if (!unfinished.has(event)) settleEvent(event);
  const open = tasks.filter(({ key }) => !known.has(key));
  await writeInContactTurns(
    events,
    ({ personId }) => personId,
    (turn) =>
      createTasks(
        session,
        open.filter(({ event }) => turn.includes(event)),
      ),
  );
}

function toTaskWrites({ org }: SalesforceSession, event: EventWrite, related: RelatedRecords): TaskWrite[] {
  const { writes, outcomes } = event.write.plan;
  const ownerId = activityOwnerOf(event, related.owners);
  const toWrite = (key: string, values: Fields, isTodo: boolean): TaskWrite => ({
    event,
    key,
    isTodo,
    record: { type: 'Task', values, required: REQUIRED },
  });
  const todoOwnerId = ownerId ?? related.recordOf(event)?.ownerId ?? null;
  const planned = (outcomes?.tasks ?? []).map((task) => {
    const key = toPlannedKey(event.key, task);
    return toWrite(key, toPlannedTodo(event, key, task, todoOwnerId, org), true);
  });
  // It is there already when only the rest of the event is written again.
  const isMissing = writes.timeline && event.taskId === null;
  return [
    ...(isMissing ? [toWrite(event.key, toTask(event, ownerId, org, whatIdOf(event, related)), false)] : []),
    ...(writes.task ? [toWrite(toTodoKey(event.key), toTodo(event, todoOwnerId, org), true)] : []),
    ...planned,
  ];
}

/** Returns on which record besides the contact a task stands: the opportunity before the account. A task of a lead has none. */
function whatIdOf(event: EventWrite, { recordOf, dealOf }: RelatedRecords): string | null {
  const record = recordOf(event);
  if (record?.type !== 'Contact') return null;
  return dealOf(event) ?? (event.write.plan.associations.company ? record.accountId : null);
}

async function createTasks(session: SalesforceSession, open: readonly TaskWrite[]): Promise<void> {
  const results = await writeRepairing(
    session.client,
    open.map(({ record }) => record),
    {
      operation: 'tasks_create',
      part: PART,
    },
  );
  const nameless: TaskWrite[] = [];
  for (const [index, task] of open.entries()) {
    const result = results[index];
    if (result === undefined) continue;
    const id = writtenId(result);
    const { left } = result;
    if (left !== null && left.fields.includes('WhatId')) task.event.warnings.push(left.failure.error);
    if (id === '') nameless.push(task);
    else if (id !== null) settle(task, id);
    else if (!result.result.isWritten) fail(task, result.result.failure);
  }
  const named = await findTasks(session, nameless);
  for (const task of nameless) settle(task, named.get(task.key) ?? 'unknown');
}

/** Returns the id of a task that is there now, "" when Salesforce does not name it, null when it is not there. */
function writtenId({ result }: RepairedResult): string | null {
  if (result.isWritten) return result.id;
  const { code, message } = result.problem;
  if (code !== 'DUPLICATE_VALUE' || !message.includes(EVENT_KEY_FIELD)) return null;
  return toLongId(/with id: ([a-zA-Z0-9]{15,18})\b/.exec(message)?.[1] ?? '');
}

function settle({ event, isTodo }: TaskWrite, id: string): void {
  if (!isTodo) event.taskId = id;
  settleEvent(event);
}

/** Without its completed task an event is not written, unless its plan has none. */
function settleEvent(event: EventWrite): void {
  event.isSettled ||= event.taskId !== null || !event.write.plan.writes.timeline;
}

/** A refused to-do is only a warning. */
function fail({ event, isTodo }: TaskWrite, failure: CrmFailure): void {
  if (!isTodo || !failure.isRefusal || isStale(failure)) {
    event.failure ??= failure;
    return;
  }
  event.warnings.push(failure.error);
  settleEvent(event);
}

/** Returns the ids of tasks that are there already, by key. */
async function findTasks(
  { client, org }: SalesforceSession,
  tasks: readonly TaskWrite[],
): Promise<ReadonlyMap<string, string>> {
  if (tasks.length === 0) return new Map();
  const people = [...new Set(tasks.flatMap(({ event }) => event.personId ?? []))];
  const ofPeople = isIn('WhoId', people);
  const keys = new Map<string, string>();
  const queries: Record<typeof org.recognition, () => SalesforceQuery> = {
    field: () => {
      for (const { key } of tasks) keys.set(key.toLowerCase(), key);
      return toQuery(`SELECT Id, ${EVENT_KEY_FIELD} FROM Task WHERE ${isIn(EVENT_KEY_FIELD, [...keys.keys()])}`);
    },
    call_object: () => {
      for (const { key } of tasks) keys.set(toCallObject(key).toLowerCase(), key);
      return toQuery(`SELECT Id, CallObject FROM Task WHERE ${ofPeople} AND ${isIn('CallObject', [...keys.keys()])}`);
    },
    subject: () => {
      for (const { key } of tasks) keys.set(toReference(key), key);
      const references = [...keys.keys()].map((reference) => contains('Subject', reference));
      return toQuery(`SELECT Id, Subject FROM Task WHERE ${ofPeople} AND ${anyOf(references)}`);
    },
  };
  const [rows = []] = await client.query([queries[org.recognition]()]);
  return new Map(
    rows.flatMap((row): [string, string][] => {
      const key = keys.get(keyOf(row, org.recognition));
      const id = asText(row['Id']);
      return key === undefined || id === null ? [] : [[key, id]];
    }),
  );
}

function keyOf(row: Fields, recognition: 'field' | 'call_object' | 'subject'): string {
  if (recognition === 'field') return (asText(row[EVENT_KEY_FIELD]) ?? '').toLowerCase();
  if (recognition === 'call_object') return (asText(row['CallObject']) ?? '').toLowerCase();
  return /\[svc:[0-9a-f]{16}\]/.exec(asText(row['Subject']) ?? '')?.[0] ?? '';
}

function toQuery(soql: string): SalesforceQuery {
  return { soql: `${soql} ORDER BY CreatedDate, Id`, part: 'the search for earlier tasks' };
}
