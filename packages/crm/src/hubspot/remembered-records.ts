import type { CrmRecords } from '../types.ts';

/** Records whose failures only cost calls: what is not known is read from HubSpot. */
export function withoutFailures(records: CrmRecords): CrmRecords {
  return {
    read: (identities) => records.read(identities).catch(() => new Map()),
    write: (written) => records.write(written).catch(() => {}),
    delete: (identities) => records.delete(identities).catch(() => {}),
  };
}
