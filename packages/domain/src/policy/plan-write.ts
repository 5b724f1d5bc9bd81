/**
 * What is written of an event: the policy of its source, decided for this event. Connectors carry out the plan, and know neither policies
 * nor switches.
 */
import { isReply } from './is-reply.ts';
import { LAST_VALUE_NAMES, type LastValueName } from './last-values.ts';
import { type OutcomePlan, planOutcomes } from './outcomes.ts';
import type {
  AssociationRule,
  CreateRule,
  EventCondition,
  OwnerRule,
  WritePolicy,
  WriteTarget,
} from './write-policy.ts';
import { WRITE_TARGETS } from './write-policy.ts';

/** The switches of a source: `source.config` of the API, with what only operators see. They are the short form of a policy. */
export interface SourceSwitches {
  readonly createOrUpdateCompany: boolean;
  readonly createOrUpdateTask: boolean;
  readonly assignContactOwner: boolean;
  readonly salesforceObjectType: string | null;
  /** Whether bounces and opt-outs are also recorded on the contact itself. */
  readonly writeStateFields: boolean;
}

/** What a plan depends on; every normalized event has it. */
export interface PlannedEvent {
  readonly eventType: string;
  /** Our own mailbox. */
  readonly fromEmail: string | null;
  readonly campaign: { readonly id: string | null; readonly name: string | null };
  /** The category that the event gives the lead. */
  readonly category: EventCategory | null;
  readonly sequenceNumber: number | null;
}

export interface EventCategory {
  readonly id: string | null;
  readonly name: string;
}

export interface WritePlan {
  /** What is written. Nothing: the CRM is not called. */
  readonly writes: Readonly<Record<WriteTarget, boolean>>;
  /** Whether a contact that the CRM does not have is created. Without it, no company is created either. */
  readonly mayCreate: boolean;
  /** Whether the company is found or created. */
  readonly company: boolean;
  /** Whether a bounce or opt-out is also recorded on the contact itself. */
  readonly stateFields: boolean;
  /** Salesforce only: what is created for an unknown person; null: a contact. */
  readonly salesforceObjectType: string | null;
  /** Null: nothing gets an owner. */
  readonly owner: OwnerPlan | null;
  /** On what else than the contact the timeline entry stands. */
  readonly associations: AssociationRule;
  /** The last values that are written with the fields; none: null. */
  readonly lastValues: readonly LastValueName[] | null;
  /** What the event changes besides; null: nothing. */
  readonly outcomes: OutcomePlan | null;
}

export interface OwnerPlan {
  /** Users of the CRM by address or id, in the order of preference: the first one that the CRM has is the owner. */
  readonly candidates: readonly string[];
  readonly contact: OwnerRule['contact'];
  readonly activities: boolean;
  readonly companies: boolean;
}

/** Returns the policy that holds for a source: each part is the source's, else the connection's. */
export function mergePolicies(source: WritePolicy | null, connection: WritePolicy | null): WritePolicy {
  return { ...connection, ...source };
}

/** What holds of each part. */
export type CompletePolicy = { readonly [Part in keyof Required<WritePolicy>]: Exclude<WritePolicy[Part], undefined> };

/** Returns a policy with all its parts: a part that it does not have is what the switches say, else the default. */
export function completePolicy(
  {
    create = 'always',
    events = [],
    holdUntil = null,
    owner,
    associations = NO_ASSOCIATIONS,
    fields = [],
    lastValues = false,
    outcomes = [],
  }: WritePolicy,
  { assignContactOwner }: Pick<SourceSwitches, 'assignContactOwner'>,
): CompletePolicy {
  const ofSwitch = assignContactOwner ? OF_SWITCH : null;
  return {
    create,
    events,
    holdUntil,
    owner: owner === undefined ? ofSwitch : owner,
    associations,
    fields,
    lastValues,
    outcomes,
  };
}

const NO_ASSOCIATIONS: AssociationRule = { company: false, deal: false };

/**
 * @param latestCategory the category that the lead has now; null: none, or it is that of the event
 */
export function planWrite(
  switches: SourceSwitches,
  policy: WritePolicy,
  event: PlannedEvent,
  latestCategory: EventCategory | null = null,
): WritePlan {
  const { create, events, owner, associations, lastValues, outcomes } = completePolicy(policy, switches);
  const rule = events.find(({ when }) => fits(when, event));
  const wanted: readonly WriteTarget[] = rule?.write ?? WRITE_TARGETS;
  return {
    writes: {
      timeline: wanted.includes('timeline'),
      fields: wanted.includes('fields'),
      task: wanted.includes('task') && switches.createOrUpdateTask && isReply(event.eventType),
    },
    mayCreate: mayCreate(create, event, latestCategory),
    company: switches.createOrUpdateCompany && wanted.includes('fields'),
    stateFields: switches.writeStateFields && wanted.includes('fields'),
    salesforceObjectType: switches.salesforceObjectType,
    owner: ownerOf(owner, event),
    associations,
    lastValues: wanted.includes('fields') ? lastValueNames(lastValues) : null,
    outcomes: planOutcomes(outcomes.filter(({ when }) => fits(when, event))),
  };
}

