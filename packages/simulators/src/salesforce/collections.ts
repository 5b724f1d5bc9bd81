import type { Answer } from '../http/answer.ts';
import { type CallOptions, fieldsOf, readValues, upsert, writable } from './objects.ts';
import type { SalesforceOrg } from './org.ts';
import type { Values } from './record.ts';
import { toRow } from './query.ts';
import { Refusal } from './refusal.ts';
import type { ObjectDefinition } from './definitions.ts';

/** `/composite/sobjects`: up to 200 records in one call, each with a result of its own. */

const RECORDS_MAX = 200;
/** Records of one type in a row are one chunk. */
const CHUNKS_MAX = 10;

interface Item {
  object: ObjectDefinition;
  id: string;
  values: Values;
}

export function writeCollection(
  org: SalesforceOrg,
  method: 'POST' | 'PATCH',
  body: unknown,
  options: CallOptions,
): Answer {
  const { allOrNone, records } = readCollection(body);
  // A field that is absent refuses the whole call, so everything is read before anything is written.
  const broken = org.isBroken('salesforce-2') ? records.filter((record) => !canRead(org, record)) : [];
  const items = records.filter((record) => !broken.includes(record)).map((record) => readItem(org, record));
  assertChunks(items);
  if (allOrNone) throw new Refusal(400, 'INVALID_OPERATION', 'the simulator has no transactions');
  const allowsDuplicates = options.allowsDuplicates && !org.isBroken('salesforce-4');
  const results = items.map(({ object, id, values }) =>
    attempt(org, () => {
      if (method === 'POST') {
        if (id !== '')
          throw new Refusal(400, 'INVALID_FIELD_FOR_INSERT_UPDATE', 'cannot specify Id in an insert call', ['Id']);
        return { id: org.create(object, values, allowsDuplicates).id, success: true, errors: [] };
      }
      if (id === '') throw new Refusal(400, 'MISSING_ARGUMENT', 'Id not specified in an update call');
      const record = org.find(id);
      if (record === null || record.objectType !== object.name)
        throw new Refusal(404, 'INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id');
      if (record.isDeleted) throw new Refusal(404, 'ENTITY_IS_DELETED', 'entity is deleted');
      org.update(object, record, values, options.allowsDuplicates);
      return { id: record.id, success: true, errors: [] };
    }),
  );
  return { status: 200, body: [...results, ...broken.map((record) => attempt(org, () => readItem(org, record)))] };
}

export function upsertCollection(
  org: SalesforceOrg,
  type: string,
  name: string,
  body: unknown,
  options: CallOptions,
): Answer {
  const { records } = readCollection(body);
  const object = writable(org, type);
  const items = records.map((record) => readItem(org, record));
  const key = object.fields.find((field) => field.name.toLowerCase() === name.toLowerCase());
  if (key === undefined || !key.idLookup)
    throw new Refusal(404, 'NOT_FOUND', 'Provided external ID field does not exist or is not accessible: ' + name);
  const results = items.map(({ values }) =>
    attempt(org, () => {
      const { [key.name]: value, ...rest } = values;
      if (typeof value !== 'string') throw new Refusal(400, 'MISSING_ARGUMENT', `${key.name} not specified`);
      const { record, isCreated } = upsert(org, object, { name: key.name, value, values: rest }, options);
      return { id: record.id, success: true, errors: [], created: isCreated };
    }),
  );
  return { status: 200, body: results };
}

export function deleteCollection(org: SalesforceOrg, query: URLSearchParams): Answer {
  const ids = (query.get('ids') ?? '').split(',').filter((id) => id !== '');
  const results = ids.map((id) =>
    attempt(org, () => {
      const record = org.find(id);
      if (record === null) throw new Refusal(404, 'INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id');
      if (record.isDeleted) throw new Refusal(404, 'ENTITY_IS_DELETED', 'entity is deleted');
      if (org.isBroken('salesforce-20')) throw new Refusal(400, 'DELETE_FAILED', 'the record cannot be deleted');
      org.delete(record.id);
      return { id: record.id, success: true, errors: [] };
    }),
  );
  return { status: 200, body: results };
}

/** Reads records by id; null for one that is not there. */
export function readCollectionOf(
  org: SalesforceOrg,
  type: string,
  { ids, fields }: { ids: readonly string[]; fields: string },
  { base }: CallOptions,
): Answer {
  const object = org.object(type);
  const shown = fieldsOf(object, fields);
  const body = ids.map((id) => {
    const record = org.find(id);
    return record === null || record.isDeleted || record.objectType !== object.name ? null : toRow(record, shown, base);
  });
  return { status: 200, body };
}

function canRead(org: SalesforceOrg, record: unknown): boolean {
  try {
    readItem(org, record);
    return true;
  } catch {
    return false;
  }
}

function attempt(org: SalesforceOrg, run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof Refusal) return error.toResult(org.isBroken('salesforce-3'));
    throw error;
  }
}

function readCollection(body: unknown): { allOrNone: boolean; records: unknown[] } {
  const { allOrNone = false, records } =
    typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body)) : {};
  if (!Array.isArray(records) || records.length === 0)
    throw new Refusal(400, 'INVALID_ARGUMENT', 'The records array is empty');
  if (records.length > RECORDS_MAX)
    throw new Refusal(
      400,
      'EXCEEDED_MAX_SIZE_REQUEST',
      `record limit reached. cannot submit more than ${RECORDS_MAX} records in this call`,
    );
  return { allOrNone: allOrNone === true, records };
}

function readItem(org: SalesforceOrg, record: unknown): Item {
  const entries = typeof record === 'object' && record !== null ? Object.entries(record) : [];
  // Only the key of the record may come before the attributes, as in jsforce's calls.
  const attributes: unknown = entries.slice(0, 2).find(([name]) => name === 'attributes')?.[1];
  const type: unknown =
    typeof attributes === 'object' ? Object.fromEntries(Object.entries(attributes ?? {}))['type'] : undefined;
  if (typeof type !== 'string')
    throw new Refusal(400, 'JSON_PARSER_ERROR', 'The type attribute must be the first one of a record');
  const object = writable(org, type);
  const id: unknown = entries.find(([name]) => name.toLowerCase() === 'id')?.[1];
  return { object, id: typeof id === 'string' ? id : '', values: readValues(object, record) };
}

function assertChunks(items: readonly Item[]): void {
  const chunks = items.filter(({ object }, index) => index === 0 || items[index - 1]?.object.name !== object.name);
  if (chunks.length > CHUNKS_MAX)
    throw new Refusal(400, 'EXCEEDED_MAX_TYPES_LIMIT', 'records of more than 10 chunks in one call');
}
