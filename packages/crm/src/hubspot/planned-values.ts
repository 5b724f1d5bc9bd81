import { createHash } from 'node:crypto';
import type { PlannedField } from '@svc/domain/policy/planned-fields';
import { type ConvertedValue, toPropertyValue } from '../events/field-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import type { CrmProperty } from '../port/setup.ts';
import type { CrmError, CrmWrite } from '../port/types.ts';
import { type BatchContact, type EventWrite, failOptionalPart, fills, type PlannedValue } from './event-write.ts';
import { toLastValues } from './last-values.ts';
import { definitionsFor, missingProperty } from './property-definitions.ts';
import type { HubspotSession, PropertyDefinitions } from './session.ts';

/**
 * What the fields of a plan write to a contact, in the form of HubSpot's properties.
 *
 * The connector remembers which properties of a contact are filled, with a short hash of each value that a policy replaces: so an event that
 * changes nothing costs no call. What somebody changes in HubSpot is noticed when the contact is read again, after a day.
 */

/** Properties that outcomes write. */
export const LEAD_STATUS = 'hs_lead_status';
export const LIFECYCLE_STAGE = 'lifecyclestage';

/** Returns the properties that plans write to contacts that exist, and whether values are replaced there. */
export function listPlannedNames(events: readonly CrmWrite[]): ReadonlyMap<string, boolean> {
  const names = new Map<string, boolean>();
  for (const { property, write, value } of events.flatMap(({ fields }) => fields)) {
    if (value !== null) names.set(property, names.get(property) === true || write === 'overwrite');
  }
  for (const { plan } of events) {
    if (plan.outcomes !== null && plan.outcomes.leadStatus !== null) names.set(LEAD_STATUS, true);
    if (plan.outcomes !== null && plan.outcomes.lifecycleStage !== null) names.set(LIFECYCLE_STAGE, true);
  }
  return names;
}

/** Whether an event that is repeated writes its values again. */
export function replacesValues({ fields, plan }: CrmWrite): boolean {
  if (plan.outcomes !== null && plan.outcomes.leadStatus !== null) return true;
  return fields.some(({ write, value }) => write === 'overwrite' && value !== null);
}

/**
 * Returns what the fields of an event write. When HubSpot does not say which properties it has, that ends the event or is a warning,
 * and nothing is written.
 */
export async function readPlannedValues(session: HubspotSession, event: EventWrite): Promise<readonly PlannedValue[]> {
  if (event.planned !== null) return event.planned;
  const { fields } = event.write;
  if (fields.length === 0) return (event.planned = []);
  try {
    const definitions = await definitionsFor(
      session,
      fields.map(({ property }) => property),
    );
    return (event.planned = fields.flatMap((field) => toPlanned(field, definitions)));
  } catch (error) {
    if (!(error instanceof CrmFailure)) throw error;
    failOptionalPart(event, error);
    return (event.planned = []);
  }
}

/** Returns the last values of an event. Like details they are written only with the fields of the plan. */
export async function readLastValues(session: HubspotSession, event: EventWrite): Promise<readonly PlannedValue[]> {
  const { lastValues, plan } = event.write;
  if (lastValues === null || !plan.writes.fields) return [];
  const values = toLastValues(lastValues);
  try {
    const definitions = await definitionsFor(
      session,
      values.map(([property]) => property),
    );
    const missing = values.find(([property]) => !definitions.has(property));
    if (missing !== undefined) event.warnings.push(missingProperty(missing[0]));
    return values
      .filter(([property]) => definitions.has(property))
      .map(([property, value]) => ({ property, value, kind: 'last', hash: null, problem: null }));
  } catch (error) {
    if (!(error instanceof CrmFailure)) throw error;
    failOptionalPart(event, error);
    return [];
  }
}

function toPlanned(
  { property, write, value, valueOfNew }: PlannedField,
  definitions: PropertyDefinitions,
): PlannedValue[] {
  const isForAll = value !== null && write !== 'create-only';
  const written = isForAll ? value : valueOfNew;
  if (written === null) return [];
  const kind = isForAll ? write : 'new';
  const definition = definitions.get(property);
  const converted = definition === undefined ? null : toPropertyValue(written, definition);
  const problem = findProblem(property, definition, converted);
  const text = converted === null ? '' : toText(converted);
  const hash = kind === 'overwrite' ? toHash(property, text) : null;
  return [{ property, value: text, kind, hash, problem }];
}

function findProblem(
  name: string,
  property: CrmProperty | undefined,
  converted: ConvertedValue | null,
): CrmError | null {
  if (property === undefined) return missingProperty(name);
  if (!property.isWritable) {
    return {
      code: 'not_writable',
      message: `HubSpot's property ${name} of contacts cannot be written`,
      httpStatus: null,
    };
  }
  if (converted !== null) return null;
  const message = `The value is none of HubSpot's property ${name} of contacts, whose type is ${property.type}`;
  return { code: 'wrong_value', message, httpStatus: null };
}

function toText(value: ConvertedValue): string {
  return isList(value) ? value.join(';') : String(value);
}

function isList(value: ConvertedValue): value is readonly string[] {
  return typeof value === 'object';
}

/** HubSpot may show a number, a time or several options otherwise than they were written. */
export function toHash(property: string, value: string): string {
  const time = /^\d{4}-\d\d-\d\d(?:T|$)/.test(value) ? Date.parse(value) : NaN;
  const number = value.trim() === '' ? NaN : Number(value);
  const same = Number.isNaN(time) ? (Number.isNaN(number) ? value.split(';').toSorted().join(';') : number) : time;
  return createHash('sha256').update(`${property}=${same}`).digest('base64url').slice(0, HASH_LENGTH);
}

const HASH_LENGTH = 12;

/** Whether an event writes something to a remembered contact that is not known to be there. */
export async function hasNewValues(session: HubspotSession, contact: BatchContact): Promise<boolean> {
  const last = new Map<string, string | null>();
  for (const event of contact.events) {
    if (!fills(event, contact)) continue;
    for (const { property, kind, hash, problem } of await readPlannedValues(session, event)) {
      if (kind === 'fill' && problem === null && !contact.filled.has(property)) return true;
      if (kind === 'overwrite' && problem === null) last.set(property, hash);
    }
  }
  return [...last].some(([property, hash]) => contact.filled.get(property) !== hash);
}

/** Returns which properties have a value, with its hash where values are replaced. */
export function toFilled(
  properties: Readonly<Record<string, unknown>>,
  details: readonly string[],
  planned: ReadonlyMap<string, boolean>,
): Map<string, string | null> {
  return new Map(
    [...details, ...planned.keys()].flatMap((name) => {
      const value = properties[name];
      if (typeof value !== 'string' || value === '') return [];
      return [[name, planned.get(name) === true ? toHash(name, value) : null] as const];
    }),
  );
}

/** Reads what `writeFilled` returned. */
export function readFilled(text: string | null): Map<string, string | null> {
  return new Map((text?.split(',') ?? []).map((entry) => [entry.split('=')[0] ?? entry, entry.split('=')[1] ?? null]));
}

export function writeFilled(filled: ReadonlyMap<string, string | null>): string {
  const entries = [...filled].map(([name, hash]) => (hash === null ? name : `${name}=${hash}`));
  return entries.toSorted().join(',');
}
