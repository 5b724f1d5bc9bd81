import type { Answer } from '../http/answer.ts';
import { Refusal } from './answer.ts';
import { associationTypeId, OBJECT_TYPE_NAMES, OBJECT_TYPES, type ObjectType } from './catalog.ts';
import type { HubspotPortal, StoredRecord } from './portal.ts';
import { toBatchAnswer, toBatchError } from './batch.ts';
import { asObject, asText, asTexts, type Json, readInputs, readProperties } from './requests.ts';

/** `/crm/objects/{objectType}`: single records, batches and search. */

const SEARCH_PAGE_MAX = 200;
const SEARCH_TOTAL_MAX = 10_000;
const SEARCH_VALUES_MAX = 100;
/** Longest body of a search, in characters. */
const SEARCH_BODY_MAX = 3_000;

export function createRecord(portal: HubspotPortal, type: ObjectType, body: unknown, isNumbered: boolean): Answer {
  const { properties, associations } = asObject(body, 'body');
  const values = readProperties(properties);
  const linked = readAssociated(portal, type, associations);
  const email = values['email'];
  const existing = type === 'contacts' && email ? portal.find(type, email, 'email') : null;
  if (existing !== null) {
    throw new Refusal(409, `Contact already exists. Existing ID: ${existing.id}`, { category: 'CONFLICT' });
  }
  portal.assertWritable(type, values, null);
  if (!isNumbered) portal.assertRequired(type, values, null);
  const record = portal.create(type, values);
  for (const other of linked) portal.associate(record, other);
  return { status: 201, body: toResource(record) };
}

/** Returns the records that a new record names as its own; each must exist and have the default type. */
function readAssociated(portal: HubspotPortal, type: ObjectType, associations: unknown): StoredRecord[] {
  if (associations === undefined) return [];
  if (!Array.isArray(associations)) throw new Refusal(400, 'Invalid input JSON: associations must be an array');
  return associations.map((entry) => {
    const { to, types } = asObject(entry, 'associations');
    const id = asText(asObject(to, 'to')['id'], 'to.id');
    const [typed] = Array.isArray(types) ? types : [];
    const typeId = Number(asObject(typed, 'types')['associationTypeId']);
    const target = OBJECT_TYPE_NAMES.find((name) => associationTypeId(type, name) === typeId);
    if (target === undefined) throw new Refusal(400, `${type} have no default association type ${typeId}`);
    const record = portal.find(target, id);
    if (record === null) throw new Refusal(404, `No ${target} with ID ${id} exists`, { category: 'OBJECT_NOT_FOUND' });
    return record;
  });
}

export function readRecord(portal: HubspotPortal, type: ObjectType, id: string, query: URLSearchParams): Answer {
  const record = portal.find(type, id, query.get('idProperty') ?? undefined);
  if (record === null) throw new Refusal(404, 'resource not found', { category: 'OBJECT_NOT_FOUND' });
  return {
    status: 200,
    body: toResource(
      record,
      query.getAll('properties').flatMap((names) => names.split(',')),
    ),
  };
}

export function updateRecord(portal: HubspotPortal, { type, id, query, body, isNumbered }: RecordUpdate): Answer {
  const record = portal.find(type, id, query.get('idProperty') ?? undefined);
  if (record === null) throw new Refusal(404, 'resource not found', { category: 'OBJECT_NOT_FOUND' });
  const values = readProperties(asObject(body, 'body')['properties']);
  portal.assertWritable(type, values, record);
  if (!isNumbered) portal.assertRequired(type, values, record);
  return { status: 200, body: toResource(portal.update(record, values)) };
}

interface RecordUpdate {
  type: ObjectType;
  id: string;
  query: URLSearchParams;
  body: unknown;
  isNumbered: boolean;
}

export function deleteRecord(portal: HubspotPortal, type: ObjectType, id: string): Answer {
  const record = portal.find(type, id);
  if (record !== null) portal.delete(record);
  return { status: 204 };
}

/**
 * By email, all inputs succeed or none does. By a custom unique property each input is independent, and the answer is
 * 207 when one was refused.
 */
