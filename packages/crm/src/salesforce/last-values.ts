import { LAST_VALUE_NAMES, LAST_VALUES, type LastValueName, type LastValues } from '@svc/domain/policy/last-values';
import type { Fields } from '../http/answer-values.ts';
import { toFieldValue } from './field-values.ts';
import type { PersonType, SalesforceOrg } from './org.ts';
import { type EventWrite, isOpen, warnEvents } from './session.ts';

/** What happened last to a person, in fields of contacts and leads that `prepare` makes. */

/** `lastSentAt` is `Svc_Last_Sent_At__c`. */
export function lastValueField(name: LastValueName): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`);
  return `Svc_${words.charAt(0).toUpperCase()}${words.slice(1)}__c`;
}

/** Whether a field that these events need is not there, so that the org is worth another look. */
export function lacksLastValues(events: readonly EventWrite[], { fields }: SalesforceOrg): boolean {
  const names = new Set(events.flatMap(({ write }) => namesOf(write.lastValues)));
  return (['Contact', 'Lead'] as const).some(
    (type) => fields[type] !== null && [...names].some((name) => fields[type]?.has(lastValueField(name)) !== true),
  );
}

/** Returns what is written of the values of a person's events: those of the last event that has some, because each holds for all events. */
export function lastValuesOf(type: PersonType, events: readonly EventWrite[], org: SalesforceOrg): Fields {
  const valued = events.filter((event) => isOpen(event) && event.write.lastValues !== null);
  const values = valued.at(-1)?.write.lastValues ?? {};
  const written: Record<string, unknown> = {};
  let isComplete = true;
  for (const name of namesOf(values)) {
    const value = values[name];
    const field = org.fields[type]?.get(lastValueField(name));
    if (value === undefined) continue;
    const given = LAST_VALUES[name].type === 'datetime' ? new Date(value).toISOString() : value;
    const converted = field?.isUpdateable === true ? toFieldValue(given, field) : null;
    if (converted === null) isComplete = false;
    else written[lastValueField(name)] = converted;
  }
  if (!isComplete) warnEvents(valued, { code: 'last_values_not_prepared', message: NOT_PREPARED, httpStatus: null });
  return written;
}

const NOT_PREPARED =
  'The fields for last values are not in Salesforce, or the user of the connection must not write them. Make them with "svc-server connections prepare ID".';

function namesOf(values: LastValues | null): readonly LastValueName[] {
  return values === null ? [] : LAST_VALUE_NAMES.filter((name) => values[name] !== undefined);
}
