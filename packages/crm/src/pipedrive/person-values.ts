import { createHash } from 'node:crypto';
import { LAST_VALUES, type LastValueName, type LastValues } from '@svc/domain/policy/last-values';
import type { PlannedField } from '@svc/domain/policy/planned-fields';
import type { CrmError, CrmWrite } from '../port/types.ts';
import { type CustomValue, hasValue, isBlank, toCustomValue } from './field-values.ts';
import type { PersonDetails } from './person.ts';
import { personIdentities } from './identities.ts';
import { fieldIdentities, findPersonField } from './person-fields.ts';
import { type PipedriveSession, tryOptionalPart } from './session.ts';

/**
 * What a write policy says of custom fields of a person: planned fields and last values.
 *
 * Each value that is written, or that needs no write, leaves a mark with the remembered person, so that the same value costs no call again:
 * of a field that is only filled its code, of a field that is overwritten the value too, of last values one mark for all of them.
 */

export type ValueMark = `fill:${string}` | `set:${string}` | `last:${string}`;

/** One custom field, and what is written to it. */
export interface PersonValue {
  code: string;
  value: CustomValue;
  mark: ValueMark;
  /** Whether it is only written where there is none. */
  isFill: boolean;
}

export interface PersonValues {
  /** What the events give a person who exists. */
  fields: readonly PersonValue[];
  /** What the events give a person whom the connector creates. */
  fieldsOfNew: readonly PersonValue[];
  lastValues: readonly PersonValue[];
  /** Why values are left out. */
  problems: readonly CrmError[];
}

/** How a last value is kept. Pipedrive's fields have no time of day, but its filters compare days. */
export const LAST_VALUE_TYPES = { datetime: 'date', number: 'double', text: 'varchar' } as const;

/** Returns the name of the person field that holds a last value. */
export function lastValueFieldName(name: LastValueName): string {
  const { label } = LAST_VALUES[name];
  return `Sequencer: ${label.charAt(0).toLowerCase()}${label.slice(1)}`;
}

/** The identities under which the fields of these events are remembered. */
export function valueIdentities(writes: readonly CrmWrite[]): string[] {
  const planned = writes.flatMap(({ fields }) => fields.map(({ property }) => property));
  const last = writes.flatMap(({ lastValues }) => namesOf(lastValues).map(lastValueFieldName));
  return fieldIdentities([...new Set([...planned, ...last])]);
}

/** Returns what is written of an event. Costs no call without fields and last values, and none when the fields are remembered. */
export async function resolveValues(session: PipedriveSession, write: CrmWrite): Promise<PersonValues> {
  const problems: CrmError[] = [];
  const [fields, fieldsOfNew, lastValues]: PersonValue[][] = [[], [], []];
  await tryOptionalPart(problems, async () => {
    for (const planned of write.fields) {
      const resolved = await resolveField(session, planned, problems);
      fields?.push(...resolved.existing);
      fieldsOfNew?.push(...resolved.created);
    }
    lastValues?.push(...(await resolveLastValues(session, write.lastValues, problems)));
  });
  return { fields: fields ?? [], fieldsOfNew: fieldsOfNew ?? [], lastValues: lastValues ?? [], problems };
}

async function resolveField(session: PipedriveSession, planned: PlannedField, problems: CrmError[]) {
  const { property, write, value, valueOfNew } = planned;
  const none = { existing: [], created: [] };
  if (valueOfNew === null) return none;
  const field = await findPersonField(session, property);
  if (field === null) {
    const message = `Pipedrive shows no custom person field "${property}" to the user of the token`;
    problems.push({ code: 'unknown_property', message, httpStatus: null });
    return none;
  }
  const convert = (given: PlannedField['value'], isFill: boolean): PersonValue[] => {
    const converted = given === null ? null : toCustomValue(field, given);
    if (converted === null) return [];
    const { code } = field;
    return [{ code, value: converted, isFill, mark: isFill ? fillMark(code) : setMark(code, converted) }];
  };
  const created = convert(valueOfNew, write !== 'overwrite');
  if (created.length === 0) {
    const message = `The value does not fit Pipedrive's person field "${property}" of the type ${field.type}`;
    problems.push({ code: 'value_does_not_fit', message, httpStatus: null });
  }
  return { existing: write === 'create-only' ? [] : convert(value, write === 'fill'), created };
}

