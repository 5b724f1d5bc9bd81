/** What the fields of a write policy say of one event: a value for each property of the person in the CRM. */
import { emailOf, profileUrlOf } from '../contacts/event-contact.ts';

export type FieldValue = string | number | boolean;

/** An entry of `fields` of a policy: either `from` or `value`. */
export interface FieldRule {
  readonly to: string;
  readonly from?: string | undefined;
  readonly value?: FieldValue | undefined;
  /** For new people when the event has no value. */
  readonly default?: FieldValue | undefined;
  readonly write: 'fill' | 'overwrite' | 'create-only';
}

/** An event with everything that a field can take from it. */
export interface DescribedEvent {
  readonly eventType: string;
  readonly toEmail: string;
  readonly occurredAt: Date | null;
  readonly fromEmail: string | null;
  readonly subject: string | null;
  readonly category: { readonly name: string } | null;
  readonly sequenceNumber: number | null;
  readonly campaign: { readonly id: string | null; readonly name: string | null };
  readonly contact: {
    readonly email: string | null;
    readonly profileUrl: string | null;
    readonly firstName: string | null;
    readonly lastName: string | null;
    readonly companyName: string | null;
    readonly companyDomain: string | null;
    readonly jobTitle: string | null;
    readonly phone: string | null;
    readonly leadId: string | null;
    readonly leadUrl: string | null;
    readonly tags: readonly string[];
    readonly custom: Readonly<Record<string, FieldValue>>;
  };
}

/** Where else the values of fields come from. */
export interface FieldContext {
  /** The sequencer, such as `smartlead`. */
  readonly sequencer: string;
  /** Returns the first value at a path of the received payload that is text, a number, true or false; null when there is none. */
  readonly readPayload: (path: string) => FieldValue | null;
}

/** One property of the person. Null: the event has no value. */
export interface PlannedField {
  readonly property: string;
  readonly write: FieldRule['write'];
  readonly value: FieldValue | null;
  /** What a person gets whom the event creates: the value, else the default. */
  readonly valueOfNew: FieldValue | null;
}

/** Fields of an event by the name that a policy gives them. */
const EVENT_FIELDS = {
  email: emailOf,
  profileUrl: profileUrlOf,
  firstName: ({ contact }) => contact.firstName,
  lastName: ({ contact }) => contact.lastName,
  companyName: ({ contact }) => contact.companyName,
  companyDomain: ({ contact }) => contact.companyDomain,
  jobTitle: ({ contact }) => contact.jobTitle,
  phone: ({ contact }) => contact.phone,
  leadId: ({ contact }) => contact.leadId,
  leadUrl: ({ contact }) => contact.leadUrl,
  tags: ({ contact }) => (contact.tags.length === 0 ? null : contact.tags.join(', ')),
  'campaign.id': ({ campaign }) => campaign.id,
  'campaign.name': ({ campaign }) => campaign.name,
  category: ({ category }) => category?.name ?? null,
  step: ({ sequenceNumber }) => sequenceNumber,
  mailbox: ({ fromEmail }) => fromEmail,
  subject: ({ subject }) => subject,
  eventType: ({ eventType }) => eventType,
  occurredAt: ({ occurredAt }) => occurredAt?.toISOString() ?? null,
} as const satisfies Record<string, (event: DescribedEvent) => FieldValue | null>;

const SEQUENCER = 'sequencer';
export const CUSTOM = 'custom.';
export const PAYLOAD = 'payload:';

/** What `from` can name, besides `custom.NAME` and `payload:PATH`. */
export const EVENT_FIELD_NAMES: readonly string[] = [...Object.keys(EVENT_FIELDS), SEQUENCER];

/** Whether a value of the received payload is asked for. */
export function readsPayload(rules: readonly FieldRule[]): boolean {
  return rules.some(({ from }) => from?.startsWith(PAYLOAD) === true);
}

/** Returns what is written of an event to each property that the rules name, in their order. */
export function planFields(
  rules: readonly FieldRule[],
  event: DescribedEvent,
  context: FieldContext,
): readonly PlannedField[] {
  return rules.map((rule): PlannedField => {
    const { to: property, write, default: byDefault = null } = rule;
    const value = rule.value ?? (rule.from === undefined ? null : readField(rule.from, event, context));
    return { property, write, value, valueOfNew: value ?? byDefault };
  });
}

function readField(from: string, event: DescribedEvent, { sequencer, readPayload }: FieldContext): FieldValue | null {
  if (from === SEQUENCER) return sequencer;
  if (from.startsWith(PAYLOAD)) return readPayload(from.slice(PAYLOAD.length));
  if (from.startsWith(CUSTOM)) return readCustom(event.contact.custom, from.slice(CUSTOM.length));
  return isEventField(from) ? presentOf(EVENT_FIELDS[from](event)) : null;
}

/** Names of custom fields differ in case and spaces between the places where a sequencer shows them. */
function readCustom(custom: DescribedEvent['contact']['custom'], name: string): FieldValue | null {
  if (Object.hasOwn(custom, name)) return presentOf(custom[name] ?? null);
  const wanted = name.trim().toLowerCase();
  const found = Object.entries(custom).find(([key]) => key.trim().toLowerCase() === wanted);
  return presentOf(found?.[1] ?? null);
}

function presentOf(value: FieldValue | null): FieldValue | null {
  return typeof value === 'string' && value.trim() === '' ? null : value;
}

function isEventField(name: string): name is keyof typeof EVENT_FIELDS {
  return Object.hasOwn(EVENT_FIELDS, name);
}
