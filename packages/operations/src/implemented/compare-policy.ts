/** Whether what a write policy names is there in the CRM. */
import type { FieldValue } from '@svc/domain/policy/planned-fields';
import type { OutcomeRule, WritePolicy } from '@svc/domain/policy/write-policy';
import { type CrmOption, type CrmProperty, type CrmSchema, findOption, toPropertyValue } from '@svc/crm';
import { nearestName } from '@svc/engine/config/nearest-name';

/** One sentence each, which begins with the place in the policy. */
export interface PolicyFit {
  /** What cannot be written. */
  misfits: string[];
  /** What is doubtful. */
  notices: string[];
}

/** Whether the policy names something that only the CRM knows. */
export function namesPartsOfCrm({ fields = [], outcomes = [] }: WritePolicy): boolean {
  return (
    fields.length > 0 ||
    outcomes.some(
      ({ leadStatus, lifecycleStage, campaign, list, deal }) =>
        leadStatus !== undefined ||
        lifecycleStage !== undefined ||
        campaign !== undefined ||
        list !== undefined ||
        deal !== undefined,
    )
  );
}

/** @param crm what people call the CRM */
export function comparePolicy({ fields = [], outcomes = [] }: WritePolicy, schema: CrmSchema, crm: string): PolicyFit {
  const fit: PolicyFit = { misfits: [], notices: [] };
  for (const [index, field] of fields.entries()) compareField(field, `fields.${index}`, schema, fit);
  for (const [index, outcome] of outcomes.entries()) compareOutcome(outcome, `outcomes.${index}`, { schema, crm, fit });
  return fit;
}

type Field = NonNullable<WritePolicy['fields']>[number];

function compareField({ to, value, default: byDefault }: Field, place: string, { records }: CrmSchema, fit: PolicyFit) {
  const found = records.map(({ recordType, properties }) => ({
    recordType,
    property: properties.find(({ name }) => name === to) ?? null,
  }));
  const known = found.flatMap(({ property }) => property ?? []);
  const writable = known.filter(({ isWritable }) => isWritable);
  const types = records.map(({ recordType }) => recordType).join(' and ');
  if (known.length === 0) {
    const names = records.flatMap(({ properties }) => properties).filter(({ isWritable }) => isWritable);
    fit.misfits.push(`${place}.to: there is no property ${to} of ${types}${hintOf(to, names)}`);
    return;
  }
  if (writable.length === 0) {
    fit.misfits.push(
      `${place}.to: ${to} cannot be written: the CRM computes it, or this service writes it by other rules`,
    );
    return;
  }
  for (const { recordType, property } of found) {
    if (property?.isWritable !== true)
      fit.notices.push(
        `${place}.to: ${recordType} has no property ${to} that can be written, so it is left out there.`,
      );
  }
  for (const [key, constant] of Object.entries({ value, default: byDefault })) {
    const problems = constant === undefined ? [] : writable.flatMap((property) => problemOf(constant, property) ?? []);
    if (problems[0] !== undefined) fit.misfits.push(`${place}.${key}: ${problems[0]}`);
  }
}

const TYPE_NAMES: Readonly<Record<CrmProperty['type'], string>> = {
  text: 'text',
  number: 'a number',
  boolean: 'true or false',
  date: 'a date such as 2026-03-01',
  datetime: 'a time such as 2026-03-01T10:00:00Z',
  option: 'one of its options',
  options: 'some of its options',
  other: 'text',
};

function problemOf(constant: FieldValue, property: CrmProperty): string | null {
  const { name, type, options, maxLength } = property;
  if (toPropertyValue(constant, property) === null) {
    const known = (options ?? []).map(({ value, label }) => ({ name: label, value }));
    return `${name} takes ${TYPE_NAMES[type]}, not ${String(constant)}${options === null ? '' : hintOf(String(constant), known)}`;
  }
  const isTooLong = typeof constant === 'string' && maxLength !== null && constant.length > maxLength;
  return isTooLong ? `${name} takes at most ${maxLength} characters` : null;
}

interface Comparison {
  schema: CrmSchema;
  crm: string;
  fit: PolicyFit;
}

function compareOutcome(outcome: OutcomeRule, place: string, comparison: Comparison): void {
  const { schema, crm, fit } = comparison;
  const { leadStatus, lifecycleStage, campaign, list, deal } = outcome;
  const compareOption = (
    given: string | undefined,
    options: readonly CrmOption[] | null,
    key: string,
    what: string,
  ) => {
    if (given === undefined) return;
    if (options === null) fit.misfits.push(`${place}.${key}: ${crm} has no ${what}`);
    else if (findOption(options, given) === null)
      fit.misfits.push(`${place}.${key}: ${crm} has no ${what} ${given}${hintOfOptions(given, options)}`);
  };
  compareOption(leadStatus, schema.leadStatuses, 'leadStatus', 'lead status');
  compareOption(lifecycleStage, schema.lifecycleStages, 'lifecycleStage', 'lifecycle stage');
  if (campaign !== undefined && !schema.hasCampaignMembers)
    fit.misfits.push(`${place}.campaign: in ${crm} people are not members of campaigns`);
  if (list !== undefined && !schema.hasManualLists)
    fit.misfits.push(`${place}.list: ${crm} has no lists that contacts are added to`);
  if (deal !== undefined) compareDeal(deal, `${place}.deal`, comparison);
}

function compareDeal(
  { pipeline, stage }: NonNullable<OutcomeRule['deal']>,
  place: string,
  { schema: { pipelines }, crm, fit }: Comparison,
): void {
  if (pipelines === null) {
    fit.notices.push(`${place}: ${crm} did not show its pipelines, so the stage is not compared with them.`);
    return;
  }
  const value = pipeline === undefined ? pipelines[0]?.value : findOption(pipelines, pipeline);
  const found = pipelines.find((known) => known.value === value);
  if (found === undefined) {
    const what = pipeline === undefined ? 'pipeline' : `pipeline ${pipeline}${hintOfOptions(pipeline, pipelines)}`;
    fit.misfits.push(`${place}.pipeline: ${crm} has no ${what}`);
  } else if (findOption(found.stages, stage) === null) {
    const hint = hintOfOptions(stage, found.stages);
    fit.misfits.push(`${place}.stage: the pipeline ${found.label} has no stage ${stage}${hint}`);
  }
}

function hintOfOptions(given: string, options: readonly CrmOption[]): string {
  return hintOf(
    given,
    options.map(({ label }) => ({ name: label })),
  );
}

/** Few names are all said. */
const NAMES_MAX = 12;

function hintOf(given: string, known: readonly { name: string }[]): string {
  const names = [...new Set(known.map(({ name }) => name))];
  const nearest = nearestName(given, names);
  if (nearest !== null) return `: did you mean ${nearest}?`;
  return names.length > 0 && names.length <= NAMES_MAX ? `, only ${names.join(', ')}` : '';
}
