import type { Answer } from '../http/answer.ts';
import { fieldOf } from './fields.ts';
import type { SalesforceOrg } from './org.ts';
import type { StoredRecord, Value, Values } from './record.ts';
import { toRow } from './query.ts';
import { notFound, Refusal } from './refusal.ts';
import type { Field, ObjectDefinition } from './definitions.ts';

/** `/sobjects/{type}`: single records. */

/** What a call says beside its body. */
export interface CallOptions {
  /** Path of the API's version, such as `/services/data/v66.0`. */
  base: string;
  /** The header `Sforce-Duplicate-Rule-Header: allowSave=true`. */
  allowsDuplicates: boolean;
}

export function createRecord(org: SalesforceOrg, type: string, body: unknown, options: CallOptions): Answer {
  const object = writable(org, type);
  const record = org.create(object, readValues(object, body), options.allowsDuplicates);
  return { status: 201, body: { id: record.id, success: true, errors: [] } };
}

export function readRecord(
  org: SalesforceOrg,
  type: string,
  id: string,
  query: URLSearchParams,
  options: CallOptions,
): Answer {
  const object = org.object(type);
  const record = org.get(object.name, id);
  return { status: 200, body: toRow(record, fieldsOf(object, query.get('fields')), options.base) };
}

export function updateRecord(
  org: SalesforceOrg,
  type: string,
  id: string,
  body: unknown,
  options: CallOptions,
): Answer {
  const object = writable(org, type);
  org.update(object, org.get(object.name, id), readValues(object, body), options.allowsDuplicates);
  return { status: 204 };
}

export function deleteRecord(org: SalesforceOrg, type: string, id: string): Answer {
  const object = writable(org, type);
  org.delete(org.get(object.name, id).id);
  return { status: 204 };
}

/** Reads by an external id: 300 with the records' addresses when several match. */
export function readByField(
  org: SalesforceOrg,
  type: string,
  [name, value]: readonly [string, string],
  query: URLSearchParams,
  options: CallOptions,
): Answer {
  const object = org.object(type);
  const records = findByField(org, object, name, value);
  const [record, ...others] = records;
  if (record === undefined) throw unknownValue(value);
  if (others.length > 0) return severalRecords(records, options);
  return { status: 200, body: toRow(record, fieldsOf(object, query.get('fields')), options.base) };
}

export function upsertByField(
  org: SalesforceOrg,
  type: string,
  [name, value]: readonly [string, string],
  query: URLSearchParams,
  body: unknown,
  options: CallOptions,
): Answer {
  const object = writable(org, type);
  const values = readValues(object, body);
  const records = findByField(org, object, name, value);
  if (records.length > 1) return severalRecords(records, options);
  if (records.length === 0 && query.get('updateOnly') === 'true') throw unknownValue(value);
  const { record, isCreated } = upsert(org, object, { name, value, values }, options);
  return {
    status: isCreated ? 201 : 200,
    body: { id: record.id, success: true, errors: [], created: isCreated },
  };
}

export function upsert(
  org: SalesforceOrg,
  object: ObjectDefinition,
  { name, value, values }: { name: string; value: string; values: Values },
  { allowsDuplicates }: CallOptions,
): { record: StoredRecord; isCreated: boolean } {
  const [record, ...others] = findByField(org, object, name, value);
  if (others.length > 0)
    throw new Refusal(400, 'DUPLICATE_EXTERNAL_ID', `${name}: more than one record found for external id field`);
  if (record !== undefined) {
    org.update(object, record, values, allowsDuplicates);
    return { record, isCreated: false };
  }
  const created = org.create(object, { ...values, [fieldOf(object, name).name]: value }, allowsDuplicates);
  return { record: created, isCreated: true };
}

/** @throws Refusal for an object that cannot be written */
export function writable(org: SalesforceOrg, type: string): ObjectDefinition {
  const object = org.object(type);
  if (!object.createable)
    throw new Refusal(400, 'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', `entity type cannot be inserted: ${object.name}`);
  return object;
}

/** Returns the values of a body. @throws Refusal for a field that is absent or hidden */
export function readValues(object: ObjectDefinition, body: unknown): Values {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal(400, 'JSON_PARSER_ERROR', 'Unexpected character');
  const entries = Object.entries(body).flatMap(([name, value]: [string, unknown]): [string, Value][] => {
    if (name === 'attributes' || name.toLowerCase() === 'id') return [];
    const field = fieldOf(object, name);
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return [[field.name, value]];
    throw new Refusal(400, 'JSON_PARSER_ERROR', `Cannot deserialize instance of ${name}`);
  });
  return Object.fromEntries(entries);
}

export function fieldsOf(object: ObjectDefinition, names: string | null): Field[] {
  return names === null ? [...object.fields] : names.split(',').map((name) => fieldOf(object, name.trim()));
}

function findByField(org: SalesforceOrg, object: ObjectDefinition, name: string, value: string): StoredRecord[] {
  const field = object.fields.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  if (field === undefined || !field.idLookup) throw unknownValue(value);
  return org.all(object.name).filter((record) => {
    const stored = record.values[field.name];
    return typeof stored === 'string' && stored.toLowerCase() === value.toLowerCase();
  });
}

function severalRecords(records: readonly StoredRecord[], { base }: CallOptions): Answer {
  return { status: 300, body: records.map(({ objectType, id }) => `${base}/sobjects/${objectType}/${id}`) };
}

/** The same answer for an unknown field and for an unknown value. */
function unknownValue(value: string): Refusal {
  return value === ''
    ? notFound()
    : new Refusal(404, 'NOT_FOUND', `Provided external ID field does not exist or is not accessible: ${value}`);
}