export function upsertBatch(
  portal: HubspotPortal,
  type: ObjectType,
  body: unknown,
  { now, isNumbered }: { now: () => Date; isNumbered: boolean },
): Answer {
  const inputs = readInputs(body).map((input) => {
    const idProperty = asText(input['idProperty'], 'idProperty');
    portal.assertUnique(type, idProperty);
    const id = asText(input['id'], 'id');
    const traceId = input['objectWriteTraceId'];
    return {
      id,
      idProperty,
      values: readProperties(input['properties']),
      traceId: traceId === undefined ? null : asText(traceId, 'objectWriteTraceId'),
    };
  });
  // Two inputs may not mean the same record, also when they name it differently.
  assertDistinct(
    inputs.map(({ id, idProperty }) => portal.find(type, id, idProperty)?.id ?? `${idProperty}/${id.toLowerCase()}`),
  );
  const assertAllowed = (written: Record<string, string>, existing: StoredRecord | null) => {
    portal.assertWritable(type, written, existing);
    if (!isNumbered) portal.assertRequired(type, written, existing);
  };
  for (const { id, idProperty, values } of inputs) {
    const existing = portal.find(type, id, idProperty);
    if (idProperty === 'email' && !portal.isBroken('hubspot-3'))
      assertAllowed(valuesToWrite(existing, idProperty, id, values), existing);
  }
  const startedAt = now().toISOString();
  const results: Json[] = [];
  const errors: Json[] = [];
  for (const { id, idProperty, values, traceId } of inputs) {
    try {
      const existing = portal.find(type, id, idProperty);
      const isRenamed = portal.isBroken('hubspot-17') && idProperty === 'email';
      const written = isRenamed ? { email: id, ...values } : valuesToWrite(existing, idProperty, id, values);
      assertAllowed(written, existing);
      const record = existing === null ? portal.create(type, written) : portal.update(existing, written);
      results.push({
        ...toResource(record),
        new: existing === null,
        ...(traceId === null ? {} : { objectWriteTraceId: traceId }),
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const isUnnamed = traceId === null || portal.isBroken('hubspot-2');
      errors.push(toBatchError(error, isUnnamed ? { ids: [id] } : { objectWriteTraceId: [traceId] }));
    }
  }
  return toBatchAnswer(results, errors, startedAt, now);
}

/** The records are created together, or none is. */
export function createBatch(portal: HubspotPortal, type: ObjectType, body: unknown, now: () => Date): Answer {
  const startedAt = now().toISOString();
  const inputs = readInputs(body).map((input) => ({
    values: readProperties(input['properties']),
    traceId: input['objectWriteTraceId'],
  }));
  if (portal.isBroken('hubspot-4') && inputs[0] !== undefined && inputs.length > 1)
    portal.create(type, inputs[0].values);
  for (const { values } of inputs) {
    portal.assertWritable(type, values, null);
    portal.assertRequired(type, values, null);
  }
  const results = inputs.map(({ values, traceId }) => ({
    ...toResource(portal.create(type, values)),
    ...(traceId === undefined ? {} : { objectWriteTraceId: asText(traceId, 'objectWriteTraceId') }),
  }));
  return toBatchAnswer(results, [], startedAt, now, 201);
}

/** Updates the records that can be updated; the others are refused. */
export function updateBatch(portal: HubspotPortal, type: ObjectType, body: unknown, now: () => Date): Answer {
  const startedAt = now().toISOString();
  const inputs = readInputs(body).map((input) => ({ input, id: asText(input['id'], 'id') }));
  assertDistinct(inputs.map(({ id }) => id));
  const results: Json[] = [];
  const errors: Json[] = [];
  for (const { input, id } of inputs) {
    const { idProperty } = input;
    const traceId = typeof input['objectWriteTraceId'] === 'string' ? input['objectWriteTraceId'] : undefined;
    try {
      const record = portal.find(type, id, idProperty === undefined ? undefined : asText(idProperty, 'idProperty'));
      if (record === null) {
        const category = portal.isBroken('hubspot-6') ? 'VALIDATION_ERROR' : 'OBJECT_NOT_FOUND';
        throw new Refusal(404, `Could not find ${OBJECT_TYPES[type].label}`, { category });
      }
      const values = readProperties(input['properties']);
      portal.assertWritable(type, values, record);
      portal.assertRequired(type, values, record);
      results.push({
        ...toResource(portal.update(record, values)),
        ...(traceId === undefined ? {} : { objectWriteTraceId: traceId }),
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      errors.push(toBatchError(error, traceId === undefined ? { ids: [id] } : { objectWriteTraceId: [traceId] }));
    }
  }
  return toBatchAnswer(results, errors, startedAt, now);
}

/** Records that do not exist are not refused. */
export function archiveBatch(portal: HubspotPortal, type: ObjectType, body: unknown): Answer {
  if (type === 'notes' && portal.isBroken('hubspot-22')) throw new Refusal(403, 'Notes cannot be archived');
  for (const input of readInputs(body)) {
    const record = portal.find(type, asText(input['id'], 'id'));
    if (record !== null) portal.delete(record);
  }
  return { status: 204 };
}

function valuesToWrite(existing: StoredRecord | null, idProperty: string, id: string, values: Record<string, string>) {
  return existing === null ? { [idProperty]: id, ...values } : values;
}

export function readBatch(portal: HubspotPortal, type: ObjectType, body: unknown, now: () => Date): Answer {
  const request = asObject(body, 'body');
  const idProperty = request['idProperty'] === undefined ? undefined : asText(request['idProperty'], 'idProperty');
  const names = asTexts(request['properties'], 'properties');
  const startedAt = now().toISOString();
  const results: Json[] = [];
  const missing: string[] = [];
  for (const input of readInputs(body)) {
    const id = asText(input['id'], 'id');
    const record = portal.find(type, id, idProperty);
    const isOther = idProperty === 'email' && record?.properties['email'] !== id.toLowerCase();
    if (record === null || (isOther && portal.isBroken('hubspot-16'))) missing.push(id);
    else results.push(distort(portal, toResource(record, names)));
  }
  const { label } = OBJECT_TYPES[type];
  const errors =
    missing.length === 0
      ? []
      : [
          toBatchError(
            new Refusal(
              404,
              `Could not get some ${label} objects, they may be deleted or not exist. Check that ids are valid.`,
              { category: 'OBJECT_NOT_FOUND' },
            ),
            { ids: missing },
          ),
        ];
  return toBatchAnswer(results, errors, startedAt, now);
}

/** Shows values otherwise than they were written, where a statement about that does not hold. */
function distort(portal: HubspotPortal, resource: Json): Json {
  const properties = asObject(resource['properties'], 'properties');
  const shown = {
    ...(portal.isBroken('hubspot-7') && 'city' in properties ? { city: null } : {}),
    ...(portal.isBroken('hubspot-11') && 'svc_sent_count' in properties ? { svc_sent_count: '7.0' } : {}),
  };
  return { ...resource, properties: { ...properties, ...shown } };
}

export function searchRecords(portal: HubspotPortal, type: ObjectType, body: unknown, text: string): Answer {
  if (text.length > (portal.isBroken('hubspot-20') ? SEARCH_BODY_MAX - 1 : SEARCH_BODY_MAX)) {
    throw new Refusal(400, `The body of a search may have at most ${SEARCH_BODY_MAX} characters`);
  }
  const request = asObject(body, 'body');
  const limit = Number(request['limit'] ?? 10);
  const after = Number(request['after'] ?? 0);
  if (!(limit >= 0 && limit <= SEARCH_PAGE_MAX)) throw new Refusal(400, `limit must be at most ${SEARCH_PAGE_MAX}`);
  if (after + limit > SEARCH_TOTAL_MAX) throw new Refusal(400, `Results past ${SEARCH_TOTAL_MAX} cannot be searched`);
  const groups = Array.isArray(request['filterGroups'])
    ? request['filterGroups'].map((group) => asObject(group, 'filterGroups'))
    : [];
  const valuesMax = portal.isBroken('hubspot-19') ? SEARCH_VALUES_MAX - 1 : SEARCH_VALUES_MAX;
  if (groups.some((group) => countValues(group) > valuesMax)) {
    throw new Refusal(400, `values may have at most ${valuesMax} entries`);
  }
  const found = portal
    .searchable(type, groups.length === 1 ? findNarrowing(groups[0]) : null)
    .filter(() => !(type === 'notes' && portal.isBroken('hubspot-18')))
    .filter((record) => groups.length === 0 || groups.some((group) => matchesGroup(record, group)));
  const sort: unknown = Array.isArray(request['sorts']) ? request['sorts'][0] : undefined;
  if (typeof sort === 'string') sortRecords(found, sort.replace(/^-/, ''), sort.startsWith('-') ? 'DESCENDING' : '');
  else if (sort !== undefined) {
    const { propertyName, direction } = asObject(sort, 'sorts');
    sortRecords(found, asText(propertyName, 'propertyName'), direction);
  }
  const names = asTexts(request['properties'], 'properties');
  const page = found.slice(after, after + limit);
  const hasMore = after + page.length < found.length;
  return {
    status: 200,
    body: {
      total: found.length,
      results: page.map((record) => toResource(record, names)),
      ...(hasMore ? { paging: { next: { after: String(after + page.length) } } } : {}),
    },
  };
}

function countValues(group: Json): number {
  const filters = Array.isArray(group['filters']) ? group['filters'] : [];
  return Math.max(0, ...filters.map((filter) => asTexts(asObject(filter, 'filters')['values'], 'values').length));
}

/** Returns the values that every result of a group has in one property. */
function findNarrowing(group: Json | undefined): { property: string; values: string[] } | null {
  const filters = Array.isArray(group?.['filters']) ? group['filters'] : [];
  const filter = filters.length === 1 ? asObject(filters[0], 'filters') : null;
  if (filter?.['operator'] !== 'EQ' && filter?.['operator'] !== 'IN') return null;
  const values = filter['operator'] === 'EQ' ? [asText(filter['value'], 'value')] : readSearchValues(filter);
  return { property: asText(filter['propertyName'], 'propertyName'), values: [...new Set(values)] };
}

/** A text property is compared in lower case, and HubSpot finds nothing for values that are not. */
function readSearchValues(filter: Json): string[] {
  const values = asTexts(filter['values'], 'values');
  return values.filter((value) => value === value.toLowerCase());
}

function sortRecords(records: StoredRecord[], property: string, direction: unknown): void {
  const factor = direction === 'DESCENDING' ? -1 : 1;
  const of = ({ properties }: StoredRecord) => properties[property] ?? '';
  records.sort((a, b) => factor * (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : Number(a.id) - Number(b.id)));
}

function matchesGroup(record: StoredRecord, group: Json): boolean {
  const filters = Array.isArray(group['filters']) ? group['filters'] : [];
  return filters.every((entry) => {
    const filter = asObject(entry, 'filters');
    const value = record.properties[asText(filter['propertyName'], 'propertyName')]?.toLowerCase();
    switch (filter['operator']) {
      case 'EQ':
        return value === asText(filter['value'], 'value').toLowerCase();
      case 'NEQ':
        return value !== asText(filter['value'], 'value').toLowerCase();
      case 'IN':
        return value !== undefined && readSearchValues(filter).includes(value);
      case 'HAS_PROPERTY':
        return value !== undefined;
      case 'NOT_HAS_PROPERTY':
        return value === undefined;
      default:
        throw new Refusal(400, `Invalid filter operator ${String(filter['operator'])}`);
    }
  });
}

/** Without names, returns the default properties without cleared ones. */
function toResource(record: StoredRecord, names: readonly string[] = []): Json {
  const { id, properties, createdAt, updatedAt } = record;
  const chosen =
    names.length === 0
      ? properties
      : Object.fromEntries(['hs_object_id', ...names].map((name) => [name, properties[name] ?? null]));
  return { id, properties: { ...chosen }, createdAt, updatedAt, archived: false };
}

function assertDistinct(ids: readonly string[]): void {
  const seen = new Set<string>();
  const repeated = ids.filter((id) => seen.has(id) || !seen.add(id));
  if (repeated.length > 0) throw new Refusal(400, `Duplicate IDs found in batch input: [${repeated.join(', ')}]`);
}
