import { createHash } from 'node:crypto';
import type { CrmRecord, CrmRecords } from '@svc/crm';
import {
  type CrmRecordKey,
  deleteCrmRecords,
  listCrmRecords,
  type StoredCrmRecord,
  upsertCrmRecords,
} from '../store/crm-records.ts';
import { createBatcher } from '../store/database/batcher.ts';
import type { Database } from '../store/database/db.ts';

/**
 * Returns a function from a connection to what is remembered of the records of its CRM, shared by all processes.
 * Connections that are written at the same time share statements.
 */
export function createCrmRecords(db: Database): (connectionId: number) => CrmRecords {
  const list = createBatcher<readonly CrmRecordKey[], ReadonlyMap<string, StoredCrmRecord>>({
    run: async (requests) => {
      const records = await listCrmRecords(db, requests.flat());
      const byConnection = Map.groupBy(records, ({ connectionId }) => connectionId);
      return requests.map(([first]) => {
        const ofConnection = first === undefined ? [] : (byConnection.get(first.connectionId) ?? []);
        return new Map(ofConnection.map((record) => [record.identity, record]));
      });
    },
  });
  const store = createBatcher<readonly StoredCrmRecord[], void>({
    run: async (groups) => {
      // The last one of an identity wins.
      const newest = new Map(
        groups.flat().map((record) => [`${record.connectionId} ${record.identity}`, record] as const),
      );
      const sorted = [...newest].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record);
      await upsertCrmRecords(db, sorted);
      return groups.map(() => undefined);
    },
  });
  return (connectionId) => ({
    async read(identities) {
      if (identities.length === 0) return new Map();
      const keyOf = new Map(identities.map((identity) => [identity, toKey(identity)]));
      const found = await list([...new Set(keyOf.values())].map((identity) => ({ connectionId, identity })));
      return new Map(
        [...keyOf].flatMap(([identity, key]) => {
          const record = found.get(key);
          return record === undefined ? [] : [[identity, toRecord(record, identity)] as const];
        }),
      );
    },
    async write(records) {
      if (records.length === 0) return;
      await store(records.map((record) => ({ ...record, connectionId, identity: toKey(record.identity) })));
    },
    async delete(identities) {
      if (identities.length > 0) await deleteCrmRecords(db, connectionId, identities.map(toKey));
    },
  });
}

function toRecord({ connectionId: _connectionId, ...record }: StoredCrmRecord, identity: string): CrmRecord {
  return { ...record, identity };
}

/** An index entry has 2,704 bytes at most. */
const KEY_LENGTH_MAX = 500;

function toKey(identity: string): string {
  if (identity.length <= KEY_LENGTH_MAX) return identity;
  return `${identity.slice(0, KEY_LENGTH_MAX)}#${createHash('sha256').update(identity).digest('hex')}`;
}
