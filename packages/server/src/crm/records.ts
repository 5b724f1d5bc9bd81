import { createHash } from 'node:crypto';
import type { CrmRecord, CrmRecords } from '@svc/crm';
import type { Context } from '../context.ts';
import { deleteCrmRecords, listCrmRecords, upsertCrmRecords } from '../store/crm-records.ts';

/** Returns what is remembered of the records of one connection's CRM, shared by all processes. */
export function createCrmRecords({ db }: Pick<Context, 'db'>, connectionId: number): CrmRecords {
  return {
    async read(identities) {
      if (identities.length === 0) return new Map();
      const identityOf = new Map(identities.map((identity) => [toKey(identity), identity]));
      const records = await listCrmRecords(db, connectionId, [...identityOf.keys()]);
      return new Map(
        records.map((record) => {
          const identity = identityOf.get(record.identity) ?? record.identity;
          return [identity, { ...record, identity }];
        }),
      );
    },
    async write(records) {
      const newest = new Map<string, CrmRecord>();
      for (const record of records) {
        const identity = toKey(record.identity);
        newest.set(identity, { ...record, identity });
      }
      if (newest.size === 0) return;
      await upsertCrmRecords(
        db,
        connectionId,
        [...newest.values()].toSorted((a, b) => (a.identity < b.identity ? -1 : 1)),
      );
    },
    async delete(identities) {
      if (identities.length > 0) await deleteCrmRecords(db, connectionId, identities.map(toKey));
    },
  };
}

/** An index entry has 2,704 bytes at most. */
const KEY_LENGTH_MAX = 500;

function toKey(identity: string): string {
  if (identity.length <= KEY_LENGTH_MAX) return identity;
  return `${identity.slice(0, KEY_LENGTH_MAX)}#${createHash('sha256').update(identity).digest('hex')}`;
}
