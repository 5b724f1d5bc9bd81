import { asList, asObject, asText } from '../http/answer-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import { asId, type PipedriveClient, readPages } from './client.ts';
import { fresh, once, type PipedriveSession, toRecord } from './session.ts';

/**
 * The fields of persons, which every account has others of. One call lists them all (10 tokens); each is remembered under its name and its
 * code, and listed again after six hours, or when a name is not there.
 */

export interface PersonField {
  /** 40 hex digits, which differ from account to account; of a standard field its name in the API. */
  code: string;
  name: string;
  /** `varchar`, `enum`, ... */
  type: string;
  options: readonly FieldOption[];
  isCustom: boolean;
}

export interface FieldOption {
  id: number;
  label: string;
}

const FIELDS = 'setting:person-fields';
const FIELDS_MS = 6 * 60 * 60 * 1000;
/** A name that is not there asks for the fields again, but not more often than this. */
const FIELDS_RECHECK_MS = 10 * 60 * 1000;

/** The standard field of the labels. The documentation names it in both ways. */
const LABEL_FIELDS: ReadonlySet<string> = new Set(['label_ids', 'label']);

export function isLabelField({ code, isCustom }: PersonField): boolean {
  return !isCustom && LABEL_FIELDS.has(code);
}

/** The identities under which these fields are remembered, for one read at the start of a batch. */
export function fieldIdentities(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [FIELDS, ...names.map(fieldIdentity)];
}

/** Lists all fields of persons. @throws CrmFailure */
export async function listPersonFields(client: PipedriveClient): Promise<PersonField[]> {
  const call = { operation: 'fields', path: '/api/v2/personFields?limit=500', part: 'the fields of persons' } as const;
  const fields: PersonField[] = [];
  for await (const { items } of readPages(client, call)) {
    for (const item of items) {
      const { field_name, field_code, field_type, is_custom_field, options } = asObject(item);
      const [name, code, type] = [asText(field_name), asText(field_code), asText(field_type)];
      if (name === null || code === null || type === null) continue;
      fields.push({ name, code, type, options: asList(options).flatMap(toOption), isCustom: is_custom_field === true });
    }
  }
  return fields;
}

function toOption(option: unknown): FieldOption[] {
  const { id, label } = asObject(option);
  const [optionId, text] = [asId(id), asText(label)];
  return optionId === null || text === null ? [] : [{ id: optionId, label: text }];
}

/** Returns the custom field with this name or code; null when there is none. @throws CrmFailure */
export async function findPersonField(session: PipedriveSession, name: string): Promise<PersonField | null> {
  return toField(await find(session, fieldIdentity(name)));
}

/** Returns the id of the person label with this name or id; null when there is none. @throws CrmFailure */
export async function findLabelId(session: PipedriveSession, label: string): Promise<number | null> {
  const found = await find(session, labelIdentity(label));
  return found === null ? null : Number(found.recordId);
}

/** Makes the next write list the fields again: a field or an option may be deleted. */
export async function forgetPersonFields(session: PipedriveSession): Promise<void> {
  for (const maxAgeMs of [FIELDS_MS, FIELDS_RECHECK_MS]) session.lookUps.delete(lookUpOf(maxAgeMs));
  await session.records.forget([FIELDS]);
}

async function find(session: PipedriveSession, identity: string) {
  await session.records.load([FIELDS, identity]);
  for (const maxAgeMs of [FIELDS_MS, FIELDS_RECHECK_MS]) {
    await once(session, lookUpOf(maxAgeMs), () => rememberFields(session, maxAgeMs));
    const [found, all] = [session.records.get(identity), session.records.get(FIELDS)];
    // What is no longer listed is left over from an earlier look-up.
    if (found !== null && all !== null && found.checkedAt >= all.checkedAt) return found;
  }
  return null;
}

async function rememberFields(session: PipedriveSession, maxAgeMs: number): Promise<void> {
  if (fresh(session, FIELDS, maxAgeMs) !== null) return;
  const at = session.now();
  const fields = await listPersonFields(session.client).catch(async (error) => {
    // Not allowed: the next batch does not ask again.
    if (error instanceof CrmFailure && error.isRefusal) {
      await session.records.write([toRecord(FIELDS, 'field', 'refused', at)]);
    }
    throw error;
  });
  const labels = fields.filter(isLabelField).flatMap(({ options }) => options);
  // Names are not unique: the first field with a name has it, as the last one that is remembered.
  const custom = fields.filter(({ isCustom }) => isCustom);
  const records = custom.reverse().flatMap((field) =>
    [field.name, field.code].map((name) => ({
      ...toRecord(fieldIdentity(name), 'field', field.code, at),
      detailsHash: JSON.stringify(field),
    })),
  );
  const ofLabels = [...labels]
    .reverse()
    .flatMap(({ id, label }) =>
      [label, String(id)].map((name) => toRecord(labelIdentity(name), 'label', String(id), at)),
    );
  const unique = new Map([...records, ...ofLabels].map((record) => [record.identity, record]));
  await session.records.write([...unique.values(), toRecord(FIELDS, 'field', 'all', at)]);
}

function toField(record: { detailsHash: string | null } | null): PersonField | null {
  const stored: unknown = JSON.parse(record?.detailsHash ?? 'null');
  const { code, name, type, options } = asObject(stored);
  const [fieldCode, fieldName, fieldType] = [asText(code), asText(name), asText(type)];
  if (fieldCode === null || fieldName === null || fieldType === null || !/^[0-9a-f]{40}$/.test(fieldCode)) return null;
  return {
    code: fieldCode,
    name: fieldName,
    type: fieldType,
    options: asList(options).flatMap(toOption),
    isCustom: true,
  };
}

function fieldIdentity(name: string): string {
  return `person-field:${name.trim().toLowerCase()}`;
}

function labelIdentity(label: string): string {
  return `person-label:${label.trim().toLowerCase()}`;
}

function lookUpOf(maxAgeMs: number): string {
  return `${FIELDS}:${maxAgeMs}`;
}
