import type { OrgRecords, StoredRecord, Value, Values } from './record.ts';
import { invalidField, Refusal } from './refusal.ts';
import type { Field, ObjectDefinition } from './definitions.ts';
import { findField } from './schema.ts';

/** The rules of field values in a write. */

const EMAIL = /^[^\s@<>,;:"()[\]\\]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

/** @throws Refusal with the first rule that the values break; `record` is the one to update, null for a new one */
export function assertWritable(
  org: OrgRecords,
  object: ObjectDefinition,
  values: Values,
  record: StoredRecord | null,
): void {
  const entries = Object.entries(values).map(([name, value]) => ({ field: fieldOf(object, name), value }));
  const locked = entries.filter(({ field }) => (record === null ? !field.createable : !field.updateable));
  if (locked.length > 0) {
    const names = locked.map(({ field }) => field.name);
    throw new Refusal(
      400,
      'INVALID_FIELD_FOR_INSERT_UPDATE',
      `Unable to create/update fields: ${names.join(', ')}. Please check the security settings of this field and verify that it is read/write for your profile or permission set.`,
      names,
    );
  }
  const missing = object.fields.filter(
    ({ name, required }) =>
      required &&
      (record === null
        ? !entries.some(({ field, value }) => field.name === name && value !== null && value !== '')
        : entries.some(({ field, value }) => field.name === name && (value === null || value === ''))),
  );
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name);
    throw new Refusal(400, 'REQUIRED_FIELD_MISSING', `Required fields are missing: [${names.join(', ')}]`, names);
  }
  for (const { field, value } of entries) {
    if (typeof value === 'string' && value !== '') assertText(field, value);
    assertNotBroken(org, object, field, value);
    if (typeof value === 'boolean' && field.type !== 'boolean') throw parserError(field);
    if ((typeof value === 'number') !== isNumeric(field) && value !== null) throw parserError(field);
    if (field.type === 'int' && !Number.isInteger(value) && value !== null) throw parserError(field);
    if (typeof value === 'string' && field.unique) assertUnique(org, object, field, value, record);
  }
  assertReferences(org, object, values);
}

/** @throws Refusal for a field that is absent or hidden */
export function fieldOf(object: ObjectDefinition, name: string): Field {
  const field = findField(object, name);
  if (field === null) throw invalidField(name, object.name);
  return field;
}

/** Refuses what Salesforce is believed to take. */
function assertNotBroken(org: OrgRecords, { name: objectName }: ObjectDefinition, { name }: Field, value: Value): void {
  const isBroken =
    (name === 'TaskSubtype' && value === 'LinkedIn' && org.isBroken('salesforce-6')) ||
    (objectName === 'Lead' && value === '[not provided]' && org.isBroken('salesforce-12')) ||
    (objectName === 'FieldPermissions' && String(value).startsWith('Task.') && org.isBroken('salesforce-19'));
  if (isBroken) throw new Refusal(400, 'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST', `bad value for ${name}`, [name]);
}

function isNumeric({ type }: Field): boolean {
  return type === 'double' || type === 'int';
}

function parserError({ name }: Field): Refusal {
  return new Refusal(400, 'JSON_PARSER_ERROR', `Cannot deserialize instance of ${name}`);
}

function assertText(field: Field, value: string): void {
  const { name, type, length, options, restricted } = field;
  if (type === 'boolean') throw parserError(field);
  if (length > 0 && value.length > length)
    throw new Refusal(400, 'STRING_TOO_LONG', `${name}: data value too large: ${value} (max length=${length})`, [name]);
  if (type === 'email' && !EMAIL.test(value))
    throw new Refusal(400, 'INVALID_EMAIL_ADDRESS', `${name}: invalid email address: ${value}`, [name]);
  if (type === 'date' && !/^\d{4}-\d{2}-\d{2}$/.test(value)) throw parserError(field);
  if (type === 'datetime' && Number.isNaN(Date.parse(value))) throw parserError(field);
  const chosen = type === 'multipicklist' ? value.split(';') : [value];
  if (restricted && !chosen.every((option) => options.includes(option)))
    throw new Refusal(
      400,
      'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
      `${name}: bad value for restricted picklist field: ${value}`,
      [name],
    );
  if (type === 'reference' && !/^[a-zA-Z0-9]{15}(?:[A-Z0-5]{3})?$/.test(value))
    throw new Refusal(400, 'MALFORMED_ID', `${name}: id value of incorrect type: ${value}`, [name]);
}

