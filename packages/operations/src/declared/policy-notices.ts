/** What of a write policy is valid and surely not meant. */
import { type Crm, CRMS, SEQUENCER_EVENT_TYPES } from '@svc/contract/vocabulary';
import { isReply } from '@svc/domain/policy/is-reply';
import type { SourceSwitches } from '@svc/domain/policy/plan-write';
import type { EventCondition, OwnerRule, WritePolicy } from '@svc/domain/policy/write-policy';
import { nearestName } from '@svc/engine/config/nearest-name';
import { type EventRule, noticesOfLastValues, noticesOfOutcome } from './left-out-notices.ts';

/** What is known of the sources for which the policy holds. */
export interface PolicyPlace {
  crm?: string;
  /** Only of one source. */
  switches?: SourceSwitches;
}

const EVENT_TYPES = Object.keys(SEQUENCER_EVENT_TYPES);

/** Ids of users. */
const USER_IDS: Readonly<Record<Crm, { id: RegExp; form: string }>> = {
  HUBSPOT: { id: /^\d+$/, form: 'a number' },
  SALESFORCE: { id: /^005[a-zA-Z0-9]{12}(?:[a-zA-Z0-9]{3})?$/, form: '15 or 18 characters from 005 on' },
  PIPEDRIVE: { id: /^\d+$/, form: 'a number' },
};

/** Returns one sentence for each, which begins with the place in the policy. */
export function noticesOf(policy: WritePolicy, { crm, switches }: PolicyPlace = {}): string[] {
  const { create, events = [], holdUntil, owner, associations, fields = [], lastValues, outcomes = [] } = policy;
  return [
    ...events.flatMap(({ when }, index) => noticesOfCondition(when, `events.${index}.when`)),
    ...noticesOfOrder(events),
    ...events.flatMap(({ when, write }, index) => noticesOfTask(when, write, `events.${index}.write`, switches)),
    ...(create === 'never' && holdUntil != null
      ? [
          'holdUntil: create is never, so of the events that wait only those of people whom the CRM has are written when they are released.',
        ]
      : []),
    ...(owner == null ? [] : noticesOfOwner(owner, crm, switches)),
    ...((associations?.company === true || associations?.deal === true) &&
    events.some(fitsEvery) &&
    events.every(({ write }) => !write.includes('timeline'))
      ? ['associations: only timeline entries are associated, and no rule writes any.']
      : []),
    ...fields.flatMap(({ value, default: byDefault }, index) =>
      value === undefined || byDefault === undefined
        ? []
        : [`fields.${index}.default: it is never used, because value is the same for every event.`],
    ),
    ...noticesOfLastValues(lastValues, events),
    ...outcomes.flatMap((outcome, index) => [
      ...noticesOfCondition(outcome.when, `outcomes.${index}.when`),
      ...noticesOfOutcome(outcome, `outcomes.${index}`, events, crm),
    ]),
  ];
}

function noticesOfCondition({ types = [], mailboxes = [] }: EventCondition, place: string): string[] {
  return [
    ...types.filter((type) => !EVENT_TYPES.includes(type)).map((type) => unknownType(type, `${place}.types`)),
    ...mailboxes.flatMap((pattern) => noticesOfMailbox(pattern, `${place}.mailboxes`)),
  ];
}

function unknownType(type: string, place: string): string {
  const nearest = nearestName(type, EVENT_TYPES);
  const hint = nearest === null ? `the types are ${EVENT_TYPES.join(', ')}` : `did you mean ${nearest}?`;
  return `${place}: no event of this release has the type ${type}: ${hint}`;
}

/** A pattern that no address can fit. */
function noticesOfMailbox(pattern: string, place: string): string[] {
  if (pattern.includes('@') || pattern.includes('*')) return [];
  return [`${place}: no address is ${pattern}: write a whole address, or *@${pattern} for all addresses of a domain.`];
}

function noticesOfOrder(rules: NonNullable<WritePolicy['events']>): string[] {
  const all = rules.findIndex(fitsEvery);
  if (all < 0 || all === rules.length - 1) return [];
  const behind =
    rules.length === all + 2 ? `events.${all + 1} is` : `events.${all + 1} to events.${rules.length - 1} are`;
  return [`events: ${behind} never used, because events.${all} fits every event: the first rule that fits decides.`];
}

function fitsEvery({ when }: EventRule): boolean {
  return Object.keys(when).length === 0;
}

/** Only replies have tasks, and only where the source makes them. */
function noticesOfTask(
  { types }: EventCondition,
  write: readonly string[],
  place: string,
  switches: SourceSwitches | undefined,
): string[] {
  if (!write.includes('task')) return [];
  if (types !== undefined && !types.some(isReply)) {
    return [`${place}: only replies have a task, and the rule fits no reply.`];
  }
  return switches?.createOrUpdateTask === false
    ? [`${place}: the source makes no tasks: switch them on with svc-server sources update --create-or-update-task on.`]
    : [];
}

function noticesOfOwner(
  { map, fallback, contact, activities, companies }: OwnerRule,
  crm: string | undefined,
  switches: SourceSwitches | undefined,
): string[] {
  const users = [
    ...map.map(({ user }, index) => ({ user, place: `owner.map.${index}.user` })),
    ...(fallback === undefined ? [] : [{ user: fallback, place: 'owner.fallback' }]),
  ];
  return [
    ...(contact === 'never' && !activities && !companies
      ? ['owner: neither contacts nor activities nor companies get the owner: owner: null says the same.']
      : []),
    ...(companies && switches?.createOrUpdateCompany === false
      ? [
          'owner.companies: the source makes no companies: switch them on with svc-server sources update --create-or-update-company on.',
        ]
      : []),
    ...map.flatMap(({ mailbox, domain }, index) => [
      ...(mailbox === undefined ? [] : noticesOfMailbox(mailbox, `owner.map.${index}.mailbox`)),
      ...(domain?.includes('@')
        ? [
            `owner.map.${index}.domain: no domain is ${domain}: write it without what is before the @, and without the @.`,
          ]
        : []),
    ]),
    ...users.flatMap(({ user, place }) => noticesOfUser(user, place, crm)),
  ];
}

function noticesOfUser(user: string, place: string, crm: string | undefined): string[] {
  if (user.includes('@')) return [];
  const known = CRMS.filter((each) => crm === undefined || each === crm);
  if (known.length === 0 || known.some((each) => USER_IDS[each].id.test(user))) return [];
  const forms = known.map((each) => `${USER_IDS[each].form} (${each})`).join(', ');
  return [`${place}: ${user} is neither the address of a user nor an id of one, which is ${forms}.`];
}
