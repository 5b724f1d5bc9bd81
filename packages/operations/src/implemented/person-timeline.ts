/** The journey of a person: every list of their story in one, newest first. What waits comes before all that has happened. */
import type { PersonRecord } from '@svc/engine/crm/person-records';
import type { JourneyStep } from '../declared/persons.ts';
import type { PersonStory } from '../store/person-story.ts';

export function timelineOf(story: PersonStory, records: readonly PersonRecord[]): JourneyStep[] {
  const timeOf = ({ at }: JourneyStep) => at?.getTime() ?? Number.POSITIVE_INFINITY;
  // The sort is stable, so of steps of the same time the one that comes later in the life of an event is first.
  return listSteps(story, records).toSorted((a, b) => (timeOf(a) === timeOf(b) ? 0 : timeOf(b) - timeOf(a)));
}

function listSteps(story: PersonStory, records: readonly PersonRecord[]): JourneyStep[] {
  const { requests, events, syncs, deliveries, mails, blocked } = story;
  return [
    ...blocked.map(({ blocklistId, at, listName, platform, value, state, reason }) =>
      step('block list', blocklistId, at, `${value} on "${listName}" of ${platform}: ${state}${because(reason)}`),
    ),
    ...mails.map(({ id, endedAt, relayId, status, error }) =>
      step('mailed', id, endedAt, `by relay ${relayId}: ${status}${because(error)}`),
    ),
    ...deliveries.map(({ id, createdAt, eventType, destinationUrl, status, error }) =>
      step('forwarded', id, createdAt, `${eventType ?? 'event'} to ${destinationUrl}: ${status}${because(error)}`),
    ),
    ...syncs.map(({ id, createdAt, eventType, connectionId, status, error }) =>
      step('written', id, createdAt, `${eventType} to connection ${connectionId}: ${status}${because(error)}`),
    ),
    ...records.map(({ checkedAt, crm, connectionId, recordType, recordId }) =>
      step('record', recordId, checkedAt, `${recordType} of ${crm}, connection ${connectionId}`),
    ),
    ...events.flatMap(({ id, eventType, heldUntil }) =>
      heldUntil === null
        ? []
        : step('held', id, null, `${eventType}, dropped on ${heldUntil.toISOString()} unless its lead is released`),
    ),
    ...events.map(({ id, receivedAt, eventType, platform, requestId }) =>
      step('event', id, receivedAt, `${eventType} of ${platform}, request ${requestId}`),
    ),
    ...requests.map(({ id, receivedAt, sourceId, outcome, backfillRunId }) => {
      const from = backfillRunId === null ? '' : `, from backfill ${backfillRunId}`;
      return step('received', id, receivedAt, `by source ${sourceId}${from}: ${outcome ?? 'not processed yet'}`);
    }),
  ];
}

function step(what: JourneyStep['what'], id: number | string, at: Date | null, text: string): JourneyStep {
  return { at, what, id, text };
}

function because(error: string | Record<string, unknown> | null): string {
  if (error === null || error === '') return '';
  if (typeof error === 'string') return `: ${error}`;
  const { message } = error;
  return `: ${typeof message === 'string' ? message : JSON.stringify(error)}`;
}
