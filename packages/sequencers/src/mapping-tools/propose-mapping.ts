/**
 * Proposes a mapping from received payloads: places with the usual names of a field and with values of its form. The result is
 * for a person to check; what it does not find is left out.
 */
import {
  type DateOrder,
  type EventMapping,
  eventMappingSchema,
  type MappedField,
  type NamedField,
} from '@svc/domain/mappings/event-mapping';
import { normalize } from '../events/index.ts';
import { firstOf } from '../events/json-fields.ts';
import { FIELD_PARSERS } from '../events/mapped-fields.ts';
import { type ChosenColumn, coverWith, type FittingColumn, rank } from './place-fit.ts';
import { PLACE_NAMES, type PlaceNames } from './place-names.ts';
import { findDateOrder } from './propose-date-order.ts';
import { findEventKey } from './propose-event-key.ts';
import { countNames, findEventName, type NamedEvents } from './propose-event-name.ts';
import { findItems } from './propose-items.ts';
import { findLead } from './propose-lead.ts';
import { type FoundItems, listItems, type Sample, toColumns } from './sample-items.ts';
import { type ReadSample, warnOfSamples } from './sample-warnings.ts';

/**
 * How sure a place is:
 *
 * - `sure`: its key is exactly a usual name of the field, and all its values have the field's form.
 * - `likely`: its key only ends with a usual name, or some values have another form.
 * - `check`: another reading is as possible, so a person must look.
 */
export type Sureness = 'sure' | 'likely' | 'check';

export interface ProposedPlace {
  readonly field: MappedField;
  /** The name or type of the events that have the field at this place; null when all events have it there. */
  readonly when: string | null;
  readonly path: string;
  /** The number of events that have a value at this place. */
  readonly count: number;
  readonly sureness: Sureness;
}

export interface MappingProposal {
  readonly mapping: EventMapping;
  /** Events that the payloads have. */
  readonly itemCount: number;
  /** By field in the order of preference. */
  readonly places: readonly ProposedPlace[];
  /** The event names that were seen, and what they would be; null when the name says too little. */
  readonly eventNames: readonly NamedEvents[];
  /** Paths of values that no field uses, and how many events have each. */
  readonly unused: readonly { path: string; count: number }[];
  /** Sentences about what a person must look at; without values of the payloads. */
  readonly warnings: readonly string[];
}

type Place = string | string[];
type PlacedField = keyof typeof PLACE_NAMES;
type When = Map<string, Map<NamedField, Place[]>>;

/** @param samples payloads with lower-case headers; the more, and the more different, the better */
export function proposeMapping(samples: readonly Sample[]): MappingProposal {
  const foundItems = findItems(samples.map(({ body }) => body));
  const items = listItems(samples, foundItems);
  const columns = toColumns(items);
  const dates = findDateOrder(columns);
  const draft = new MappingDraft();

  const eventName = findEventName(columns);
  const names = eventName?.names ?? new Map<number, string>();
  const eventNames = countNames(names.values());
  if (eventName !== null) {
    const areKnown = eventNames.some(({ type }) => type !== null);
    draft.add('eventName', eventName.place, names.size, areKnown ? 'sure' : 'check');
  }
  const lead = findLead({ columns, itemCount: items.length, names });
  const chosen = new Map<MappedField, readonly ChosenColumn[]>([
    ['email', lead.email],
    ['fromEmail', lead.fromEmail],
  ]);
  for (const field of ['email', 'fromEmail'] as const) {
    for (const place of chosen.get(field) ?? []) draft.addColumn(field, place, lead.isGuessed);
  }
  for (const name of lead.otherEnd?.names ?? []) {
    for (const field of ['email', 'fromEmail', 'fullName'] as const)
      draft.addWhen(name, field, lead.otherEnd?.[field] ?? []);
  }
  for (const [field, placeNames] of Object.entries(PLACE_NAMES) as [PlacedField, PlaceNames][]) {
    if (chosen.has(field)) continue;
    const parse = (value: unknown) => FIELD_PARSERS[field](value, dates.order);
    const free = columns.filter(({ leaf }) => !draft.taken.has(leaf.path));
    const ranked = rank(free, placeNames, parse);
    const { ofReplies, ofOthers } = TEXTS.has(field) ? splitTexts(ranked) : { ofReplies: [], ofOthers: ranked };
    const places = coverWith(ofOthers, parse);
    chosen.set(field, places);
    for (const place of places)
      draft.addColumn(field, place, field === 'occurredAt' && dates.order !== undefined && !dates.isProven);
    if (ofReplies.length > 0) draft.addWhen('EMAIL_REPLY', field, coverWith(ofReplies, parse));
  }
  const { key, unproven } = findEventKey({
    columns,
    items,
    leads: items.map((_item, index) => leadOf(index, [...lead.email, ...(lead.otherEnd?.email ?? [])], chosen)),
    messageId: chosen.get('messageId')?.[0]?.column.leaf.path,
    occurredAt: chosen.get('occurredAt')?.[0]?.column.leaf.path,
  });
  if (key !== null) draft.add('eventKey', key.place, items.length, key.isProven ? 'sure' : 'likely');

  const mapping = draft.toMapping(foundItems, dates.order, eventNames);
  return {
    mapping,
    itemCount: items.length,
    places: draft.places,
    eventNames,
    unused: columns
      .filter(({ leaf }) => !draft.taken.has(leaf.path))
      .map(({ leaf, values }) => ({ path: leaf.path, count: values.size })),
    warnings: [
      ...lead.warnings,
      ...(dates.order === undefined || dates.isProven ? [] : [unprovenOrder(dates.order)]),
      ...(unproven.length === 0 ? [] : [unprovenKeys(unproven)]),
      ...warnOfSamples(readSamples(mapping, samples)),
    ],
  };
}

