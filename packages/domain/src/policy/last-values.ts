/**
 * Values of a person that say what happened last, and how often. Each event is one state; states are joined in any order and to the same
 * result, provided that each event is joined once. So an older event that comes later, or again, never takes the place of a newer one.
 */
import { SEQUENCER_EVENT_TYPES } from '@svc/contract/vocabulary';
import { isReply } from './is-reply.ts';

export interface LastValueDefinition {
  /** The CRM shows it to people. */
  readonly label: string;
  readonly type: 'datetime' | 'text' | 'number';
}

/** What is written of a person, by name. */
export const LAST_VALUES = {
  lastEventAt: { label: 'Last event at', type: 'datetime' },
  lastEventType: { label: 'Last event type', type: 'text' },
  lastSentAt: { label: 'Last sent at', type: 'datetime' },
  lastOpenedAt: { label: 'Last opened at', type: 'datetime' },
  lastClickedAt: { label: 'Last clicked at', type: 'datetime' },
  lastRepliedAt: { label: 'Last replied at', type: 'datetime' },
  lastBouncedAt: { label: 'Last bounced at', type: 'datetime' },
  unsubscribedAt: { label: 'Unsubscribed at', type: 'datetime' },
  firstSentAt: { label: 'First sent at', type: 'datetime' },
  firstRepliedAt: { label: 'First replied at', type: 'datetime' },
  lastSentSubject: { label: 'Last sent subject', type: 'text' },
  lastReplySubject: { label: 'Last reply subject', type: 'text' },
  lastReplyText: { label: 'Last reply text', type: 'text' },
  lastClickedUrl: { label: 'Last clicked link', type: 'text' },
  lastMailbox: { label: 'Last mailbox', type: 'text' },
  lastCampaignId: { label: 'Last campaign id', type: 'text' },
  lastCampaignName: { label: 'Last campaign name', type: 'text' },
  lastStep: { label: 'Last step', type: 'number' },
  lastCategory: { label: 'Last category', type: 'text' },
  lastSequencer: { label: 'Last sequencer', type: 'text' },
  leadUrl: { label: 'Link to the lead', type: 'text' },
  connectionStatus: { label: 'Connection status', type: 'text' },
  sentCount: { label: 'Messages sent', type: 'number' },
  openCount: { label: 'Opens', type: 'number' },
  clickCount: { label: 'Clicks', type: 'number' },
  replyCount: { label: 'Replies', type: 'number' },
} as const satisfies Record<string, LastValueDefinition>;

export type LastValueName = keyof typeof LAST_VALUES;
export const LAST_VALUE_NAMES = Object.keys(LAST_VALUES) as LastValueName[];

/** Texts are cut at this many characters: short enough for a text field of every CRM. */
export const LAST_TEXT_MAX = 255;

/** Values by name; times are Unix time in ms. A name without a value is absent. */
export type LastValues = Readonly<Partial<Record<LastValueName, string | number>>>;

/** What the last values of an event are made of. */
export interface ValuedEvent {
  /** The event's key and its source: tells two events of one moment apart. */
  readonly key: string;
  readonly at: Date;
  readonly sequencer: string;
  readonly eventType: string;
  readonly fromEmail: string | null;
  readonly campaign: { readonly id: string | null; readonly name: string | null };
  readonly category: { readonly name: string } | null;
  readonly sequenceNumber: number | null;
  readonly subject: string | null;
  /** As plain text. */
  readonly text: string | null;
  readonly linkUrls: readonly string[];
  readonly leadUrl: string | null;
}

type CountName = 'sentCount' | 'openCount' | 'clickCount' | 'replyCount';
type RegisterName = Exclude<LastValueName, CountName>;

/** A value, and the moment and key of the event that brought it. */
type Register = readonly [at: number, key: string, value: string | number];

/** What is known of a person. It is stored as JSON. */
export interface LastValueState {
  readonly counts: Readonly<Partial<Record<CountName, number>>>;
  readonly registers: Readonly<Partial<Record<RegisterName, Register>>>;
}

export const NO_LAST_VALUES: LastValueState = { counts: {}, registers: {} };

/** These keep the earliest event's value; all others the latest one's. */
const FIRSTS: ReadonlySet<string> = new Set(['firstSentAt', 'firstRepliedAt'] satisfies RegisterName[]);

const SENT = new Set(['EMAIL_SENT', 'MESSAGE_SENT', 'INMAIL_SENT']);
const CONNECTION_STATUS: Readonly<Record<string, string>> = {
  CONNECTION_REQUEST_SENT: 'requested',
  CONNECTION_REQUEST_ACCEPTED: 'connected',
};

