import type { OutcomePlan } from '@svc/domain/policy/outcomes';
import { CrmFailure } from '../http/http-failure.ts';
import type { CrmWrite } from '../port/types.ts';
import { ensureDeal } from './deals.ts';
import { readPerson } from './person.ts';
import { patchPerson } from './person-details.ts';
import { findLabelId, forgetPersonFields } from './person-fields.ts';
import { type Person, rememberMark } from './persons.ts';
import { type PipedriveSession, tryOptionalPart, type Warnings } from './session.ts';
import { writeTask } from './timeline.ts';

/**
 * What an event changes besides the timeline: a label of the person, a deal, to-dos. Each is an optional part, and none is made again when
 * the event is repeated. Pipedrive has no lifecycle stages, campaigns with members, or lists.
 */
export async function writeOutcomes(
  session: PipedriveSession,
  write: CrmWrite,
  person: Person,
  outcomes: OutcomePlan,
  warnings: Warnings,
): Promise<void> {
  const { leadStatus, deals, tasks } = outcomes;
  if (leadStatus !== null)
    await tryOptionalPart(warnings, () => addLabel(session, write, person, leadStatus, warnings));
  for (const deal of deals) await tryOptionalPart(warnings, () => ensureDeal(session, write, person, deal, warnings));
  for (const task of tasks) await tryOptionalPart(warnings, () => writeTask(session, write, person, task, warnings));
  const missing = unsupportedParts(outcomes);
  if (missing.length > 0) {
    const message = `Pipedrive has no ${missing.join(', ')}: the outcome is left out`;
    warnings.push({ code: 'not_supported', message, httpStatus: null });
  }
}

function unsupportedParts({ lifecycleStage, campaigns, lists }: OutcomePlan): string[] {
  return [
    ...(lifecycleStage === null ? [] : ['lifecycle stages']),
    ...(campaigns.length === 0 ? [] : ['members of campaigns']),
    ...(lists.length === 0 ? [] : ['lists']),
  ];
}

/** Labels are added, never removed: a write replaces the whole list, so the person is read first. */
async function addLabel(
  session: PipedriveSession,
  { event }: CrmWrite,
  person: Person,
  label: string,
  warnings: Warnings,
): Promise<void> {
  const id = await findLabelId(session, label);
  if (id === null) {
    const message = `Pipedrive shows no person label "${label}" to the user of the token`;
    warnings.push({ code: 'unknown_lead_status', message, httpStatus: null });
    return;
  }
  const mark = `label:${id}` as const;
  if (person.settled.has(mark)) return;
  const details = await readPerson(session.client, person.id);
  if (details === null) return;
  if (!details.labelIds.includes(id)) {
    try {
      await patchPerson(session, person.id, { label_ids: [...details.labelIds, id] }, 'the label of the person');
    } catch (error) {
      // The label may be deleted.
      if (error instanceof CrmFailure && error.isRefusal) await forgetPersonFields(session);
      throw error;
    }
  }
  await rememberMark(session, event, person, mark);
}
