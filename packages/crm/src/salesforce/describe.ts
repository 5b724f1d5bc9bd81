import { asText } from '../http/answer-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import type { CrmOption, CrmProperty, CrmRecordSchema, CrmSchema } from '../port/setup.ts';
import type { SalesforceClient } from './client.ts';
import { toPropertyType } from './field-values.ts';
import { isReserved } from './fields.ts';
import { describe, type FieldsOf, type SalesforceField, toFields } from './org.ts';
import { readSales } from './sales.ts';

/** What policies can name in an org. */

/** @throws CrmFailure */
export async function describeOrg(client: SalesforceClient, now: () => Date): Promise<CrmSchema> {
  const fields = new Map<string, FieldsOf>();
  for (const type of ['Contact', 'Lead']) fields.set(type, toFields(await describe(client, type)));
  const sales = await readSales(client, now);
  return {
    status: 'described',
    records: [...fields].flatMap(([recordType, shown]) => toRecordSchema(recordType, shown)),
    leadStatuses: fields.get('Lead') == null ? null : await readLeadStatuses(client),
    lifecycleStages: null,
    pipelines: sales?.pipelines.map(({ value, label, stages }) => ({ value, label, stages })) ?? null,
    hasCampaignMembers: true,
    hasManualLists: false,
  };
}

function toRecordSchema(recordType: string, fields: FieldsOf): CrmRecordSchema[] {
  if (fields === null) return [];
  return [{ recordType, properties: [...fields].map(([name, field]) => toProperty(name, field)) }];
}

function toProperty(name: string, field: SalesforceField): CrmProperty {
  return {
    name,
    label: field.label,
    type: toPropertyType(field.type),
    options: field.isRestricted ? field.options : null,
    maxLength: field.maxLength === 0 ? null : field.maxLength,
    isWritable: field.isCreateable && field.isUpdateable && !isReserved(name),
  };
}

/** The statuses that a lead can have without being converted. */
async function readLeadStatuses(client: SalesforceClient): Promise<CrmOption[] | null> {
  const soql = 'SELECT ApiName, MasterLabel FROM LeadStatus WHERE IsConverted = false ORDER BY SortOrder';
  try {
    const [rows = []] = await client.query([{ soql, part: 'the statuses of leads' }], 'setup_read');
    return rows.flatMap((row): CrmOption[] => {
      const value = asText(row['ApiName']);
      return value === null ? [] : [{ value, label: asText(row['MasterLabel']) ?? value }];
    });
  } catch (error) {
    if (error instanceof CrmFailure && error.isRefusal) return null;
    throw error;
  }
}
