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
  const pipelines: SalesPipeline[] = [];
  for (const { recordTypeId, name } of recordTypes) {
    const id = asText(recordTypeId);
    if (id === null) continue;
    const stages = (await readStages(client, id)) ?? allStages;
    pipelines.push({ value: id, label: asText(name) ?? id, recordTypeId: id, stages });
  }
  return { readAt, fields, pipelines };
}

/** Returns the stages of a record type; null when the user interface API does not say. @throws CrmFailure */
async function readStages(client: SalesforceClient, recordTypeId: string): Promise<CrmOption[] | null> {
  try {
    const answer = await client.call({
      operation: 'org_describe',
      method: 'GET',
      path: `/ui-api/object-info/Opportunity/picklist-values/${recordTypeId}/StageName`,
      part: 'the stages of opportunities',
    });
    const stages = asList(asObject(answer)['values']).flatMap(toOption);
    return stages.length === 0 ? null : stages;
  } catch (error) {
    if (error instanceof CrmFailure && error.isRefusal) return null;
    throw error;
  }
}
