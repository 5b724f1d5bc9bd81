import type { Answer } from '../http/answer.ts';
import { Refusal } from './answer.ts';
import { OBJECT_TYPES, type ObjectType } from './catalog.ts';
import type { HubspotPortal, StoredRecord } from './portal.ts';
import { asObject, asText, asTexts, type Json, readInputs, readProperties } from './requests.ts';

/** `/crm/v3/objects/{objectType}`: single records, batches and search. */

const SEARCH_PAGE_MAX = 200;
const SEARCH_TOTAL_MAX = 10_000;

export function createRecord(portal: HubspotPortal, type: ObjectType, body: unknown): Answer {
  const { properties } = asObject(body, 'body');
  const values = readProperties(properties);
  const email = values['email'];
  const existing = type === 'contacts' && email ? portal.find(type, email, 'email') : null;
  if (existing !== null) {
    throw new Refusal(409, `Contact already exists. Existing ID: ${existing.id}`, { category: 'CONFLICT' });
  }
  return { status: 201, body: toResource(portal.create(type, values)) };
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

export function updateRecord(
  portal: HubspotPortal,
  type: ObjectType,
  id: string,
  query: URLSearchParams,
  body: unknown,
): Answer {
  const record = portal.find(type, id, query.get('idProperty') ?? undefined);
  if (record === null) throw new Refusal(404, 'resource not found', { category: 'OBJECT_NOT_FOUND' });
  return { status: 200, body: toResource(portal.update(record, readProperties(asObject(body, 'body')['properties']))) };
}

/**
 * By email, all inputs succeed or none does. By a custom unique property each input is independent, and the answer is
 * 207 when one was refused.
 */
export function upsertBatch(portal: HubspotPortal, type: ObjectType, body: unknown, now: () => Date): Answer {
  const inputs = readInputs(body).map((input) => {
    const idProperty = asText(input['idProperty'], 'idProperty');
    portal.assertUnique(type, idProperty);
    const id = asText(input['id'], 'id');
    const values = { [idProperty]: id, ...readProperties(input['properties']) };
    return { id, idProperty, values, traceId: input['objectWriteTraceId'] };
  });
  assertDistinct(inputs.map(({ id, idProperty }) => `${idProperty}/${id.toLowerCase()}`));
  for (const { id, idProperty, values } of inputs) {
    if (idProperty === 'email') portal.assertWritable(type, values, portal.find(type, id, idProperty));
  }
  const startedAt = now().toISOString();
  const results: Json[] = [];
  const errors: Json[] = [];
  for (const { id, idProperty, values, traceId } of inputs) {
    try {
      const existing = portal.find(type, id, idProperty);
      const record = existing === null ? portal.create(type, values) : portal.update(existing, values);
      results.push({
        ...toResource(record),
        new: existing === null,
        ...(traceId === undefined ? {} : { objectWriteTraceId: traceId }),
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      errors.push(toBatchError(error, id));
    }
  }
  return toBatchAnswer(results, errors, startedAt, now);
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
    if (record === null) missing.push(id);
    else results.push(toResource(record, names));
  }
  const { label } = OBJECT_TYPES[type];
  const errors =
    missing.length === 0
      ? []
      : [
          {
            status: 'error',
            category: 'OBJECT_NOT_FOUND',
            message: `Could not get some ${label} objects, they may be deleted or not exist. Check that ids are valid.`,
            context: { ids: missing },
          },
        ];
  return toBatchAnswer(results, errors, startedAt, now);
}

export function searchRecords(portal: HubspotPortal, type: ObjectType, body: unknown): Answer {
  const request = asObject(body, 'body');
  const limit = Number(request['limit'] ?? 10);
  const after = Number(request['after'] ?? 0);
  if (!(limit >= 0 && limit <= SEARCH_PAGE_MAX)) throw new Refusal(400, `limit must be at most ${SEARCH_PAGE_MAX}`);
  if (after + limit > SEARCH_TOTAL_MAX) throw new Refusal(400, `Results past ${SEARCH_TOTAL_MAX} cannot be searched`);
  const groups = Array.isArray(request['filterGroups'])
    ? request['filterGroups'].map((group) => asObject(group, 'filterGroups'))
    : [];
  const found = portal
    .searchable(type)
    .filter((record) => groups.length === 0 || groups.some((group) => matchesGroup(record, group)));
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
        return value !== undefined && asTexts(filter['values'], 'values').some((text) => text.toLowerCase() === value);
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

function toBatchError(refusal: Refusal, id: string): Json {
  const { category = 'VALIDATION_ERROR', context, ...rest } = refusal.extras;
  return { status: 'error', category, message: refusal.message, context: { ...context, ids: [id] }, ...rest };
}

function toBatchAnswer(results: readonly Json[], errors: readonly Json[], startedAt: string, now: () => Date): Answer {
  const body = { status: 'COMPLETE', results, startedAt, completedAt: now().toISOString() };
  return errors.length === 0
    ? { status: 200, body }
    : { status: 207, body: { ...body, numErrors: errors.length, errors } };
}

function assertDistinct(ids: readonly string[]): void {
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
  if (repeated.length > 0) throw new Refusal(400, `Duplicate IDs found in batch input: [${repeated.join(', ')}]`);
}
