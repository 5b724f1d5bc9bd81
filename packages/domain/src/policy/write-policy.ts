/**
 * A *write policy* says what of a source's events reaches the CRM. It is JSON or YAML; docs/policy.md explains it, and
 * `docs/write-policy.schema.json` is made from this schema. A part that a policy does not have is that of the connection's policy, and
 * without one there, what the switches of the source say (`source.config` of the API).
 */
import { SEQUENCER_EVENT_TYPES, type SequencerEventType } from '@svc/contract/vocabulary';
import * as z from 'zod';
import { parseDuration } from '../values/duration.ts';
import { MappingPathError, parseBodyPath } from '../mappings/mapping-path.ts';
import { LAST_VALUE_NAMES } from './last-values.ts';
import { CUSTOM, EVENT_FIELD_NAMES, PAYLOAD } from './planned-fields.ts';

/** Bounds of a policy. */
export const POLICY_LIMITS = {
  /** The most entries of any list. */
  entries: 200,
  textLength: 200,
  /** The longest constant that a field can have, in characters. */
  valueLength: 2000,
  /** As compact JSON. It is read with every batch of events. */
  bytes: 64 * 1024,
  /** The longest time for which events can be held, in days. */
  heldDays: 365,
} as const;

/** What of an event can be written: the entry on the timeline, the fields of contact and company, the to-do of the sales rep. */
export const WRITE_TARGETS = ['timeline', 'fields', 'task'] as const;
export type WriteTarget = (typeof WRITE_TARGETS)[number];

const EVENT_TYPES = Object.keys(SEQUENCER_EVENT_TYPES) as SequencerEventType[];

const text = z.string().trim().min(1, 'must not be empty').max(POLICY_LIMITS.textLength);
const listOf = <Entry extends z.ZodType>(entry: Entry) =>
  z.array(entry).min(1, 'must have at least one entry').max(POLICY_LIMITS.entries);

/** A name or id, in which `*` stands for any text. Case and spaces around it do not count. */
const patterns = listOf(text);
/** Names or ids of categories as the sequencer shows them. Case and spaces around them do not count. */
const categories = listOf(text);

const createRule = z.union(
  [
    z.enum(['always', 'on-reply', 'never']),
    z.strictObject({ onCategory: categories.describe('Names or ids of categories.') }),
  ],
  'must be always, on-reply, never, or {onCategory: [...]}',
);

/** Conditions on an event. Those that are given must all hold. */
const eventCondition = z.strictObject({
  types: listOf(
    z.string().refine((type) => /^[A-Z0-9_]{1,64}$/.test(type), `must be an event type such as ${EVENT_TYPES[0]}`),
  )
    .optional()
    .describe('Event types, such as EMAIL_OPEN.'),
  campaigns: patterns.optional().describe('Names or ids of campaigns; * stands for any text.'),
  categories: categories.optional().describe('Names or ids of the category that the event gives the lead.'),
  steps: listOf(z.int().min(0).max(10_000)).optional().describe('Steps of the sequence.'),
  mailboxes: patterns.optional().describe('Addresses that sent the mail or got the reply, such as *@acme.example.'),
});

const eventRule = z.strictObject({
  when: eventCondition.default({}).describe('Conditions that must all hold; without any, the rule fits every event.'),
  write: z
    .array(z.enum(WRITE_TARGETS))
    .max(WRITE_TARGETS.length)
    .describe('What is written; an empty list writes nothing.'),
});

const duration = z
  .string()
  .refine((value) => (parseDuration(value) ?? 0) > 0, 'must be a duration such as 30d or 12h')
  .refine(
    (value) => (parseDuration(value) ?? 0) <= POLICY_LIMITS.heldDays * 86_400_000,
    `must be at most ${POLICY_LIMITS.heldDays}d`,
  );

const holdRule = z
  .strictObject({
    reply: z.boolean().default(false).describe('A reply of the lead releases its events.'),
    categories: categories.optional().describe('One of these categories releases them.'),
    dropAfter: duration.default('30d').describe('After this time events that wait are dropped.'),
  })
  .refine(
    ({ reply, categories: allowed }) => reply || allowed !== undefined,
    'must have reply: true, categories, or both',
  );

/** A user of the CRM: the address, or the CRM's id of the user. */
const user = text;

const ownerEntry = z
  .strictObject({
    mailbox: text.optional().describe('Address that sent the mail or got the reply; * stands for any text.'),
    domain: text.optional().describe('Domain of that address.'),
    campaign: text.optional().describe('Name or id of the campaign; * stands for any text.'),
    user: user.describe("Address of a user of the CRM, or the CRM's id of the user."),
  })
  .refine(
    (entry) => [entry.mailbox, entry.domain, entry.campaign].filter((given) => given !== undefined).length === 1,
    'must have exactly one of mailbox, domain and campaign',
  );

const ownerRule = z.strictObject({
  map: z
    .array(ownerEntry)
    .max(POLICY_LIMITS.entries)
    .default([])
    .describe('The first entry that fits an event names its user.'),
  fallback: user.optional().describe("Used when no entry fits and the mailbox is no user's address."),
  contact: z
    .enum(['if-empty', 'always', 'never'])
    .default('if-empty')
    .describe('Whether contacts get the owner: only those without one, all, or none.'),
  activities: z.boolean().default(true).describe('Whether timeline entries and tasks get the owner.'),
  companies: z.boolean().default(false).describe('Whether new companies get the owner.'),
});

const associationRule = z.strictObject({
  company: z.boolean().default(false).describe("Timeline entries also stand on the contact's company."),
  deal: z.boolean().default(false).describe("They also stand on the contact's open deal, when there is exactly one."),
});

