/** What events change in the CRM besides the timeline: status, stage, campaign, lists, a deal, to-dos. */
import { parseDuration } from '../values/duration.ts';
import { type DescribedEvent } from './planned-fields.ts';
import type { OutcomeRule } from './write-policy.ts';

export interface OutcomePlan {
  readonly leadStatus: string | null;
  readonly lifecycleStage: string | null;
  readonly campaigns: readonly { readonly id: string; readonly status: string | null }[];
  readonly lists: readonly string[];
  readonly deals: readonly PlannedDeal[];
  readonly tasks: readonly PlannedTask[];
}

export interface PlannedDeal {
  /** Id or name; null: the CRM's first pipeline. */
  readonly pipeline: string | null;
  /** Id or name of the stage in which the deal begins. */
  readonly stage: string;
  /** A template for `dealNameOf`. */
  readonly name: string;
}

export interface PlannedTask {
  /** One to-do per event and subject. */
  readonly subject: string;
  /** How long after the event it is due. */
  readonly dueAfterMs: number;
}

/**
 * Returns what the rules that fit an event say together; null when there are none. Of status and stage, and of the deal in a pipeline, the
 * first rule decides.
 */
export function planOutcomes(fitting: readonly OutcomeRule[]): OutcomePlan | null {
  if (fitting.length === 0) return null;
  const deals = fitting.flatMap(({ deal }): PlannedDeal[] =>
    deal === undefined ? [] : [{ pipeline: deal.pipeline ?? null, stage: deal.stage, name: deal.name }],
  );
  const campaigns = fitting.flatMap(({ campaign }) =>
    campaign === undefined ? [] : [{ id: campaign.id, status: campaign.status ?? null }],
  );
  const tasks = fitting.flatMap(({ task }): PlannedTask[] =>
    task === undefined ? [] : [{ subject: task.subject, dueAfterMs: parseDuration(task.due) ?? 0 }],
  );
  return {
    leadStatus: fitting.find(({ leadStatus }) => leadStatus !== undefined)?.leadStatus ?? null,
    lifecycleStage: fitting.find(({ lifecycleStage }) => lifecycleStage !== undefined)?.lifecycleStage ?? null,
    campaigns: firstOfEach(campaigns, ({ id }) => id),
    lists: [...new Set(fitting.flatMap(({ list }) => list ?? []))],
    deals: firstOfEach(deals, ({ pipeline }) => pipeline?.toLowerCase() ?? ''),
    tasks: firstOfEach(tasks, ({ subject }) => subject),
  };
}

function firstOfEach<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return [...Map.groupBy(items, keyOf).values()].flatMap(([first]) => (first === undefined ? [] : [first]));
}

type NamingEvent = Pick<DescribedEvent, 'toEmail' | 'campaign'> & {
  readonly contact: Pick<DescribedEvent['contact'], 'firstName' | 'lastName' | 'companyName' | 'companyDomain'>;
};

/** Returns the name of a deal. What the event does not know is left out, with brackets around it. */
export function dealNameOf({ name }: PlannedDeal, { contact, campaign, toEmail }: NamingEvent): string {
  const { firstName, lastName, companyName, companyDomain } = contact;
  const values: Readonly<Record<string, string>> = {
    person: [firstName, lastName].filter((part) => part !== null).join(' ') || toEmail,
    company: companyName ?? companyDomain ?? '',
    campaign: campaign.name ?? '',
  };
  const filled = name.replaceAll(/\{(person|company|campaign)\}/g, (_all, key: string) => values[key] ?? '');
  return (
    filled
      .replaceAll(/\(\s*\)|\[\s*\]/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim() || toEmail
  );
}
