import { findOption } from '../events/field-values.ts';
import type { Fields } from '../http/answer-values.ts';
import type { PersonType, SalesforceOrg } from './org.ts';
import { type EventWrite, isOpen, warnEvents } from './session.ts';

/** The outcomes of a policy that are fields of the person: in Salesforce the status of a lead. */

/** Returns the status that these events give a lead: that of the last one that has some. Contacts have none. */
export function statusOf(type: PersonType, events: readonly EventWrite[], org: SalesforceOrg): Fields {
  for (const event of events) warnOfUnsupported(event);
  const last =
    type === 'Lead' ? events.filter((event) => isOpen(event) && wantedStatus(event) !== null).at(-1) : undefined;
  const wanted = last === undefined ? null : wantedStatus(last);
  if (last === undefined || wanted === null) return {};
  const field = org.fields.Lead?.get('Status');
  const status = field?.isUpdateable === true ? findOption(field.options, wanted) : null;
  if (status !== null) return { Status: status };
  const message = `Salesforce has no status of leads "${wanted}" that the user of the connection may set`;
  warnEvents([last], { code: 'unknown_lead_status', message, httpStatus: null });
  return {};
}

function wantedStatus({ write: { plan } }: EventWrite): string | null {
  return plan.outcomes?.leadStatus ?? null;
}

function warnOfUnsupported(event: EventWrite): void {
  const { outcomes } = event.write.plan;
  if (outcomes === null || (outcomes.lifecycleStage === null && outcomes.lists.length === 0)) return;
  const message = 'Salesforce has neither lifecycle stages nor manual lists, which the policy asks for';
  warnEvents([event], { code: 'not_supported', message, httpStatus: null });
}
