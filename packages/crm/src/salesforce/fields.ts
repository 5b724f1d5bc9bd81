import { createHash } from 'node:crypto';
import type { FieldValue } from '@svc/domain/policy/planned-fields';
import type { Fields } from '../http/answer-values.ts';
import type { CrmWrite } from '../port/types.ts';
import { isBlank } from './details.ts';
import { isSameValue, toFieldValue } from './field-values.ts';
import type { PersonType, SalesforceOrg } from './org.ts';
import { type EventWrite, warnEvents } from './session.ts';

/**
 * The fields of a policy: what they change in a contact or lead, and what is remembered of them.
 *
 * A field that only one of both objects has is left out for the other.
 */

/** Fields that other rules write. */
const RESERVED = new Set(['Id', 'Email', 'OwnerId', 'AccountId', 'Status', 'RecordTypeId']);

export function isReserved(name: string): boolean {
  return RESERVED.has(name) || name.toLowerCase().startsWith('svc_');
}

/** Returns the properties that the plans of these events write, so that they are read with the record. */
export function propertiesOf(writes: readonly CrmWrite[]): string[] {
  return [...new Set(writes.flatMap(({ fields }) => fields.map(({ property }) => property)))];
}

/**
 * Returns the values that a new record gets: those of the event that creates it, and of the others what they would write to it.
 *
 * @param events the creating event first
 */
export function fieldsOfNew(type: PersonType, events: readonly EventWrite[], org: SalesforceOrg): Fields {
  return Object.fromEntries(mergeFields(type, events, org, null));
}

/** Returns the values that these events change in an existing record. */
export function fieldsOfExisting(
  type: PersonType,
  events: readonly EventWrite[],
  org: SalesforceOrg,
  row: Fields,
): Fields {
  const merged = [...mergeFields(type, events, org, row)];
  const changed = merged.filter(([name, value]) => {
    const field = org.fields[type]?.get(name);
    return field !== undefined && !isSameValue(row[name], value, field);
  });
  return Object.fromEntries(changed);
}

/** Merges the fields of events in their order, as when the events are written one by one. @param row null: the first event creates it */
function mergeFields(
  type: PersonType,
  events: readonly EventWrite[],
  org: SalesforceOrg,
  row: Fields | null,
): Map<string, FieldValue> {
  const merged = new Map<string, FieldValue>();
  for (const [index, event] of events.entries()) {
    const isCreating = row === null && index === 0;
    for (const { property, write, value, valueOfNew } of event.write.fields) {
      const given = isCreating ? valueOfNew : value;
      if (given === null || (write === 'create-only' && !isCreating)) continue;
      const isFilled = merged.has(property) || (row !== null && !isBlank(row, property));
      if (write === 'fill' && isFilled) continue;
      const converted = convert({ event, type, property, value: given, isNew: row === null }, org);
      if (converted !== null) merged.set(property, converted);
    }
  }
  return merged;
}

function convert(
  wanted: { event: EventWrite; type: PersonType; property: string; value: FieldValue; isNew: boolean },
  org: SalesforceOrg,
): FieldValue | null {
  const { event, type, property, value, isNew } = wanted;
  const field = org.fields[type]?.get(property);
  if (field === undefined && isOfOther(type, property, org)) return null;
  const isWritable = (isNew ? field?.isCreateable : field?.isUpdateable) === true && !isReserved(property);
  const converted = field === undefined || !isWritable ? null : toFieldValue(value, field);
  if (converted !== null) return converted;
  const message = isWritable
    ? `The value for ${type}.${property} does not fit the field in Salesforce, and is left out`
    : `Salesforce does not let the user of the connection write ${type}.${property}: field security hides it, the org does not have it, or this service writes it by another rule`;
  warnEvents([event], { code: isWritable ? 'value_does_not_fit' : 'field_hidden', message, httpStatus: null });
  return null;
}

function isOfOther(type: PersonType, property: string, { fields }: SalesforceOrg): boolean {
  return fields[type === 'Contact' ? 'Lead' : 'Contact']?.has(property) === true;
}

interface WantedField {
  property: string;
  write: 'fill' | 'overwrite';
  value: FieldValue;
}

/** Returns what the fields of these events want to be true of an existing record. */
export function wantedFields(type: PersonType, events: readonly EventWrite[], org: SalesforceOrg): WantedField[] {
  const wanted = events.flatMap(({ write: { fields } }) =>
    fields.flatMap(({ property, write, value }): [string, WantedField][] =>
      write === 'create-only' || value === null || org.fields[type]?.has(property) !== true
        ? []
        : [[`${property} ${write}`, { property, write, value }]],
    ),
  );
  // The last value of each field and way of writing: it overwrites the earlier ones, and a field is filled by whichever value comes first.
  return [...new Map(wanted).values()];
}

/**
 * Returns a mark of each field of a record that was read or written: of a property that is filled, whatever its value, and of a value that was
 * written over another one, or refused.
 */
export function marksOf(wanted: readonly WantedField[], values: Fields): string[] {
  return wanted.map((field) =>
    field.write === 'fill' && !isBlank(values, field.property) ? filledMark(field) : valueMark(field),
  );
}

/** Returns whether writing these fields to the record of the marks would change nothing. */
export function areMarked(wanted: readonly WantedField[], marks: ReadonlySet<string>): boolean {
  return wanted.every(
    (field) => marks.has(valueMark(field)) || (field.write === 'fill' && marks.has(filledMark(field))),
  );
}

function valueMark({ property, write, value }: WantedField): string {
  return hashMark([property, write, value]);
}

function filledMark({ property }: WantedField): string {
  return hashMark([property]);
}

/** Short, because a record has many of them. */
function hashMark(content: readonly FieldValue[]): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 8);
}

/** Joins what is remembered of the details and of the fields. */
export function joinHashes(detailsHash: string, marks: readonly string[]): string {
  return [detailsHash, ...marks].join(' ');
}

/** Returns what `joinHashes` joined. */
export function splitHashes(joined: string | null): { detailsHash: string | null; marks: ReadonlySet<string> } {
  const [detailsHash = null, ...marks] = joined?.split(' ') ?? [];
  return { detailsHash, marks: new Set(marks) };
}