/** Returns the state of a person of whom this is the only event. Opens and clicks by machines count as none. */
export function stateOfEvent(event: ValuedEvent): LastValueState {
  const { eventType, key, at } = event;
  const is = {
    sent: SENT.has(eventType),
    opened: eventType === 'EMAIL_OPEN',
    clicked: eventType === 'EMAIL_LINK_CLICK',
    replied: isReply(eventType),
  };
  const time = at.getTime();
  const when = (isTrue: boolean) => (isTrue ? time : null);
  const values: Record<RegisterName, string | number | null> = {
    lastEventAt: time,
    lastEventType: eventType,
    lastSentAt: when(is.sent),
    lastOpenedAt: when(is.opened),
    lastClickedAt: when(is.clicked),
    lastRepliedAt: when(is.replied),
    lastBouncedAt: when(eventType === 'EMAIL_BOUNCE'),
    unsubscribedAt: when(eventType === 'LEAD_UNSUBSCRIBED'),
    firstSentAt: when(is.sent),
    firstRepliedAt: when(is.replied),
    lastSentSubject: is.sent ? event.subject : null,
    lastReplySubject: is.replied ? event.subject : null,
    lastReplyText: is.replied ? event.text : null,
    lastClickedUrl: is.clicked ? (event.linkUrls[0] ?? null) : null,
    lastMailbox: event.fromEmail,
    lastCampaignId: event.campaign.id,
    lastCampaignName: event.campaign.name,
    lastStep: event.sequenceNumber,
    lastCategory: event.category?.name ?? null,
    lastSequencer: event.sequencer,
    leadUrl: event.leadUrl,
    connectionStatus: CONNECTION_STATUS[eventType] ?? null,
  };
  const registers = Object.entries(values).flatMap(([name, value]) => {
    const kept = typeof value === 'string' ? shorten(value) : value;
    return kept === null || kept === '' ? [] : [[name, [time, key, kept]]];
  });
  return {
    counts: Object.fromEntries(
      Object.entries({ sentCount: is.sent, openCount: is.opened, clickCount: is.clicked, replyCount: is.replied })
        .filter(([, isCounted]) => isCounted)
        .map(([name]) => [name, 1]),
    ),
    registers: Object.fromEntries(registers),
  };
}

const EVENT_TYPES = Object.keys(SEQUENCER_EVENT_TYPES);
const TOLD: ValuedEvent = {
  ...{ key: '', at: new Date(0), sequencer: 'any', eventType: '', fromEmail: 'any', category: { name: 'any' } },
  ...{
    campaign: { id: 'any', name: 'any' },
    sequenceNumber: 1,
    subject: 'any',
    text: 'any',
    linkUrls: ['any'],
    leadUrl: 'any',
  },
};

/** Returns the types of which an event that says everything has this value. */
export function eventTypesOf(name: LastValueName): readonly string[] {
  return EVENT_TYPES.filter((eventType) => {
    const values = valuesOf(stateOfEvent({ ...TOLD, eventType }), [name]);
    return values[name] !== undefined;
  });
}

/** Joins the states of two sets of events that have none in common. */
export function joinStates(a: LastValueState, b: LastValueState): LastValueState {
  const counts: Partial<Record<string, number>> = { ...a.counts };
  for (const [name, count] of Object.entries(b.counts)) counts[name] = (counts[name] ?? 0) + count;
  const registers: Partial<Record<string, Register>> = { ...a.registers };
  for (const [name, register] of Object.entries(b.registers)) {
    const other = registers[name];
    if (other === undefined || takesPlaceOf(name, register, other)) registers[name] = register;
  }
  return { counts, registers };
}

function takesPlaceOf(name: string, register: Register, other: Register): boolean {
  const isLater = register[0] === other[0] ? register[1] > other[1] : register[0] > other[0];
  return FIRSTS.has(name) ? !isLater : isLater;
}

/** Returns the values of a person. @param names those that are written */
export function valuesOf({ counts, registers }: LastValueState, names: readonly LastValueName[]): LastValues {
  const values: Record<string, string | number | undefined> = {
    ...counts,
    ...Object.fromEntries(Object.entries(registers).map(([name, [, , value]]) => [name, value])),
  };
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
}

function shorten(value: string): string {
  const text = value.replaceAll(/\s+/g, ' ').trim();
  return text.length <= LAST_TEXT_MAX ? text : `${sliceWhole(text, LAST_TEXT_MAX - 1)}…`;
}

/** Cuts a text, but no character of two units in half. */
function sliceWhole(text: string, length: number): string {
  const cut = text.slice(0, length);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}
