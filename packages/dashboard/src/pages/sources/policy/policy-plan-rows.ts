/** What a dry run says of one event, as rows that can be compared with those of another policy. */
import type { AdminResult } from '../../../data/operations.ts';

export type TriedWrite = AdminResult<'sources/try-policy'>['writes'][number];

interface PlanRow {
  readonly name: string;
  readonly text: string;
  /** What is long: the body of a call. */
  readonly detail?: string;
}

export interface ComparedRow {
  readonly name: string;
  /** Null: only the other policy has it. */
  readonly before: PlanRow | null;
  readonly after: PlanRow | null;
  readonly differs: boolean;
}

const DECISIONS: Readonly<Record<TriedWrite['decision'], string>> = {
  written: 'written',
  held: 'waits until its lead is released, and is then written so',
  nothing: 'not written: a rule says that nothing of it is',
};

/** @param contact whether the CRM has the contact */
export function planRows(write: TriedWrite, contact: 'known' | 'unknown'): PlanRow[] {
  const { decision, plan, fields, lastValues, outcome, calls } = write;
  const rows: PlanRow[] = [{ name: 'Event', text: DECISIONS[decision] }];
  if (decision === 'nothing') return rows;
  const add = (name: string, text: string | null, detail?: string) => {
    if (text !== null) rows.push({ name, text, ...(detail === undefined ? {} : { detail }) });
  };
  const { writes, mayCreate, owner, associations, outcomes } = plan;
  if (outcome !== null)
    add('Result', outcome.status === 'success' ? 'success' : `${outcome.status}: ${outcome.error.message}`);
  add('Contact', contact === 'known' ? 'matched' : mayCreate ? 'created' : 'not created, so nothing is written');
  add('Timeline entry', yesOrNo(writes.timeline));
  add('Details of the contact', yesOrNo(writes.fields));
  add('Task for the reply', yesOrNo(writes.task));
  add('Company', yesOrNo(plan.company));
  add('Bounces and opt-outs', yesOrNo(plan.stateFields));
  if (owner !== null) {
    const kinds = [
      ...(owner.contact === 'never' ? [] : [`contacts (${owner.contact})`]),
      ...(owner.activities ? ['activities'] : []),
      ...(owner.companies ? ['companies'] : []),
    ];
    add('Owner', `the first user of ${owner.candidates.join(', ')}; of ${kinds.join(', ') || 'nothing'}`);
  } else add('Owner', 'none');
  const places = Object.entries(associations).flatMap(([place, isWanted]) => (isWanted ? [place] : []));
  if (places.length > 0) add('The entry is also on', places.join(', '));
  for (const { property, write: way, value, valueOfNew } of fields) {
    const shown = contact === 'known' ? value : valueOfNew;
    add(`Field ${property}`, shown === null ? 'no value' : `${String(shown)} (${way})`);
  }
  for (const [name, value] of Object.entries(lastValues ?? {})) add(`Last value ${name}`, String(value));
  if (outcomes !== null) {
    add('Lead status', outcomes.leadStatus);
    add('Lifecycle stage', outcomes.lifecycleStage);
    for (const { id, status } of outcomes.campaigns) add(`Campaign ${id}`, status ?? 'member');
    for (const list of outcomes.lists) add(`List ${list}`, 'added');
    for (const deal of outcomes.deals)
      add(`Deal in ${deal.pipeline ?? 'the first pipeline'}`, `${deal.stage}: ${deal.name}`);
    for (const { subject, dueAfterMs } of outcomes.tasks)
      add(`Task ${subject}`, `due after ${dueAfterMs / 3_600_000} h`);
  }
  for (const [index, { method, path, body }] of calls.entries()) {
    add(`Call ${index + 1}`, `${method} ${path}`, body === null ? undefined : toText(body));
  }
  return rows;
}

/** Puts the rows of two policies side by side, in the order of the second one; those that only the first has stand where they were. */
export function comparePlans(before: readonly PlanRow[], after: readonly PlanRow[]): ComparedRow[] {
  const names = after.map(({ name }) => name);
  for (const [index, { name }] of before.entries()) {
    if (names.includes(name)) continue;
    const former = before[index - 1]?.name;
    names.splice(former === undefined ? 0 : names.indexOf(former) + 1, 0, name);
  }
  return names.map((name): ComparedRow => {
    const old = before.find((row) => row.name === name) ?? null;
    const next = after.find((row) => row.name === name) ?? null;
    return { name, before: old, after: next, differs: old?.text !== next?.text || old?.detail !== next?.detail };
  });
}

function yesOrNo(isSo: boolean): string {
  return isSo ? 'yes' : 'no';
}

function toText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body, null, 2);
}
