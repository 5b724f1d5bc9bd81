/** Guesses from an event's name what it is. A guess is only proposed; a person applies it. */
import { SEQUENCER_EVENT_TYPES } from '@svc/contract/vocabulary';
import type { EventMapping } from '@svc/domain/mappings/event-mapping';
import { toEventName } from '../events/event-name.ts';
import { toWords } from './json-leaves.ts';

export type ProposedType = NonNullable<EventMapping['eventTypes']>[string];

interface Rule {
  /** A word of each list must begin a word of the name. */
  readonly words: readonly (readonly string[])[];
  readonly not?: readonly string[];
  readonly type: ProposedType;
}

const SENT = ['sent', 'send', 'deliver', 'dispatch', 'done', 'complet'];
const ANSWERED = ['repl', 'answer', 'respon', 'receiv', 'inbound', 'incoming'];
const AUTO: ProposedType = { type: 'LEAD_CATEGORY_UPDATED', category: 'Auto reply' };

/** The first rule that fits counts. */
const RULES: readonly Rule[] = [
  { words: [['unsub', 'optout', 'optedout']], type: 'LEAD_UNSUBSCRIBED' },
  { words: [['opt', 'opted'], ['out']], type: 'LEAD_UNSUBSCRIBED' },
  { words: [['bounc']], type: 'EMAIL_BOUNCE' },
  {
    words: [
      ['auto', 'automatic', 'ooo'],
      [...ANSWERED, 'ooo'],
    ],
    type: AUTO,
  },
  { words: [['out'], ['office']], type: AUTO },
  { words: [['inmail'], ANSWERED], type: 'INMAIL_REPLY' },
  { words: [['inmail'], SENT], type: 'INMAIL_SENT' },
  { words: [['connect', 'invit'], ['accept']], type: 'CONNECTION_REQUEST_ACCEPTED' },
  {
    words: [
      ['connect', 'invit'],
      [...SENT, 'request'],
    ],
    not: ['call'],
    type: 'CONNECTION_REQUEST_SENT',
  },
  {
    words: [
      ['profile', 'linkedin'],
      ['view', 'visit'],
    ],
    type: 'PROFILE_VIEWED',
  },
  { words: [['like', 'liked']], type: 'POST_LIKED' },
  { words: [['follow', 'followed']], not: ['up'], type: 'FOLLOW_SENT' },
  {
    words: [
      ['call', 'dial', 'phone'],
      ['complet', 'end', 'finish', 'done', 'answer', 'log', 'made', 'connected'],
    ],
    type: 'CALL_COMPLETED',
  },
  { words: [['message', 'linkedin', 'dm', 'chat'], ANSWERED], not: ['email', 'mail'], type: 'MESSAGE_REPLY' },
  { words: [['message', 'linkedin', 'dm', 'chat'], SENT], not: ['email', 'mail'], type: 'MESSAGE_SENT' },
  { words: [['not'], ['interest']], type: { type: 'LEAD_CATEGORY_UPDATED', category: 'Not interested' } },
  { words: [['interest']], type: { type: 'LEAD_CATEGORY_UPDATED', category: 'Interested' } },
  {
    words: [
      ['meeting', 'demo'],
      ['book', 'schedul'],
    ],
    type: { type: 'LEAD_CATEGORY_UPDATED', category: 'Meeting booked' },
  },
  {
    words: [
      ['categor', 'status', 'stage', 'label', 'tag'],
      ['chang', 'updat', 'add', 'set'],
    ],
    type: 'LEAD_CATEGORY_UPDATED',
  },
  // Our answer to a reply.
  { words: [['repl', 'answer', 'respon'], ['sent']], not: ['call', 'dial', 'phone'], type: 'EMAIL_SENT' },
  { words: [ANSWERED], not: ['call', 'dial', 'phone', 'webhook'], type: 'EMAIL_REPLY' },
  { words: [['click']], type: 'EMAIL_LINK_CLICK' },
  { words: [['open']], type: 'EMAIL_OPEN' },
  {
    words: [
      ['read', 'view'],
      ['email', 'mail'],
    ],
    type: 'EMAIL_OPEN',
  },
  { words: [['sent', 'send', 'dispatch']], type: 'EMAIL_SENT' },
  {
    words: [
      ['outgoing', 'outbound'],
      ['email', 'mail'],
    ],
    type: 'EMAIL_SENT',
  },
];

/** Returns what an event of this name probably is; null when the name says too little. */
export function guessEventType(text: string): ProposedType | null {
  const name = toEventName(text);
  if (name === null) return null;
  const known = (Object.keys(SEQUENCER_EVENT_TYPES) as (keyof typeof SEQUENCER_EVENT_TYPES)[]).find(
    (type) => type === name,
  );
  if (known !== undefined) return known;
  const words = toWords(text);
  const has = (starts: readonly string[]) => starts.some((start) => words.some((word) => word.startsWith(start)));
  const rule = RULES.find(
    ({ words: needed, not = [] }) => needed.every(has) && !not.some((word) => words.includes(word)),
  );
  return rule?.type ?? null;
}
