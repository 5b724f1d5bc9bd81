import type {
  CrmAccess,
  CrmBatch,
  CrmConnector,
  CrmOutcome,
  CrmRecord,
  CrmRecords,
  CrmWrite,
} from '../../src/port/types.ts';

/** Access with a quota that allows every call. */
export function accessTo(accessToken: string, changes: Partial<CrmAccess> = {}): CrmAccess {
  return {
    accessToken,
    tokenType: 'private',
    apiUrl: null,
    quota: { take: () => Promise.resolve(null), report: () => Promise.resolve() },
    ...changes,
  };
}

/** Records in memory. */
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

/** Writes one event as a batch of its own. */
export async function writeOne(
  connector: CrmConnector,
  write: CrmWrite,
  batch: Omit<CrmBatch, 'events'>,
): Promise<CrmOutcome> {
  const [outcome] = await connector.writeEvents({ ...batch, events: [write] });
  if (outcome === undefined) throw new Error('The connector returned no outcome.');
  return outcome;
}