const fieldValue = z.union([z.string().min(1).max(POLICY_LIMITS.valueLength), z.number(), z.boolean()]);

/** Where the value of a field comes from. */
const fieldOrigin = text.check(({ value, issues }) => {
  const message = wrongOrigin(value);
  if (message !== null) issues.push({ code: 'custom', input: value, message });
});

function wrongOrigin(from: string): string | null {
  if (from.startsWith(PAYLOAD)) {
    try {
      parseBodyPath(from.slice(PAYLOAD.length));
      return null;
    } catch (error) {
      if (error instanceof MappingPathError) return error.message;
      throw error;
    }
  }
  if (from.startsWith(CUSTOM) && from.length > CUSTOM.length) return null;
  return EVENT_FIELD_NAMES.includes(from)
    ? null
    : `must be ${CUSTOM}NAME, ${PAYLOAD}PATH, or one of ${EVENT_FIELD_NAMES.join(', ')}`;
}

const fieldRule = z
  .strictObject({
    to: text.describe('The property of the contact in the CRM.'),
    from: fieldOrigin
      .optional()
      .describe(
        'A field of the event, a custom field of the lead (custom.NAME), or a place in the payload (payload:PATH).',
      ),
    value: fieldValue.optional().describe('The same value for every event.'),
    default: fieldValue.optional().describe('For new contacts when the event has no value.'),
    write: z
      .enum(['fill', 'overwrite', 'create-only'])
      .default('fill')
      .describe('Whether the value fills an empty property, replaces what is there, or is only given to new contacts.'),
  })
  .refine(({ from, value }) => (from === undefined) !== (value === undefined), 'must have either from or value');

const outcomeDeal = z.strictObject({
  pipeline: text.optional().describe("Id or name of the pipeline; without it, the CRM's first one."),
  stage: text.describe('Id or name of the stage in which the deal begins.'),
  name: text
    .default('{person} ({campaign})')
    .describe('{person}, {company} and {campaign} stand for those of the event.'),
});

const outcomeRule = z
  .strictObject({
    when: eventCondition.describe('Conditions that must all hold.'),
    leadStatus: text.optional().describe('The lead status in the CRM; in Pipedrive a label of the person.'),
    lifecycleStage: text.optional().describe('HubSpot only: the lifecycle stage, which never goes back.'),
    campaign: z
      .strictObject({ id: text, status: text.optional() })
      .optional()
      .describe('Salesforce only: the person becomes a member of this campaign, with this status.'),
    list: text.optional().describe('HubSpot only: the contact is added to this manual list.'),
    deal: outcomeDeal.optional().describe('One deal or opportunity per contact and pipeline.'),
    task: z
      .strictObject({ subject: text, due: duration.default('1d') })
      .optional()
      .describe('A to-do for the owner, due so long after the event.'),
  })
  .refine(
    ({ when: _when, ...results }) => Object.keys(results).length > 0,
    'must have at least one result besides when',
  );

export const writePolicySchema = z
  .strictObject({
    create: createRule.optional().describe('When a contact that the CRM does not have is created.'),
    events: z
      .array(eventRule)
      .max(POLICY_LIMITS.entries)
      .optional()
      .describe(
        'What is written of which events: the first rule that fits decides. An event that no rule fits is written whole.',
      ),
    holdUntil: holdRule
      .nullable()
      .optional()
      .describe(
        "Events of a lead wait until something happens. Null: they do not wait, whatever the connection's policy says.",
      ),
    owner: ownerRule
      .nullable()
      .optional()
      .describe("Who owns what is written. Null: nobody, whatever the connection's policy says."),
    associations: associationRule.optional().describe('On what else than the contact timeline entries stand.'),
    fields: z
      .array(fieldRule)
      .max(POLICY_LIMITS.entries)
      .refine(
        (rules) => new Set(rules.map(({ to }) => to.toLowerCase())).size === rules.length,
        'must not name a property twice',
      )
      .optional()
      .describe('Properties of the contact that are written besides its details.'),
    lastValues: z
      .union([z.boolean(), z.array(z.enum(LAST_VALUE_NAMES)).min(1)], 'must be true, false, or a list of names')
      .optional()
      .describe('Properties that say what happened last, and how often: all of them, or these.'),
    outcomes: z
      .array(outcomeRule)
      .max(POLICY_LIMITS.entries)
      .optional()
      .describe('What an event changes in the CRM besides the timeline. Every rule that fits counts.'),
  })
  .refine(
    (policy) => JSON.stringify(policy).length <= POLICY_LIMITS.bytes,
    `must be at most ${POLICY_LIMITS.bytes} bytes as JSON`,
  );

export type WritePolicy = z.infer<typeof writePolicySchema>;
export type HoldRule = NonNullable<WritePolicy['holdUntil']>;
export type OwnerRule = NonNullable<WritePolicy['owner']>;
export type CreateRule = NonNullable<WritePolicy['create']>;
export type OutcomeRule = z.infer<typeof outcomeRule>;
export type AssociationRule = z.infer<typeof associationRule>;
export type EventCondition = z.infer<typeof eventCondition>;

/** Returns the JSON Schema of a policy, for editors. It has no rules that JSON Schema cannot express, such as the form of a duration. */
export function policyJsonSchema(): object {
  const schema = z.toJSONSchema(writePolicySchema, { target: 'draft-2020-12', io: 'input' });
  // A file of JSON names its schema so; the key is no part of the policy.
  return { title: 'Write policy', ...schema, properties: { $schema: { type: 'string' }, ...schema.properties } };
}
