export { memoryRecords } from '../../src/records/memory-records.ts';
import type { CrmAccess, CrmBatch, CrmConnector, CrmOutcome, CrmWrite } from '../../src/port/types.ts';

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
