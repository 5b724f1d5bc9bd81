import type { CrmRecord, CrmRecords } from '../port/types.ts';

/** Returns records that live in memory, for a dry run and for tests. */
export function memoryRecords(): CrmRecords & { readonly all: ReadonlyMap<string, CrmRecord> } {
  const all = new Map<string, CrmRecord>();
  return {
    all,
    read: async (identities) =>
      new Map(
        identities.flatMap((identity) => {
          const record = all.get(identity);
          return record === undefined ? [] : [[identity, record] as const];
        }),
      ),
    write: async (records) => {
      for (const record of records) all.set(record.identity, record);
    },
    delete: async (identities) => {
      for (const identity of identities) all.delete(identity);
    },
  };
}