function lastValueNames(rule: CompletePolicy['lastValues']): readonly LastValueName[] | null {
  if (typeof rule === 'boolean') return rule ? LAST_VALUE_NAMES : null;
  return rule;
}

/** Returns whether anything of the event is written. */
export function isWritten({ writes }: WritePlan): boolean {
  return Object.values(writes).includes(true);
}

function mayCreate(rule: CreateRule, event: PlannedEvent, latestCategory: EventCategory | null): boolean {
  if (rule === 'always' || rule === 'never') return rule === 'always';
  if (rule === 'on-reply') return isReply(event.eventType);
  return [event.category, latestCategory].some((category) => isOneOf(category, rule.onCategory));
}

/** Returns whether an event meets all conditions. */
function fits(
  when: EventCondition,
  { eventType, campaign, category, sequenceNumber, fromEmail }: PlannedEvent,
): boolean {
  const { types, campaigns, categories, steps, mailboxes } = when;
  return (
    (types === undefined || types.includes(eventType)) &&
    (campaigns === undefined || campaigns.some((pattern) => matchesCampaign(pattern, campaign))) &&
    (categories === undefined || isOneOf(category, categories)) &&
    (steps === undefined || (sequenceNumber !== null && steps.includes(sequenceNumber))) &&
    (mailboxes === undefined || mailboxes.some((pattern) => matchesPattern(pattern, fromEmail)))
  );
}

/** Returns whether a category is in a list of names and ids. Case and spaces around a name do not count. */
export function isOneOf(category: EventCategory | null, allowed: readonly string[]): boolean {
  if (category === null) return false;
  const given = [category.name, ...(category.id === null ? [] : [category.id])].map(comparable);
  return allowed.some((entry) => given.includes(comparable(entry)));
}

export function matchesCampaign(pattern: string, { id, name }: PlannedEvent['campaign']): boolean {
  return matchesPattern(pattern, id) || matchesPattern(pattern, name);
}

/** Matches a text with a pattern in which `*` stands for any text, without regular expressions, so that no pattern is slow. */
export function matchesPattern(pattern: string, value: string | null): boolean {
  if (value === null) return false;
  const given = comparable(value);
  const [first = '', ...parts] = comparable(pattern).split('*');
  const last = parts.pop();
  if (last === undefined) return given === first;
  if (!given.startsWith(first) || !given.endsWith(last) || given.length < first.length + last.length) return false;
  let at = first.length;
  const end = given.length - last.length;
  for (const part of parts) {
    const found = given.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

function comparable(value: string): string {
  return value.trim().toLowerCase();
}

/** The switch alone: a contact without an owner, and activities, get the user whose address is the mailbox. */
const OF_SWITCH: OwnerRule = { map: [], contact: 'if-empty', activities: true, companies: false };

type OwnedEvent = Pick<PlannedEvent, 'fromEmail' | 'campaign'>;

/**
 * Returns the mailbox of an event whose owner is known only when the mailbox is a user's address: no entry of the policy fits, and there is
 * no fallback. Null for other events, and when nothing gets an owner.
 */
export function unmappedMailbox(switches: SourceSwitches, policy: WritePolicy, event: OwnedEvent): string | null {
  const { owner: rule } = completePolicy(policy, switches);
  if (rule === null || rule.fallback !== undefined || event.fromEmail === null) return null;
  return entryOf(rule, event) === undefined ? event.fromEmail.toLowerCase() : null;
}

function entryOf({ map }: OwnerRule, { fromEmail, campaign }: OwnedEvent): OwnerRule['map'][number] | undefined {
  return map.find(
    ({ mailbox, domain, campaign: pattern }) =>
      (mailbox !== undefined && matchesPattern(mailbox, fromEmail)) ||
      (domain !== undefined && matchesPattern(`*@${domain}`, fromEmail)) ||
      (pattern !== undefined && matchesCampaign(pattern, campaign)),
  );
}

/** Returns the user whom the owner table of a policy names for an event, as an address or an id of the CRM; null when no entry fits. */
export function userOfTable(policy: WritePolicy, event: OwnedEvent): string | null {
  return (policy.owner && entryOf(policy.owner, event)?.user) ?? null;
}

function ownerOf(rule: OwnerRule | null, event: PlannedEvent): OwnerPlan | null {
  if (rule === null) return null;
  const { fallback, contact, activities, companies } = rule;
  const candidates = [entryOf(rule, event)?.user, event.fromEmail, fallback].flatMap((candidate) =>
    candidate === undefined || candidate === null
      ? []
      : [candidate.includes('@') ? candidate.toLowerCase() : candidate],
  );
  return candidates.length === 0 ? null : { candidates: [...new Set(candidates)], contact, activities, companies };
}
