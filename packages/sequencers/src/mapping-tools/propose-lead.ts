/**
 * Finds the address of the lead and that of our mailbox. A key that says whose address it is (`lead.email`, `mailbox`) has the
 * same owner in every event. The sender and the recipient of a mail do not: when the lead replies, they change places on some
 * platforms, and keep them on others. So each address is judged by what the samples say about it, and events whose lead is at
 * the other end get places of their own.
 */
import type { SequencerEventType } from '@svc/contract/vocabulary';
import { toText } from '../events/json-fields.ts';
import { FIELD_PARSERS } from '../events/mapped-fields.ts';
import { toWords } from './json-leaves.ts';
import { guessEventType } from './event-name-types.ts';
import { roleOf } from './mail-roles.ts';
import { type ChosenColumn, coverWith, type FittingColumn, rank } from './place-fit.ts';
import { NAMES_OF_SENDERS, NAMES_OF_RECIPIENTS, PLACE_NAMES } from './place-names.ts';
import type { Column } from './sample-items.ts';

type End = 'from' | 'to';

export interface FoundLead {
  readonly email: readonly ChosenColumn[];
  readonly fromEmail: readonly ChosenColumn[];
  /** The events whose lead is at the other end of the mail; null when there are none. */
  readonly otherEnd: {
    readonly names: readonly string[];
    readonly email: readonly ChosenColumn[];
    readonly fromEmail: readonly ChosenColumn[];
    /** Where the name of the person at the other end is; no other place has the name of these leads. */
    readonly fullName: readonly ChosenColumn[];
  } | null;
  /** Whether the sender or the recipient of a mail was taken for the lead. */
  readonly isGuessed: boolean;
  readonly warnings: readonly string[];
}

export interface LeadSearch {
  readonly columns: readonly Column[];
  readonly itemCount: number;
  /** The event's name by the position of the item. */
  readonly names: ReadonlyMap<number, string>;
}

const REPLIES: ReadonlySet<SequencerEventType> = new Set(['EMAIL_REPLY', 'MESSAGE_REPLY', 'INMAIL_REPLY']);

function isReplyName(name: string): boolean {
  const type = guessEventType(name);
  return typeof type === 'string' ? type !== 'ignored' && REPLIES.has(type) : type?.category === 'Auto reply';
}

export function findLead(search: LeadSearch): FoundLead {
  const { columns, itemCount, names } = search;
  const parse = FIELD_PARSERS.email;
  const ofRole = (...roles: readonly string[]) => columns.filter(({ leaf }) => roles.includes(roleOf(leaf) ?? ''));
  const leads = rank(ofRole('lead', 'plain'), PLACE_NAMES.email, parse);
  const ours = rank(ofRole('ours'), PLACE_NAMES.fromEmail, parse);
  const ends: Record<End, FittingColumn[]> = {
    from: rank(ofRole('from'), PLACE_NAMES.fromEmail, parse),
    to: rank(ofRole('to'), PLACE_NAMES.email, parse),
  };
  const known = coverWith(leads, parse);
  const items = Array.from({ length: itemCount }, (_, index) => index);
  const isKnown = (index: number) => addressAt(known, index) !== null;
  const open = items.filter(
    (index) => !isKnown(index) && (addressAt(ends.from, index) ?? addressAt(ends.to, index)) !== null,
  );
  if (open.length === 0) {
    const notLead = (value: unknown, index: number) => {
      const address = parse(value);
      return address === addressAt(known, index) ? null : address;
    };
    return {
      email: known,
      fromEmail: coverWith([...ours, ...ends.from, ...ends.to], notLead),
      otherEnd: null,
      isGuessed: false,
      warnings: [],
    };
  }

  const scores = scoreAddresses(search, { known, ours, ends });
  const endOf = (index: number): End => {
    const [from, to] = [addressAt(ends.from, index), addressAt(ends.to, index)];
    if (from === null || to === null) return from === null ? 'to' : 'from';
    return (scores.get(from) ?? 0) > (scores.get(to) ?? 0) ? 'from' : 'to';
  };
  const endsByName = Map.groupBy(open, (index) => names.get(index) ?? '');
  const atFrom = [...endsByName].filter(
    ([, same]) => same.filter((index) => endOf(index) === 'from').length * 2 > same.length,
  );
  const fromNames = atFrom.map(([name]) => name).filter((name) => name !== '');
  const isMainlyFrom = fromNames.length * 2 > endsByName.size;
  const main: End = isMainlyFrom ? 'from' : 'to';
  const other: End = isMainlyFrom ? 'to' : 'from';
  const otherNames = isMainlyFrom
    ? [...endsByName.keys()].filter((name) => !fromNames.includes(name) && name !== '')
    : fromNames;
  const within = (chosenNames: readonly string[], isIn: boolean) => (value: unknown, index: number) =>
    chosenNames.includes(names.get(index) ?? '') === isIn ? parse(value) : null;
  const placesFor = (lead: End, mailbox: End, isIn: boolean) => ({
    email: coverWith([...leads, ...ends[lead]], within(otherNames, isIn)),
    fromEmail: coverWith([...ours, ...ends[mailbox]], within(otherNames, isIn)),
  });
  const nameColumns = rank(columns, other === 'from' ? NAMES_OF_SENDERS : NAMES_OF_RECIPIENTS, FIELD_PARSERS.fullName);
  return {
    ...placesFor(main, other, false),
    otherEnd:
      otherNames.length === 0
        ? null
        : {
            names: otherNames,
            ...placesFor(other, main, true),
            fullName: coverWith(nameColumns, FIELD_PARSERS.fullName),
          },
    isGuessed: true,
    warnings: warnOfGuess(search, main, otherNames),
  };
}

