import { LAST_VALUE_NAMES, LAST_VALUES } from '@svc/domain/policy/last-values';
import { tryStatements } from '../events/self-test.ts';
import { CrmFailure, toFailed } from '../http/http-failure.ts';
import type { CrmPipeline, CrmProperty, CrmSchema, CrmSetup, PreparedItem, PreparedSetup } from '../port/setup.ts';
import { createPipedriveClient, type PipedriveClient } from './client.ts';
import { type PipedriveConnectorOptions, toClientOptions } from './connector.ts';
import { maxLengthOf, propertyTypeOf, toOption } from './field-values.ts';
import { isLabelField, listPersonFields, type PersonField } from './person-fields.ts';
import { LAST_VALUE_TYPES, lastValueFieldName } from './person-values.ts';
import { listPipelines } from './pipelines.ts';
import { OWN_FIELDS } from './settings.ts';

/**
 * What the operator of a connection asks of Pipedrive. To describe it costs 30 tokens, to prepare it 10, and 5 for each field that is made.
 */
export function createPipedriveSetup(options: PipedriveConnectorOptions): CrmSetup {
  const calls = toClientOptions(options);
  return {
    async describe(access) {
      try {
        return await describe(createPipedriveClient(calls, access, []));
      } catch (error) {
        return toFailed(error, 'while reading the fields of Pipedrive');
      }
    },
    async prepare({ access, isDryRun }) {
      try {
        return await prepare(createPipedriveClient(calls, access, []), isDryRun);
      } catch (error) {
        return toFailed(error, 'while making the fields of Pipedrive');
      }
    },
    async *selfTest(input) {
      // Only the command needs them, not the server that starts.
      const { PIPEDRIVE_STATEMENTS } = await import('./statements.ts');
      const { makeSelfTestWorld } = await import('./self-test-world.ts');
      yield* tryStatements(PIPEDRIVE_STATEMENTS, () => makeSelfTestWorld(calls, input));
    },
  };
}

async function describe(client: PipedriveClient): Promise<CrmSchema> {
  const fields = await listPersonFields(client);
  return {
    status: 'described',
    records: [{ recordType: 'person', properties: fields.flatMap(toProperties) }],
    leadStatuses: fields.find(isLabelField)?.options.map(toOption) ?? null,
    lifecycleStages: null,
    pipelines: await describePipelines(client),
    hasCampaignMembers: false,
    hasManualLists: false,
  };
}

/** A policy names a custom field by its name or by its code, so it is a property under both. */
function toProperties(field: PersonField): CrmProperty[] {
  const { code, name, type, options, isCustom } = field;
  const propertyType = propertyTypeOf(type);
  const property = {
    label: name,
    type: propertyType,
    options: options.length === 0 ? null : options.map(toOption),
    maxLength: maxLengthOf(type),
    isWritable: isCustom && propertyType !== 'other' && !OWN_NAMES.has(name),
  };
  return [...new Set(isCustom ? [name, code] : [code])].map((propertyName) => ({ name: propertyName, ...property }));
}

const OWN_NAMES: ReadonlySet<string> = new Set([
  OWN_FIELDS.profileUrl.name,
  ...LAST_VALUE_NAMES.map(lastValueFieldName),
]);

/** Returns null when the token may not read deals. */
async function describePipelines(client: PipedriveClient): Promise<CrmPipeline[] | null> {
  try {
    const pipelines = await listPipelines(client);
    return pipelines.map(({ id, name, stages }) => ({
      value: String(id),
      label: name,
      stages: stages.map((stage) => toOption({ id: stage.id, label: stage.name })),
    }));
  } catch (error) {
    if (error instanceof CrmFailure && error.isRefusal) return null;
    throw error;
  }
}

async function prepare(client: PipedriveClient, isDryRun: boolean): Promise<PreparedSetup> {
  const fields = await listPersonFields(client);
  const items: PreparedItem[] = [];
  let refusal: string | null = null;
  for (const name of LAST_VALUE_NAMES) {
    const fieldName = lastValueFieldName(name);
    const type = LAST_VALUE_TYPES[LAST_VALUES[name].type];
    const itemName = `person field "${fieldName}"`;
    // The connector writes to the first custom field with the name.
    const found = fields.find((field) => field.isCustom && field.name.trim().toLowerCase() === fieldName.toLowerCase());
    if (found !== undefined) {
      const note = `it is of the type ${found.type}, not ${type}: rename it, and prepare again`;
      const isUsable = found.type === type;
      items.push({ name: itemName, state: isUsable ? 'exists' : 'refused', note: isUsable ? null : note });
    } else if (isDryRun || refusal !== null) {
      items.push({ name: itemName, state: refusal === null ? 'missing' : 'refused', note: refusal });
    } else {
      refusal = await tryMakeField(client, fieldName, type);
      items.push({ name: itemName, state: refusal === null ? 'made' : 'refused', note: refusal });
    }
  }
  return { status: 'prepared', items };
}

/** Returns why Pipedrive refuses the field, else null. What refuses one field refuses all: a permission, or a limit of the plan. */
async function tryMakeField(client: PipedriveClient, name: string, type: string): Promise<string | null> {
  const { path } = OWN_FIELDS.profileUrl;
  const body = { field_name: name, field_type: type };
  try {
    await client.call({ operation: 'fields', method: 'POST', path, kind: 'write', body, part: `the field "${name}"` });
    return null;
  } catch (error) {
    if (error instanceof CrmFailure && error.isRefusal) return error.error.message;
    throw error;
  }
}
