import type { Answer } from '../http/answer.ts';
import type { SalesforceOrg } from './org.ts';
import { Refusal } from './refusal.ts';
import { parseSoql } from './soql.ts';

/** `/tooling`: the custom fields of the org, also those that field security hides. */

export function queryTooling(org: SalesforceOrg, soql: string): Answer {
  assertMayCustomize(org);
  const { objectType, fields, where } = parseSoql(soql);
  if (objectType !== 'CustomField' || where?.kind !== 'in' || where.field !== 'DeveloperName')
    throw new Refusal(400, 'INVALID_TYPE', 'the simulator knows only custom fields by their developer names');
  const records = org
    .toolingFields()
    .filter(({ DeveloperName }) => where.values.includes(DeveloperName))
    .map((row) =>
      row.TableEnumOrId === 'Activity' && org.isBroken('salesforce-18') ? { ...row, TableEnumOrId: 'Task' } : row,
    )
    .map((row) => ({
      attributes: { type: 'CustomField' },
      ...Object.fromEntries(Object.entries(row).filter(([name]) => fields.includes(name))),
    }));
  return { status: 200, body: { size: records.length, totalSize: records.length, done: true, records } };
}

const TYPES = { Text: 'string', Url: 'url', Number: 'double', DateTime: 'datetime' } as const;
/** What each type must say besides label and type. */
const NEEDED: Readonly<Record<string, readonly string[]>> = { Text: ['length'], Number: ['precision', 'scale'] };

export function createCustomField(org: SalesforceOrg, body: unknown): Answer {
  assertMayCustomize(org);
  const { FullName, Metadata } = asFields(body);
  const { label, type, length, unique, externalId, ...rest } = asFields(Metadata);
  const [, objectName = '', name = ''] =
    /^(Contact|Lead|Activity|Opportunity)\.(\w{1,40}__c)$/.exec(String(FullName)) ?? [];
  if (name === '' || typeof label !== 'string' || label.length > 40)
    throw new Refusal(
      400,
      'FIELD_INTEGRITY_EXCEPTION',
      'a field needs a full name and a label of at most 40 characters',
    );
  if (!isType(type)) throw new Refusal(400, 'INVALID_TYPE', `the simulator makes no fields of type ${String(type)}`);
  for (const key of NEEDED[type] ?? [])
    if (typeof { length, ...rest }[key] !== 'number')
      throw new Refusal(400, 'FIELD_INTEGRITY_EXCEPTION', `${key} is required for fields of type ${type}`);
  const id = org.makeField(objectName, {
    name,
    type: TYPES[type],
    length: typeof length === 'number' ? length : type === 'Url' ? 255 : 0,
    unique: unique === true,
    externalId: externalId === true,
    idLookup: externalId === true,
  });
  return { status: 201, body: { id, success: true, errors: [], warnings: [], infos: [] } };
}

function isType(type: unknown): type is keyof typeof TYPES {
  return typeof type === 'string' && Object.hasOwn(TYPES, type);
}

function assertMayCustomize(org: SalesforceOrg): void {
  if (!org.settings.mayCustomize)
    throw new Refusal(403, 'INSUFFICIENT_ACCESS', 'insufficient access rights on cross-reference id');
}

function asFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
