import { asList, asObject } from '../http/answer-values.ts';
import { CrmFailure, RETRY } from '../http/http-failure.ts';
import type { CrmError } from '../port/types.ts';
import { type EventWrite, failOptionalPart } from './event-write.ts';
import { HUBSPOT_PATHS } from './paths.ts';
import type { HubspotSession } from './session.ts';

/** Adds contacts to the lists of outcomes: one call per list. A contact that is a member already stays one. */

const NO_LIST_ID: CrmError = {
  code: 'list_not_usable',
  message: 'the id of a HubSpot list is a number',
  httpStatus: null,
};
const GONE: CrmError = { code: 'contact_missing', message: 'HubSpot no longer has the contact', httpStatus: 404 };

export async function addListMembers(session: HubspotSession, events: readonly EventWrite[]): Promise<void> {
  const byList = new Map<string, EventWrite[]>();
  for (const event of events) {
    for (const listId of event.write.plan.outcomes?.lists ?? [])
      byList.set(listId, [...(byList.get(listId) ?? []), event]);
  }
  await Promise.all([...byList].map(([listId, members]) => addMembers(session, listId, members)));
}

async function addMembers(session: HubspotSession, listId: string, events: readonly EventWrite[]): Promise<void> {
  // Prevents any other path.
  if (!/^\d{1,20}$/.test(listId)) {
    for (const event of events) event.warnings.push(NO_LIST_ID);
    return;
  }
  try {
    const { body } = await session.client.call({
      operation: 'lists_add',
      method: 'PUT',
      path: HUBSPOT_PATHS.addListMembers(listId),
      body: [...new Set(events.flatMap(({ contact }) => contact?.id ?? []))],
      part: 'the members of the list',
    });
    const missing = new Set(asList(asObject(body)['recordIdsMissing']).map(String));
    for (const event of events) {
      const { contact } = event;
      if (contact === null || contact.id === null || !missing.has(contact.id)) continue;
      // It was deleted or merged: the next attempt looks for it again.
      failOptionalPart(event, new CrmFailure(GONE, RETRY));
      contact.isForgotten = true;
      await session.records.delete([...contact.keys]);
    }
  } catch (error) {
    if (!(error instanceof CrmFailure)) throw error;
    for (const event of events) failOptionalPart(event, error);
  }
}
