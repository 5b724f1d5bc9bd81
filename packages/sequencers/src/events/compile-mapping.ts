/** A mapping with its paths read and its event names made comparable, once per mapping instead of once per event. */
import { SEQUENCER_EVENT_TYPES, type SequencerEventType } from '@svc/contract/vocabulary';
import { type DateOrder, type EventMapping, type MappedField, OTHER_EVENTS } from '@svc/domain/mappings/event-mapping';
import { comparableEventName } from '@svc/domain/mappings/event-name';
import { type MappingPath, MappingPathError, parseMappingPath } from '@svc/domain/mappings/mapping-path';

/** One place of a field. */
export interface Place {
  /** Its paths; with several, their values are joined. */
  readonly paths: readonly MappingPath[];
  /** The paths as written. */
  readonly texts: readonly string[];
}

export type MappedType =
  | { readonly kind: 'ignored' }
  | { readonly kind: 'type'; readonly name: SequencerEventType; readonly category: string | null };

export interface CompiledMapping {
  /** Null when the items are the body itself, or its elements. */
  readonly items: readonly Place[] | null;
  /**
   * Returns the places of a field.
   *
   * @param labels the name and the type of the event, whose own places come before those of all events
   */
  readonly placesOf: (name: MappedField, labels?: readonly string[]) => readonly Place[];
  readonly constantOf: (name: MappedField) => string | undefined;
  readonly dateOrder: DateOrder | undefined;
  /** Returns what an event name of `toEventName` is; null when the mapping does not know it. */
  readonly typeOf: (ownName: string) => MappedType | null;
}

const compiled = new WeakMap<EventMapping, CompiledMapping>();

export function compileMapping(mapping: EventMapping): CompiledMapping {
  const known = compiled.get(mapping);
  if (known !== undefined) return known;
  const made = compile(mapping);
  compiled.set(mapping, made);
  return made;
}

function compile(mapping: EventMapping): CompiledMapping {
  const { items, fields, when = {}, dateOrder, eventTypes = {}, constants = {} } = mapping;
  const places = toPlacesByField(fields);
  const placesByLabel = new Map(
    Object.entries(when).map(([label, given]) => [comparableEventName(label), toPlacesByField(given)]),
  );
  const values = new Map(Object.entries(constants));
  const types = new Map(
    Object.entries(eventTypes).map(([name, type]) => [
      name === OTHER_EVENTS ? name : comparableEventName(name),
      toMappedType(type),
    ]),
  );
  return {
    items: items === undefined ? null : toPlaces(items),
    placesOf: (name, labels = []) => {
      const label = labels.find((each) => placesByLabel.get(each)?.has(name) === true);
      const own = label === undefined ? places : placesByLabel.get(label);
      return own?.get(name) ?? [];
    },
    constantOf: (name) => values.get(name),
    dateOrder,
    typeOf: (ownName) =>
      types.get(ownName) ?? (isSequencerEvent(ownName) ? toMappedType(ownName) : (types.get(OTHER_EVENTS) ?? null)),
  };
}

/** The names of the vocabulary need no entry in `eventTypes`. */
function isSequencerEvent(name: string): name is SequencerEventType {
  return Object.hasOwn(SEQUENCER_EVENT_TYPES, name);
}

function toMappedType(type: NonNullable<EventMapping['eventTypes']>[string]): MappedType {
  if (type === 'ignored') return { kind: 'ignored' };
  return typeof type === 'string'
    ? { kind: 'type', name: type, category: null }
    : { kind: 'type', name: type.type, category: type.category };
}

function toPlacesByField(fields: Readonly<Record<string, GivenPlaces | null>>): Map<string, Place[]> {
  return new Map(Object.entries(fields).map(([name, given]) => [name, given === null ? [] : toPlaces(given)]));
}

type GivenPlaces = string | readonly (string | readonly string[])[];

/** Paths that this release cannot read, because another one stored them, yield nothing. */
function toPlaces(given: GivenPlaces = []): Place[] {
  return (typeof given === 'string' ? [given] : given).flatMap((place) => {
    try {
      const texts = typeof place === 'string' ? [place] : place;
      return [{ texts, paths: texts.map(parseMappingPath) }];
    } catch (error) {
      if (error instanceof MappingPathError) return [];
      throw error;
    }
  });
}
