import { asText, type Fields } from '../http/answer-values.ts';
import { writeInContactTurns } from '../events/contact-turns.ts';
import type { CrmFailure } from '../http/http-failure.ts';
import { EVENT_KEY_FIELD, type Recognition } from './org.ts';
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

/** How a task is searched whose event may have been written before. */
interface Search {
  column: string;
  /** Returns what the column has in a task with this key. */
  textOf: (key: string) => string;
  /** Reads that from a value of the column. */
  read: (value: string) => string;
  condition: (texts: readonly string[], ofPeople: string) => string;
}

const SEARCHES: Readonly<Record<Recognition, Search>> = {
  field: {
    column: EVENT_KEY_FIELD,
    textOf: (key) => key.toLowerCase(),
    read: (value) => value.toLowerCase(),
    condition: (texts) => isIn(EVENT_KEY_FIELD, texts),
  },
  call_object: {
    column: 'CallObject',
    textOf: (key) => toCallObject(key).toLowerCase(),
    read: (value) => value.toLowerCase(),
    condition: (texts, ofPeople) => `(${ofPeople} AND ${isIn('CallObject', texts)})`,
  },
  subject: {
    column: 'Subject',
    textOf: toReference,
    read: (value) => /\[svc:[0-9a-f]{16}\]/.exec(value)?.[0] ?? '',
    condition: (texts, ofPeople) =>
      `(${ofPeople} AND ${anyOf(texts.map((reference) => contains('Subject', reference)))})`,
  },
};

/**
 * Returns the ids of tasks that are there already, by key. An org that has the field now may have been without it when the task was
 * written.
 */
async function findTasks(
  { client, org }: SalesforceSession,
  tasks: readonly TaskWrite[],
): Promise<ReadonlyMap<string, string>> {
  if (tasks.length === 0) return new Map();
  const ofPeople = isIn('WhoId', [...new Set(tasks.flatMap(({ event }) => event.personId ?? []))]);
  const searches = [...new Set([org.recognition, org.formerRecognition])].map((recognition) => {
    const search = SEARCHES[recognition];
    return { ...search, keys: new Map(tasks.map(({ key }) => [search.textOf(key), key])) };
  });
  const columns = searches.map(({ column }) => column).join(', ');
  const conditions = searches.map(({ condition, keys }) => condition([...keys.keys()], ofPeople));
  const soql = `SELECT Id, ${columns} FROM Task WHERE ${anyOf(conditions)} ORDER BY CreatedDate, Id`;
  const [rows = []] = await client.query([{ soql, part: 'the search for earlier tasks' }]);
  return new Map(
    rows.flatMap((row) =>
      searches.flatMap(({ column, read, keys }): [string, string][] => {
        const key = keys.get(read(asText(row[column]) ?? ''));
        const id = asText(row['Id']);
        return key === undefined || id === null ? [] : [[key, id]];
      }),
    ),
  );
}
