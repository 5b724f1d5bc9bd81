import { CrmFailure } from '../http/http-failure.ts';
import type { CrmRecord, CrmRecords } from '../port/types.ts';
import type { HubspotClient } from './client.ts';
import { createRecords, type HubspotRecord, type RecordsOf, type UpsertInput } from './records.ts';
import { searchByValues } from './search.ts';

/**
 * Writes activities where HubSpot keeps no property of them unique, so that they cannot be upserted. New ones are created. One that an earlier
 * attempt may have created is looked for first: among the activities that we remember, then in HubSpot's search. It is created again only
 * when both do not have it: when the answer to its creation was lost, and the search, whose index lags by seconds, does not show it yet.
 */
export async function writeByPlainKey(
  { client, records, now }: { client: HubspotClient; records: CrmRecords; now: Date },
  of: RecordsOf,
  inputs: readonly UpsertInput[],
): Promise<(HubspotRecord | CrmFailure)[]> {
  const repeated = inputs.filter(({ isNew }) => isNew !== true).map(({ id }) => id);
  const known = await findWritten({ client, records }, of, repeated);
  const missing = inputs.filter(({ id }) => !known.has(id));
  const created = await createRecords(client, of, missing);
  const answers = new Map<string, HubspotRecord | CrmFailure>(known);
  for (const [index, { id }] of missing.entries()) {
    const answer = created[index];
    if (answer !== undefined) answers.set(id, answer);
  }
  await records.write([...answers].flatMap(([key, answer]) => toMark({ of, key, answer, now })));
  return inputs.flatMap(({ id }) => answers.get(id) ?? []);
}

/** Returns what is there by key, or why that is not known. */
async function findWritten(
  { client, records }: { client: HubspotClient; records: CrmRecords },
  of: RecordsOf,
  keys: readonly string[],
): Promise<Map<string, HubspotRecord | CrmFailure>> {
  const found = new Map<string, HubspotRecord | CrmFailure>();
  const marks = await records.read(keys.map((key) => toMarkIdentity(of, key)));
  for (const key of keys) {
    const mark = marks.get(toMarkIdentity(of, key));
    if (mark !== undefined) found.set(key, { id: mark.recordId, properties: {} });
  }
  const { objectType, idProperty, part } = of;
  const search = { operation: 'keys_search', objectType, property: idProperty, sort: 'hs_createdate', part } as const;
  const unknown = keys.filter((key) => !found.has(key));
  const answers = await searchByValues(client, search, unknown);
  for (const [index, key] of unknown.entries()) {
    const answer = answers[index];
    if (answer instanceof CrmFailure) found.set(key, answer);
    else if (typeof answer === 'string') found.set(key, { id: answer, properties: {} });
  }
  return found;
}

/** Returns under which identity a written activity is remembered. */
export function toMarkIdentity({ objectType }: Pick<RecordsOf, 'objectType'>, key: string): string {
  return `activity:${objectType}:${key}`;
}

function toMark({
  of,
  key,
  answer,
  now,
}: {
  of: RecordsOf;
  key: string;
  answer: HubspotRecord | CrmFailure;
  now: Date;
}): CrmRecord[] {
  if (answer instanceof CrmFailure) return [];
  const unknown = { detailsHash: null, ownerId: null, companyId: null };
  return [
    { identity: toMarkIdentity(of, key), recordType: of.objectType, recordId: answer.id, ...unknown, checkedAt: now },
  ];
}
