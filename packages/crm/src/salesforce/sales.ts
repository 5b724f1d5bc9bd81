import { asList, asObject, asText } from '../http/answer-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import type { CrmOption, CrmPipeline } from '../port/setup.ts';
import type { SalesforceClient } from './client.ts';
import { describe, type FieldsOf, toFields, toOption } from './org.ts';

/** What the org offers for opportunities. Each record type is a pipeline; an org without record types has one. */
export interface Sales {
  readAt: Date;
  fields: NonNullable<FieldsOf>;
  /** That of the user's default record type first. */
  pipelines: readonly SalesPipeline[];
}

export interface SalesPipeline extends CrmPipeline {
  /** Null in an org without record types. */
  recordTypeId: string | null;
}

const ONLY_PIPELINE = { value: 'opportunities', label: 'Opportunities', recordTypeId: null };

/** Returns null when the user does not see opportunities. @throws CrmFailure */
export async function readSales(client: SalesforceClient, now: () => Date): Promise<Sales | null> {
  const readAt = now();
  const description = await describe(client, 'Opportunity');
  const fields = toFields(description);
  if (fields === null) return null;
  const allStages = fields.get('StageName')?.options ?? [];
  const recordTypes = asList(asObject(description)['recordTypeInfos'])
    .map(asObject)
    .filter(({ available, active, master }) => available === true && active !== false && master !== true)
    .toSorted(
      (a, b) => Number(b['defaultRecordTypeMapping'] === true) - Number(a['defaultRecordTypeMapping'] === true),
    );
  if (recordTypes.length === 0) return { readAt, fields, pipelines: [{ ...ONLY_PIPELINE, stages: allStages }] };
  const stages = await readStages(client);
  const pipelines = recordTypes.flatMap(({ recordTypeId, name }): SalesPipeline[] => {
    const id = asText(recordTypeId);
    if (id === null) return [];
    return [{ value: id, label: asText(name) ?? id, recordTypeId: id, stages: stages.get(id) ?? allStages }];
  });
  return { readAt, fields, pipelines };
}

/** Returns the stages of each record type; none when the user must not read layouts. */
async function readStages(client: SalesforceClient): Promise<ReadonlyMap<string, CrmOption[]>> {
  try {
    const answer = await client.call({
      operation: 'org_describe',
      method: 'GET',
      path: '/sobjects/Opportunity/describe/layouts',
      part: 'the stages of opportunities',
    });
    const mappings = asList(asObject(answer)['recordTypeMappings']).map(asObject);
    return new Map(
      mappings.flatMap(({ recordTypeId, picklistsForRecordType }): [string, CrmOption[]][] => {
        const list = asList(picklistsForRecordType)
          .map(asObject)
          .find(({ picklistName }) => picklistName === 'StageName');
        const id = asText(recordTypeId);
        return id === null || list === undefined ? [] : [[id, asList(list['picklistValues']).flatMap(toOption)]];
      }),
    );
  } catch (error) {
    if (error instanceof CrmFailure && error.isRefusal) return new Map();
    throw error;
  }
}
