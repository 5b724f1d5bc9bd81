import { createHash } from 'node:crypto';
import type { Answer } from '../http/answer.ts';
import type { Fields, PipedriveAccount, SimulatedField, SimulatedOption } from './account.ts';
import { page, Refusal, single } from './answer.ts';
import { asList, asObject, assertKeys, asText, pageLimit, readCursor, toCursor } from './requests.ts';

/** `/api/v2/personFields` and `/api/v2/organizationFields`. Names are not unique. */

const TYPES = [
  'varchar',
  'text',
  'double',
  'phone',
  'date',
  'time',
  'set',
  'enum',
  'varchar_auto',
  'address',
  'monetary',
];

export function listFields(account: PipedriveAccount, kind: Fields, query: URLSearchParams): Answer {
  const limit = pageLimit(query, 500);
  const all = account.fields[kind];
  const position = readCursor(query);
  const next = position + limit;
  return page(all.slice(position, next).map(toResource), next < all.length ? toCursor(next) : null);
}

export function createField(account: PipedriveAccount, kind: Fields, body: unknown): Answer {
  const input = asObject(body);
  assertKeys(input, ['field_name', 'field_type', 'options', 'ui_visibility', 'required_fields']);
  const field_type = asText(input['field_type'], 'field_type');
  if (!TYPES.includes(field_type)) throw new Refusal(400, 'Validation failed: field_type is not valid');
  const field_name = asText(input['field_name'], 'field_name');
  // 40 hex digits that differ from account to account.
  const field_code = createHash('sha1').update(`${kind}/${field_name}/${account.nextId()}`).digest('hex');
  const options = readOptions(account, field_type, input['options']);
  const field = { field_name, field_code, field_type, options, is_custom_field: true };
  account.fields[kind].push(field);
  return single(toResource(field));
}

function toResource(field: SimulatedField): Record<string, unknown> {
  return { ...field, is_optional_response_field: false, subfields: null };
}

function readOptions(account: PipedriveAccount, type: string, given: unknown): SimulatedOption[] | null {
  if (type !== 'enum' && type !== 'set') return null;
  return asList(given, 'options').map((option) => {
    const label = asText(asObject(option, 'options')['label'], 'options.label');
    return { id: account.nextId(), label };
  });
}