async function resolveLastValues(session: PipedriveSession, lastValues: LastValues | null, problems: CrmError[]) {
  const values: Omit<PersonValue, 'mark'>[] = [];
  const missing: string[] = [];
  for (const name of namesOf(lastValues)) {
    const value = lastValues?.[name] ?? null;
    if (value === null) continue;
    const { type } = LAST_VALUES[name];
    const field = await findPersonField(session, lastValueFieldName(name));
    const text = type === 'datetime' && typeof value === 'number' ? new Date(value).toISOString() : value;
    const converted = field?.type === LAST_VALUE_TYPES[type] ? toCustomValue(field, text) : null;
    if (field === null || converted === null) missing.push(lastValueFieldName(name));
    else values.push({ code: field.code, value: converted, isFill: false });
  }
  if (missing.length > 0) {
    const names = missing.map((name) => `"${name}"`).join(', ');
    const message = `Pipedrive lacks person fields for last values (${names}): run svc-server connections prepare ID`;
    problems.push({ code: 'last_values_not_prepared', message: message.slice(0, 500), httpStatus: null });
  }
  if (values.length === 0) return [];
  const mark: ValueMark = `last:${hashOf(values.map(({ code, value }) => [code, value]))}`;
  return values.map((value) => ({ ...value, mark }));
}

/** Returns the values that the person is not known to have. */
export function unsettled(values: readonly PersonValue[], settled: ReadonlySet<string>): PersonValue[] {
  return values.filter(({ mark }) => !settled.has(mark));
}

/** Returns what of these values a person lacks, by the code of the field. */
export function lackingValues(
  values: readonly PersonValue[],
  { customFields }: Pick<PersonDetails, 'customFields'>,
): Record<string, CustomValue> {
  const lacking = values.filter(({ code, value, isFill }) => {
    const shown = customFields[code];
    return isFill ? isBlank(shown) : !hasValue(shown, value);
  });
  return Object.fromEntries(lacking.map(({ code, value }) => [code, value]));
}

/** Returns the marks of a person who has the values: one mark per field that is overwritten, and one of last values. */
export function settleValues<Mark extends string>(
  settled: ReadonlySet<Mark>,
  values: readonly PersonValue[],
): Set<Mark | ValueMark> {
  const replaced = values.map(({ mark }) => (mark.startsWith('last:') ? 'last:' : (mark.split('=')[0] ?? mark)));
  const kept = [...settled].filter((mark) => !replaced.some((start) => mark.startsWith(start)));
  return new Set<Mark | ValueMark>([...kept, ...values.map(({ mark }) => mark)]);
}

/** Returns the marks without those of values that are overwritten: they are compared again when the person is read. */
export function withoutReplaced<Mark extends string>(settled: ReadonlySet<Mark>): Set<Mark> {
  return new Set([...settled].filter((mark) => !/^(set|last):/.test(mark)));
}

/**
 * Gives each event of a batch the last values of its person's last event. They count all events of the batch already, so the person gets
 * them with the first write, and later events find the mark.
 */
export function withLatestValues(events: readonly CrmWrite[]): CrmWrite[] {
  const latest = new Map<string, LastValues>();
  const personOf = ({ event }: CrmWrite) => personIdentities(event)[0] ?? '';
  for (const write of events) {
    const person = personOf(write);
    if (write.lastValues !== null) latest.set(person, { ...latest.get(person), ...write.lastValues });
  }
  return events.map((write) =>
    write.lastValues === null ? write : { ...write, lastValues: latest.get(personOf(write)) ?? null },
  );
}

function namesOf(lastValues: LastValues | null): LastValueName[] {
  return lastValues === null ? [] : (Object.keys(lastValues) as LastValueName[]);
}

/** Long enough to tell the fields of one account apart. */
const CODE_LENGTH = 12;

function fillMark(code: string): ValueMark {
  return `fill:${code.slice(0, CODE_LENGTH)}`;
}

function setMark(code: string, value: CustomValue): ValueMark {
  return `set:${code.slice(0, CODE_LENGTH)}=${hashOf(value)}`;
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);
}