function warnOfGuess({ names }: LeadSearch, main: End, otherNames: readonly string[]): string[] {
  const ends: Record<End, string> = { from: 'sender', to: 'recipient' };
  const other = main === 'from' ? ends.to : ends.from;
  const exception = otherNames.length === 0 ? '' : `, and of ${otherNames.join(', ')} its ${other}`;
  const replies = [...names.values()].some(isReplyName)
    ? ''
    : ' No reply is among the payloads: on some platforms both addresses change places on a reply, which "when" is for.';
  return [
    `No key says which address is the lead's: the ${ends[main]} of the mail was taken for the lead${exception}. Check it with sources try.${replies}`,
  ];
}

interface Ends {
  readonly known: readonly FittingColumn[];
  readonly ours: readonly FittingColumn[];
  readonly ends: Readonly<Record<End, readonly FittingColumn[]>>;
}

const WEIGHTS = { known: 10, reply: 2, other: 2, unnamed: 1, onlyNamedEnd: 5, namedAlike: 4 };

/** Returns how much speaks for each address being a lead's; below zero, for being ours. */
function scoreAddresses({ columns, itemCount, names }: LeadSearch, { known, ours, ends }: Ends): Map<string, number> {
  const scores = new Map<string, number>();
  const add = (address: string | null, weight: number) => {
    if (address !== null) scores.set(address, (scores.get(address) ?? 0) + weight);
  };
  const nameOf = (placeNames: typeof NAMES_OF_SENDERS) =>
    rank(columns, placeNames, FIELD_PARSERS.fullName).map(({ column }) => column);
  const endNames = { from: nameOf(NAMES_OF_SENDERS), to: nameOf(NAMES_OF_RECIPIENTS) };
  const leadNames = (['firstName', 'lastName', 'fullName'] as const).flatMap((field) =>
    rank(columns, PLACE_NAMES[field], FIELD_PARSERS[field]).map(({ column }) => column),
  );
  for (let index = 0; index < itemCount; index += 1) {
    add(addressAt(known, index), WEIGHTS.known);
    add(addressAt(ours, index), -WEIGHTS.known);
    const [from, to] = [addressAt(ends.from, index), addressAt(ends.to, index)];
    const name = names.get(index);
    const weight =
      name === undefined || guessEventType(name) === null
        ? -WEIGHTS.unnamed
        : isReplyName(name)
          ? WEIGHTS.reply
          : -WEIGHTS.other;
    add(from, weight);
    add(to, -weight);
    const isNamed = (column: Column) => column.values.has(index);
    // When only one end has a name, it is the person that the event is about. A sender of our mail may have one, too.
    const named = { from: endNames.from.some(isNamed), to: endNames.to.some(isNamed) };
    if (named.to && !named.from) add(to, WEIGHTS.onlyNamedEnd);
    if (named.from && !named.to && weight > 0) add(from, WEIGHTS.onlyNamedEnd);
    const words = new Set(
      leadNames.filter((column) => !endNames.to.includes(column)).flatMap((column) => wordsAt(column, index)),
    );
    for (const address of [from, to]) {
      const local = address?.split('@')[0] ?? '';
      if (toWords(local).some((word) => words.has(word))) add(address, WEIGHTS.namedAlike);
    }
  }
  return scores;
}

/** Returns the words of a name that are long enough to compare. */
function wordsAt({ values }: Column, index: number): string[] {
  return toWords(toText(values.get(index)) ?? '').filter((word) => word.length > 2);
}

function addressAt(ranked: readonly FittingColumn[], index: number): string | null {
  for (const { column } of ranked) {
    const address = FIELD_PARSERS.email(column.values.get(index));
    if (address !== null) return address;
  }
  return null;
}
