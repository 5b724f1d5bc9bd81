import type { Answer } from '../http/answer.ts';
import { Refusal } from './answer.ts';
import { associationTypeId, type ObjectType } from './catalog.ts';
import type { HubspotPortal, StoredRecord } from './portal.ts';

/** `/crm/v4/objects/.../associations`: the default association between two records. */

interface Ends {
  from: ObjectType;
  fromId: string;
  to: ObjectType;
}

/** PUT: creates the association if it does not exist. */
export function associateDefault(
  portal: HubspotPortal,
  { from, fromId, to, toId }: Ends & { toId: string },
  now: () => Date,
): Answer {
  const startedAt = now().toISOString();
  const associationType = portal.associate(findRecord(portal, from, fromId), findRecord(portal, to, toId));
  return {
    status: 200,
    body: {
      status: 'COMPLETE',
      results: [
        {
          from: { id: fromId },
          to: { id: toId },
          associationSpec: { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: associationType },
        },
      ],
      startedAt,
      completedAt: now().toISOString(),
    },
  };
}

export function listAssociations(portal: HubspotPortal, { from, fromId, to }: Ends): Answer {
  const typeId = associationTypeId(from, to);
  const ids = findRecord(portal, from, fromId).associations[to] ?? [];
  return {
    status: 200,
    body: {
      results: ids.map((id) => ({
        toObjectId: Number(id),
        associationTypes: [{ category: 'HUBSPOT_DEFINED', typeId, label: null }],
      })),
    },
  };
}

function findRecord(portal: HubspotPortal, type: ObjectType, id: string): StoredRecord {
  const record = portal.find(type, id);
  if (record === null) throw new Refusal(404, `No ${type} with ID ${id} exists`, { category: 'OBJECT_NOT_FOUND' });
  return record;
}
