import type { Answer } from '../http/answer.ts';
import type { PipedriveAccount, SimulatedOrganization } from './account.ts';
import { page, Refusal, single } from './answer.ts';
import { type PersonRules, readSearch, textsOf } from './persons.ts';
import { listRecords } from './records.ts';
import { asId, asObject, assertKeys, asText, type Json, pathId } from './requests.ts';

/** `/api/v2/organizations`. */

const WRITABLE = ['name', 'owner_id', 'add_time', 'visible_to', 'label_ids', 'address', 'website', 'custom_fields'];

export function createOrganization({ account, userId }: PersonRules, body: unknown): Answer {
  const input = asObject(body);
  assertKeys(input, WRITABLE);
  const ownerId = input['owner_id'] === undefined ? userId : asId(input['owner_id'], 'owner_id');
  account.assertOwner(ownerId);
  const now = account.time();
  const organization: SimulatedOrganization = {
    id: 0,
    name: asText(input['name'], 'name'),
    owner_id: ownerId,
    website: typeof input['website'] === 'string' ? input['website'] : null,
    custom_fields: account.assertCustomFields(
      'organizationFields',
      asObject(input['custom_fields'] ?? {}, 'custom_fields'),
    ),
    is_deleted: false,
    add_time: now,
    update_time: now,
    writes: 1,
  };
  organization.id = account.nextId();
  account.organizations.set(organization.id, organization);
  return single(toResource(organization));
}

export function readOrganization(account: PipedriveAccount, segment: string): Answer {
  const organization = account.organizations.get(pathId(segment, 'Organization'));
  if (organization === undefined) throw new Refusal(404, 'Organization not found');
  return single(toResource(organization));
}

export function deleteOrganization(account: PipedriveAccount, segment: string): Answer {
  const organization = account.organizations.get(pathId(segment, 'Organization'));
  if (organization === undefined || organization.is_deleted) throw new Refusal(404, 'Organization not found');
  organization.is_deleted = true;
  for (const person of account.persons.values()) if (person.org_id === organization.id) person.org_id = null;
  return single({ id: organization.id });
}

export function listOrganizations(account: PipedriveAccount, query: URLSearchParams): Answer {
  return listRecords({
    all: account.organizations,
    query,
    filter: { account, type: 'org' },
    matches: () => true,
    toResource,
  });
}

/** `fields` is one or more of `name`, `custom_fields`; the website is not searched. */
export function searchOrganizations(account: PipedriveAccount, query: URLSearchParams): Answer {
  const { term, isExact, fields, limit } = readSearch(query);
  const isMatch = (text: string | null) =>
    text !== null && (isExact ? text.toLowerCase() === term : text.toLowerCase().includes(term));
  const found = [...account.organizations.values()].filter(
    (organization) =>
      account.isSearchable(organization) &&
      ((fields.includes('custom_fields') && textsOf(organization.custom_fields).some(isMatch)) ||
        (fields.includes('name') && isMatch(organization.name))),
  );
  const items = found.slice(0, limit).map(({ id, name, owner_id, custom_fields }) => ({
    result_score: 1,
    item: {
      id,
      type: 'organization',
      name,
      address: null,
      visible_to: 3,
      owner: { id: owner_id },
      custom_fields: textsOf(custom_fields),
      notes: [],
    },
  }));
  return page({ items }, null);
}

function toResource(organization: SimulatedOrganization): Json {
  return { ...organization, writes: undefined, visible_to: 3, label_ids: [], address: null };
}
