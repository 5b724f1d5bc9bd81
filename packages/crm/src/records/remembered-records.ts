import type { CrmRecords } from '../port/types.ts';

/** Records whose failures only cost calls: what is not known is read from the CRM. */
export function withoutFailures(records: CrmRecords): CrmRecords {
  return {
    read: async (identities) => (identities.length === 0 ? new Map() : records.read(identities).catch(() => new Map())),
    write: async (written) => {
      if (written.length > 0) await records.write(written).catch(() => {});
    },
    delete: (identities) => records.delete(identities).catch(() => {}),
  };
}