/** Texts of a mail. The payload of a reply may have them twice: for the reply, and for the mail that it answers. */
const TEXTS: ReadonlySet<MappedField> = new Set(['subject', 'bodyHtml', 'bodyText', 'messageId']);

/** Separates the text of a reply from that of our mail, when the payloads have both. */
function splitTexts(ranked: readonly FittingColumn[]): {
  ofReplies: FittingColumn[];
  ofOthers: readonly FittingColumn[];
} {
  const isOfReply = ({ column }: FittingColumn) => column.leaf.words.some((word) => word.startsWith('repl'));
  const ofReplies = ranked.filter(isOfReply);
  return ofReplies.length === ranked.length
    ? { ofReplies: [], ofOthers: ranked }
    : { ofReplies, ofOthers: ranked.filter((fitting) => !isOfReply(fitting)) };
}

/** Returns the lead of an item as it is compared: by address, or else by profile. */
function leadOf(
  index: number,
  addresses: readonly ChosenColumn[],
  chosen: ReadonlyMap<MappedField, readonly ChosenColumn[]>,
): string | null {
  const first = (columns: readonly ChosenColumn[], parse: (value: unknown) => string | null) =>
    firstOf(
      columns.map(({ column }) => column.values.get(index)),
      parse,
    );
  return first(addresses, FIELD_PARSERS.email) ?? first(chosen.get('profileUrl') ?? [], FIELD_PARSERS.profileUrl);
}

function readSamples(mapping: EventMapping, samples: readonly Sample[]): ReadSample[] {
  const checked = eventMappingSchema.safeParse(mapping);
  if (!checked.success) return [];
  const reader = { platform: '', mapping: checked.data };
  return samples.map((sample, index) => {
    const bodyHash = String(index);
    return { name: `payload ${index + 1}`, bodyHash, result: normalize(reader, { ...sample, bodyHash }) };
  });
}

function unprovenOrder(order: DateOrder): string {
  return `The dates may be read with the day or the month first; ${order} is a guess, because no day after the twelfth is among them. Check dateOrder.`;
}

function unprovenKeys(paths: readonly string[]): string {
  return `No eventKey is proposed, because no lead has two events that tell whether ${paths.join(' or ')} is the event's id or another one. Until there is a key, only a request with the same body counts as a repeat.`;
}

/** Collects the places that are found. */
class MappingDraft {
  readonly places: ProposedPlace[] = [];
  readonly taken = new Set<string>();
  readonly #fields = new Map<MappedField, Place[]>();
  readonly #when: When = new Map();

  add(field: MappedField, paths: readonly string[], count: number, sureness: Sureness): void {
    this.#fields.set(field, [...(this.#fields.get(field) ?? []), toPlace(paths)]);
    this.places.push({ field, when: null, path: paths.join(' + '), count, sureness });
    for (const path of paths) this.taken.add(path);
  }

  addColumn(field: MappedField, { column, fit, count }: ChosenColumn, isGuessed: boolean): void {
    const isSure = fit.isExact && count === column.values.size;
    this.add(field, [column.leaf.path], count, isGuessed ? 'check' : isSure ? 'sure' : 'likely');
  }

  /** Adds places of the events of one name or type. */
  addWhen(label: string, field: NamedField, columns: readonly ChosenColumn[]): void {
    const fields = this.#when.get(label) ?? new Map<NamedField, Place[]>();
    this.#when.set(label, fields);
    fields.set(
      field,
      columns.map(({ column }) => column.leaf.path),
    );
    for (const { column, count } of columns) {
      this.places.push({ field, when: label, path: column.leaf.path, count, sureness: 'check' });
      this.taken.add(column.leaf.path);
    }
  }

  toMapping({ path, isMixed }: FoundItems, order: DateOrder | undefined, named: readonly NamedEvents[]): EventMapping {
    const eventTypes = Object.fromEntries(
      named.flatMap(({ name, type }) => (type === null || name.length > 64 ? [] : [[name, type]])),
    );
    const when = Object.fromEntries(
      [...this.#when].flatMap(([label, fields]) => {
        // These events have no place of the field. Other events have one, so an empty list says that the field is not read here.
        const given = [...fields].filter(([field, places]) => places.length > 0 || this.#fields.has(field));
        return label.length > 64 || given.length === 0 ? [] : [[label, toFields(given)]];
      }),
    );
    return {
      ...(path === null ? {} : { items: isMixed ? [path, '$'] : path }),
      fields: toFields([...this.#fields]),
      ...(Object.keys(when).length === 0 ? {} : { when }),
      ...(order === undefined ? {} : { dateOrder: order }),
      ...(Object.keys(eventTypes).length === 0 ? {} : { eventTypes }),
    };
  }
}

function toPlace(paths: readonly string[]): Place {
  const [first = ''] = paths;
  return paths.length === 1 ? first : [...paths];
}

function toFields(
  fields: readonly (readonly [MappedField, readonly Place[]])[],
): Record<string, string | Place[] | null> {
  return Object.fromEntries(
    fields.map(([field, [first, ...more]]) => {
      if (first === undefined) return [field, null];
      return [field, typeof first === 'string' && more.length === 0 ? first : [first, ...more]];
    }),
  );
}
