import type { Answer } from '../http/answer.ts';
import { Refusal } from './answer.ts';
import { associationTypeId, type ObjectType } from './catalog.ts';
import { toBatchAnswer, toBatchError } from './batch.ts';
import { asObject, asText, type Json, readInputs } from './requests.ts';
import type { HubspotPortal, StoredRecord } from './portal.ts';

/** `/crm/associations` and `/crm/objects/.../associations`: the default association between two records. */

interface Ends {
  from: ObjectType;
  fromId: string;
  to: ObjectType;
}

/** Whether the path is `v4`, whose ids of associated records are numbers. */
interface Version {
  isNumbered: boolean;
}

const ASSOCIATE_MAX = 2_000;
const READ_MAX = 1_000;

/** PUT: creates the association if it does not exist. */
export function associateDefault(
  portal: HubspotPortal,
  { from, fromId, to, toId }: Ends & { toId: string },
  now: () => Date,
): Answer {
  const startedAt = now().toISOString();
  return toBatchAnswer([associate(portal, { from, fromId, to }, toId)], [], startedAt, now);
}

/** Creates up to 2,000 default associations; associations of missing records are refused, the others are created. */
export function associateBatch(
  portal: HubspotPortal,
  { from, to }: Omit<Ends, 'fromId'>,
  body: unknown,
  now: () => Date,
): Answer {
  const startedAt = now().toISOString();
  const inputs = readInputs(body, ASSOCIATE_MAX).map((input) => ({
    fromId: asText(asObject(input['from'], 'from')['id'], 'from.id'),
    toId: asText(asObject(input['to'], 'to')['id'], 'to.id'),
  }));
  assertAssociable(from, to);
  const results: Json[] = [];
  const errors: Json[] = [];
  for (const { fromId, toId } of inputs) {
    try {
      results.push(associate(portal, { from, fromId, to }, toId));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (portal.isBroken('hubspot-5')) continue;
      errors.push(toBatchError(error, { fromObjectId: [fromId], toObjectId: [toId] }));
    }
  }
  return toBatchAnswer(results, errors, startedAt, now);
}

export function readAssociations(
  portal: HubspotPortal,
  { from, to, isNumbered }: Omit<Ends, 'fromId'> & Version,
  body: unknown,
  now: () => Date,
): Answer {
  const startedAt = now().toISOString();
  const ids = readInputs(body, READ_MAX).map((input) => asText(input['id'], 'id'));
  const found = ids.flatMap((id) => portal.find(from, id) ?? []);
  if (portal.isBroken('hubspot-12') && found.some((record) => (record.associations[to] ?? []).length === 0)) {
    throw new Refusal(404, `No ${to} are associated`, { category: 'OBJECT_NOT_FOUND' });
  }
  const results = found.map((record) => ({ from: { id: record.id }, to: toLinked(record, { from, to, isNumbered }) }));
  return toBatchAnswer(results, [], startedAt, now);
}

function associate(portal: HubspotPortal, { from, fromId, to }: Ends, toId: string): Json {
  const associationTypeId = portal.associate(findRecord(portal, from, fromId), findRecord(portal, to, toId));
  return {
    from: { id: fromId },
    to: { id: toId },
    associationSpec: { associationCategory: 'HUBSPOT_DEFINED', associationTypeId },
  };
}

function assertAssociable(from: ObjectType, to: ObjectType): void {
  if (associationTypeId(from, to) === null) {
    throw new Refusal(400, `No default association type between ${from} and ${to}`);
  }
}

function toLinked(record: StoredRecord, { from, to, isNumbered }: Omit<Ends, 'fromId'> & Version): Json[] {
  const typeId = associationTypeId(from, to);
  return (record.associations[to] ?? []).map((id) => ({
    toObjectId: isNumbered ? Number(id) : id,
    associationTypes: [{ category: 'HUBSPOT_DEFINED', typeId, ...(isNumbered ? { label: null } : {}) }],
  }));
}

export function listAssociations(portal: HubspotPortal, { from, fromId, to, isNumbered }: Ends & Version): Answer {
  return { status: 200, body: { results: toLinked(findRecord(portal, from, fromId), { from, to, isNumbered }) } };
}

function findRecord(portal: HubspotPortal, type: ObjectType, id: string): StoredRecord {
  const record = portal.find(type, id);
  if (record === null) throw new Refusal(404, `No ${type} with ID ${id} exists`, { category: 'OBJECT_NOT_FOUND' });
  return record;
}