function assertUnique(
  org: OrgRecords,
  object: ObjectDefinition,
  { name }: Field,
  value: string,
  record: StoredRecord | null,
): void {
  const owner = org.ownerOfUnique(object.name, name, value);
  if (owner === null || owner === record?.id) return;
  if (name === 'Svc_Event_Key__c' && org.isBroken('salesforce-8')) return;
  const shown = org.isBroken('salesforce-9') ? '<unknown>' : owner.slice(0, 15);
  throw new Refusal(
    400,
    'DUPLICATE_VALUE',
    `duplicate value found: ${name} duplicates value on record with id: ${shown}`,
  );
}

/** What campaign members, opportunities and permissions refer to must exist, and be of the right type. */
function assertLinks(org: OrgRecords, object: ObjectDefinition, values: Values): void {
  const { CampaignId, ContactId, OpportunityId, ParentId, PermissionSetId } = values;
  const links = [
    ['CampaignId', CampaignId, 'Campaign'],
    ['ContactId', ContactId, 'Contact'],
    ['OpportunityId', OpportunityId, 'Opportunity'],
    ['ParentId', ParentId, 'PermissionSet'],
    ['PermissionSetId', PermissionSetId, 'PermissionSet'],
  ] as const;
  for (const [name, id, type] of links) {
    const record = typeof id === 'string' ? org.find(id) : null;
    if (typeof id === 'string' && (record?.objectType !== type || record.isDeleted))
      throw new Refusal(400, 'INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', [name]);
  }
  assertNoTwin(org, object, values);
}

const TWIN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  CampaignMember: ['CampaignId', 'ContactId', 'LeadId'],
  PermissionSet: ['Name'],
  FieldPermissions: ['ParentId', 'Field'],
  PermissionSetAssignment: ['AssigneeId', 'PermissionSetId'],
};

/** Of some objects there is one record for what it connects. */
function assertNoTwin(org: OrgRecords, { name }: ObjectDefinition, values: Values): void {
  const fields = TWIN_FIELDS[name];
  // An update leaves out what it does not change.
  if (fields === undefined || values[fields[0] ?? ''] === undefined) return;
  const twin = org
    .all(name)
    .find((other) => fields.every((key) => (other.values[key] ?? null) === (values[key] ?? null)));
  if (twin === undefined || (name === 'CampaignMember' && org.isBroken('salesforce-16'))) return;
  const message =
    name === 'CampaignMember' ? 'Already a campaign member.' : `duplicates value on record with id: ${twin.id}`;
  throw new Refusal(400, name === 'PermissionSet' ? 'DUPLICATE_DEVELOPER_NAME' : 'DUPLICATE_VALUE', message);
}

function assertReferences(org: OrgRecords, object: ObjectDefinition, values: Values): void {
  const { OwnerId, WhoId, WhatId, AccountId } = values;
  if (typeof OwnerId === 'string') {
    const owner = org.find(OwnerId);
    if (owner?.objectType !== 'User')
      throw new Refusal(400, 'INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', ['OwnerId']);
    if (owner.values['IsActive'] !== true)
      throw new Refusal(400, 'INACTIVE_OWNER_OR_USER', 'operation performed with inactive user', ['OwnerId']);
  }
  if (typeof AccountId === 'string') {
    const account = org.find(AccountId);
    if (account?.objectType !== 'Account')
      throw new Refusal(400, 'INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', ['AccountId']);
    if (account.isDeleted) throw new Refusal(400, 'ENTITY_IS_DELETED', 'entity is deleted', ['AccountId']);
  }
  assertLinks(org, object, values);
  if (object.name !== 'Task' || typeof WhoId !== 'string') return;
  org.assertPerson(WhoId);
  const what = typeof WhatId === 'string' ? org.find(WhatId) : null;
  if (typeof WhatId === 'string' && what === null)
    throw new Refusal(400, 'INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', ['WhatId']);
  if (what?.isDeleted === true) throw new Refusal(400, 'ENTITY_IS_DELETED', 'entity is deleted', ['WhatId']);
  if (typeof WhatId === 'string' && org.find(WhoId)?.objectType === 'Lead')
    throw new Refusal(400, 'FIELD_INTEGRITY_EXCEPTION', 'WhatId is not allowed with a lead', ['WhatId']);
}
