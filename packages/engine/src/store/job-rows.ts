/** SQL that connects jobs with the rows that they are about, derived from the table of kinds (`jobs/kinds.ts`). */
import {
  JOB_SUBJECTS,
  type JobKind,
  type JobLog,
  KEYED_BY,
  kindsSql,
  listKinds,
  PROCESS_RECEIPT,
  refNumberSql,
  type Removable,
  rulesOf,
  type SubjectTable,
} from '../jobs/kinds.ts';
import { UNREAD } from './receipts.ts';

/** The queue, and the jobs that were set aside. Each is locked in the order of these columns, so that two transactions never wait for each other. */
const JOB_TABLES = { jobs: 'id', set_aside_jobs: 'kind, ref' };

/**
 * Returns the statements that delete the jobs which a removal ends. `$1` is the id of the removed row. Receipts that wait get the outcome of those that
 * nobody will read, because without their job they would count as read; those whose job was set aside have their outcome.
 */
export function deleteRemovedJobs(removable: Removable): readonly string[] {
  return Object.entries(JOB_TABLES).flatMap(([table, key]) => {
    const where = removedJobs(removable, table);
    if (where === null) return [];
    const locked = `with locked as materialized (select ${key} from ${table} where ${where} order by ${key} for update)`;
    const deleted = `delete from ${table} where (${key}) in (select ${key} from locked)`;
    if (table !== 'jobs') return `${locked} ${deleted}`;
    return `${locked}, gone as (${deleted} returning kind, ref)
      update requests set ${UNREAD} from gone where requests.id = ${refNumberSql([PROCESS_RECEIPT], 'gone')}`;
  });
}

/** Returns the condition on a table of jobs for those that a removal ends; null when it ends none. */
function removedJobs(removable: Removable, table: string): string | null {
  const kinds = listKinds(({ removedWith }) => removedWith[removable] !== undefined);
  const byCondition = Map.groupBy(kinds, (kind) => removedCondition(kind, removable));
  const conditions = [...byCondition].map(([condition, same]) => {
    const isOfThem = condition.replace('$subject', subjectOf(same, table));
    return `(${table}.kind in (${kindsSql(same)}) and ${isOfThem})`;
  });
  return conditions.length === 0 ? null : conditions.join(' or ');
}

/** Returns the condition of a kind, in which `$subject` stands for the id of the job's subject. */
function removedCondition(kind: JobKind, removable: Removable): string {
  const { removedWith, fairnessKey, subject } = rulesOf(kind);
  const { ownedBy }: { ownedBy: Readonly<Partial<Record<Removable, string>>> } = JOB_SUBJECTS[subject];
  const byKey = removedWith[removable] === 'key';
  const condition = byKey ? KEYED_BY[fairnessKey][removable] : ownedBy[removable];
  if (condition === undefined) {
    throw new Error(`jobs/kinds.ts does not say which ${subject} or keys a removed ${removable} has (${kind}).`);
  }
  return byKey ? condition : `exists (select from ${subject} s where s.id = $subject and s.${condition})`;
}

/** Returns SQL for the id of the subject of jobs of these kinds, which have their subjects in one table; null for other jobs. */
function subjectOf(kinds: readonly JobKind[], jobs: string): string {
  const [first] = kinds;
  if (first === undefined) throw new Error('There are no kinds.');
  return JOB_SUBJECTS[rulesOf(first).subject].id === 'text'
    ? `case when ${jobs}.kind in (${kindsSql(kinds)}) then ${jobs}.ref end`
    : refNumberSql(kinds, jobs);
}

/** Returns what follows `select from` for each way in which jobs need rows of a log from before `$1`. */
export function jobsNeeding(log: JobLog): readonly string[] {
  return subjectTables().flatMap(({ table, logs, kinds }) => {
    const column = logs[log];
    if (column === undefined) return [];
    const subject = `jobs j join ${table} s on s.id = ${subjectOf(kinds, 'j')}`;
    return table === log
      ? [`${subject} where s.created_at < $1`]
      : [`${subject} join ${log} l on l.id = s.${column} where l.created_at < $1`];
  });
}

function subjectTables(): { table: SubjectTable; logs: Readonly<Partial<Record<JobLog, string>>>; kinds: JobKind[] }[] {
  return [...Map.groupBy(listKinds(), (kind) => rulesOf(kind).subject)].map(([table, kinds]) => ({
    ...{ table, kinds },
    logs: JOB_SUBJECTS[table].logs,
  }));
}

/** SQL for the first event that a job still needs; null when none does. */
export const FIRST_NEEDED_EVENT = `(select min(${refNumberSql(
  listKinds(({ subject }) => subject === 'inbound_events'),
  'jobs',
)}) from jobs)`;

/**
 * Returns SQL that selects kind and ref of the jobs that go when the data of a person in rows of this table is erased. `$1`
 * has the ids of these rows.
 */
export function erasedJobsSql(table: 'inbound_events' | 'syncs' | 'deliveries'): string {
  return listKinds(({ erasedWith }) => erasedWith === table)
    .map((kind) => {
      const { subject, refEnd } = rulesOf(kind);
      if (subject === 'relay_mails')
        return `select '${kind}', m.id::text from relay_mails m where m.event_id = any($1)`;
      if (refEnd === null) return `select '${kind}', erased.id::text from unnest($1::bigint[]) as erased (id)`;
      return `select '${kind}', e.id || '/' || d.id from inbound_events e
        join destinations d on d.connection_id = e.connection_id where e.id = any($1)`;
    })
    .join(' union all ');
}
