import { asList, asObject, asText } from '../http/answer-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import type { CrmOption } from '../port/setup.ts';
import type { SalesforceClient } from './client.ts';

/** What the org offers to the user of the connection: fields, and how a task can be recognized when it is written again. */

export type PersonType = 'Contact' | 'Lead';

export interface SalesforceField {
  label: string;
  /** As Salesforce calls it: `string`, `double`, `multipicklist`, ... */
  type: string;
  /** Longest text; 0: no limit is known. */
  maxLength: number;
  isCreateable: boolean;
  isUpdateable: boolean;
  isFilterable: boolean;
  /** Active values of a picklist; empty for other fields. */
  options: readonly CrmOption[];
  /** Whether a picklist takes only its options. */
  isRestricted: boolean;
}

/** Fields that the user sees, by name; null when the user does not see the object. */
export type FieldsOf = ReadonlyMap<string, SalesforceField> | null;

export interface SalesforceOrg {
  readAt: Date;
  fields: Readonly<Record<PersonType | 'Task', FieldsOf>>;
  /** A status of completed tasks by its API name, which `Task.Status` takes in orgs of every language. */
  closedStatus: string;
  /**
   * How a task is recognized, best first:
   * - `field`: its own field with unique values; Salesforce itself refuses a second task.
   * - `call_object`: the standard field `CallObject`, which is looked up before an event is repeated.
   * - `subject`: a reference at the end of the subject, looked up likewise.
   */
  recognition: Recognition;
  /** How tasks were recognized before the org had the field; the same as `recognition` without it. */
  formerRecognition: Recognition;
}

export type Recognition = 'field' | 'call_object' | 'subject';

/** Field of the customer's admin on activities: text, unique. */
export const EVENT_KEY_FIELD = 'Svc_Event_Key__c';
/** Field on opportunities: text, unique. */
export const DEAL_KEY_FIELD = 'Svc_Deal_Key__c';
/** Field of the customer's admin on contacts and leads: text. */
export const PROFILE_URL_FIELD = 'Svc_Profile_Url__c';
const CLOSED = 'Completed';

/** @throws CrmFailure */
export async function readOrg(client: SalesforceClient, now: () => Date): Promise<SalesforceOrg> {
  const readAt = now();
  const [contact, lead, task] = await Promise.all(['Contact', 'Lead', 'Task'].map((type) => describe(client, type)));
  const fields = { Contact: toFields(contact), Lead: toFields(lead), Task: toFields(task) };
  const [statuses = []] = await client.query(
    [{ soql: 'SELECT ApiName, IsClosed FROM TaskStatus', part: 'the statuses of tasks' }],
    'org_describe',
  );
  const closed = statuses.flatMap((row) => (row['IsClosed'] === true ? (asText(row['ApiName']) ?? []) : []));
  return {
    readAt,
    fields,
    closedStatus: closed.includes(CLOSED) ? CLOSED : (closed[0] ?? CLOSED),
    ...toRecognition(task),
  };
}

/** Returns the description of an object; null when the user does not see it. */
export async function describe(client: SalesforceClient, type: string): Promise<unknown> {
  const part = `the description of ${type}`;
  try {
    return await client.call({ operation: 'org_describe', method: 'GET', path: `/sobjects/${type}/describe`, part });
  } catch (error) {
    if (error instanceof CrmFailure && error.error.httpStatus === 404 && error.isRefusal) return null;
    throw error;
  }
}

export function toFields(description: unknown): FieldsOf {
  if (description === null) return null;
  const entries = asList(asObject(description)['fields']).flatMap((item): [string, SalesforceField][] => {
    const { name, label, type, length, createable, updateable, filterable, picklistValues, restrictedPicklist } =
      asObject(item);
    if (typeof name !== 'string') return [];
    return [
      [
        name,
        {
          label: asText(label) ?? name,
          type: asText(type) ?? '',
          maxLength: typeof length === 'number' ? length : 0,
          isCreateable: createable === true,
          isUpdateable: updateable === true,
          isFilterable: filterable === true,
          options: asList(picklistValues).flatMap(toOption),
          isRestricted: restrictedPicklist === true,
        },
      ],
    ];
  });
  return new Map(entries);
}

/** Returns an active value of a picklist. */
export function toOption(item: unknown): CrmOption[] {
  const { value, label, active } = asObject(item);
  const text = asText(value);
  return text === null || active === false ? [] : [{ value: text, label: asText(label) ?? text }];
}

function toRecognition(description: unknown): Pick<SalesforceOrg, 'recognition' | 'formerRecognition'> {
  const fields = new Map(
    asList(asObject(description)['fields']).map((item) => [asObject(item)['name'], asObject(item)]),
  );
  const isUsable = (name: string) =>
    fields.get(name)?.['createable'] === true && fields.get(name)?.['filterable'] === true;
  const formerRecognition = isUsable('CallObject') ? 'call_object' : 'subject';
  const hasField = isUsable(EVENT_KEY_FIELD) && fields.get(EVENT_KEY_FIELD)?.['unique'] === true;
  return { recognition: hasField ? 'field' : formerRecognition, formerRecognition };
}
