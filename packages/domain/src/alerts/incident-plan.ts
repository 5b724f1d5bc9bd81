/**
 * When an incident begins and ends.
 *
 * 1. It begins when its condition is first seen.
 * 2. It ends when its condition has not held for ten minutes. Until then it may come back, without a message.
 */
import type { AlertFacts, AlertTopic } from './alert.ts';

export const CALM_MS = 10 * 60_000;

/** A condition that holds now. */
export interface AlertCondition {
  readonly topic: AlertTopic;
  /** What it is about, such as `connection 3`. */
  readonly subject: string;
  readonly accountId: number;
  readonly connectionId: number | null;
  readonly sourceId: number | null;
  readonly facts: AlertFacts;
}

export interface OpenIncidentState {
  readonly id: number;
  readonly topic: AlertTopic;
  readonly subject: string;
  readonly clearedAt: Date | null;
}

export interface IncidentPlan {
  readonly begun: readonly AlertCondition[];
  /** Ids of incidents whose condition no longer holds since now. */
  readonly cleared: readonly number[];
  /** Ids of those whose condition came back before their end. */
  readonly returned: readonly number[];
  /** Ids of those that have ended. */
  readonly ended: readonly number[];
}

export function planIncidents(
  open: readonly OpenIncidentState[],
  conditions: readonly AlertCondition[],
  now: Date,
): IncidentPlan {
  const keyOf = ({ topic, subject }: { topic: string; subject: string }) => `${topic} ${subject}`;
  const holding = new Set(conditions.map(keyOf));
  const known = new Set(open.map(keyOf));
  const isCalm = ({ clearedAt }: OpenIncidentState) =>
    clearedAt !== null && now.getTime() - clearedAt.getTime() >= CALM_MS;
  const gone = open.filter((incident) => !holding.has(keyOf(incident)));
  const idsOf = (incidents: readonly OpenIncidentState[]) => incidents.map(({ id }) => id);
  return {
    begun: conditions.filter((condition) => !known.has(keyOf(condition))),
    cleared: idsOf(gone.filter(({ clearedAt }) => clearedAt === null)),
    returned: idsOf(open.filter((incident) => incident.clearedAt !== null && holding.has(keyOf(incident)))),
    ended: idsOf(gone.filter(isCalm)),
  };
}

/** Names and ids of categories, in lower case without other characters than letters. */
const INTERESTED: ReadonlySet<string> = new Set([
  'interested',
  'leadinterested',
  'veryinterested',
  'meetingrequest',
  'meetingbooked',
  'leadmeetingbooked',
]);

/**
 * Whether an event says that a lead is interested: it gives the lead a category of that meaning. A reply that already has the
 * category is no second one: sequencers post the category as an event of its own.
 */
export function isInterest({
  eventType,
  category,
}: {
  readonly eventType: string;
  readonly category: { readonly id: string | null; readonly name: string } | null;
}): boolean {
  if (eventType !== 'LEAD_CATEGORY_UPDATED' || category === null) return false;
  return INTERESTED.has(category.name.toLowerCase().replaceAll(/[^a-z]/g, ''));
}
