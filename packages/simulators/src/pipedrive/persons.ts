import type { Answer } from '../http/answer.ts';
import type { ContactValue, CustomValue, PipedriveAccount, SimulatedPerson } from './account.ts';
import { page, Refusal, single } from './answer.ts';
import { listRecords } from './records.ts';
import { asFlag, asId, asList, asObject, assertKeys, asText, type Json, pathId, queryNumber } from './requests.ts';

/** `/api/v2/persons` and the merge of v1. */

export interface PersonRules {
  account: PipedriveAccount;
  /** The user of the token, who owns what is made without an owner. */
  userId: number;
  /** Fields of the contact sync: without it, a write with one of them is refused whole. */
  hasContactSync: boolean;
  /** The marketing add-on, without which a marketing status is refused. */
  hasCampaigns: boolean;
}

const CONTACT_SYNC_FIELDS = ['job_title', 'birthday', 'im', 'notes', 'postal_address'];
const WRITABLE = [
  ...['name', 'owner_id', 'org_id', 'add_time', 'emails', 'phones', 'visible_to', 'label_ids'],
  ...['marketing_status', 'custom_fields', ...CONTACT_SYNC_FIELDS],
];

export function createPerson(rules: PersonRules, body: unknown): Answer {
  const { account, userId } = rules;
  const input = readInput(rules, body);
  const name = asText(input['name'], 'name');
  const now = account.time();
  const person: SimulatedPerson = {
    id: account.nextId(),
    name,
    owner_id: account.isBroken('pipedrive-1') ? userId + 1 : userId,
    org_id: null,
    emails: [],
    phones: [],
    label_ids: [],
    custom_fields: {},
    marketing_status: 'no_consent',
    is_deleted: false,
    add_time: now,
    update_time: now,
    writes: 0,
  };
  apply(rules, person, input);
  account.persons.set(person.id, person);
  return single(toResource(person));
}

export function updatePerson(rules: PersonRules, segment: string, body: unknown): Answer {
  const person = findPerson(rules.account, segment);
  apply(rules, person, readInput(rules, body));
  return single(toResource(person));
}

export function readPerson(account: PipedriveAccount, segment: string): Answer {
  const person = account.persons.get(pathId(segment, 'Person'));
  // A deleted person is shown for 30 days.
  if (person === undefined) throw new Refusal(404, 'Person not found');
  return single(toResource(person));
}

/** A second deletion is answered with 410, and still says `success`. */
export function deletePerson(account: PipedriveAccount, segment: string): Answer {
  const person = account.persons.get(pathId(segment, 'Person'));
  if (person === undefined) throw new Refusal(404, 'Person not found');
  const answer = single({ id: person.id }, person.is_deleted ? 410 : 200);
  person.is_deleted = true;
  return answer;
}

/** Moves everything of a person to another one, and deletes it. */
export function mergePersons(account: PipedriveAccount, segment: string, body: unknown): Answer {
  const from = findPerson(account, segment);
  const into = findPerson(account, String(asId(asObject(body)['merge_with_id'], 'merge_with_id')));
  if (from === into) throw new Refusal(400, 'A person cannot be merged with itself');
  for (const activity of account.activities.values()) {
    for (const participant of activity.participants) {
      if (participant.person_id === from.id) participant.person_id = into.id;
    }
  }
  for (const note of account.notes.values()) if (note.person_id === from.id) note.person_id = into.id;
  for (const deal of account.deals.values()) if (deal.person_id === from.id) deal.person_id = into.id;
  into.emails.push(...from.emails.map((email) => ({ ...email, primary: into.emails.length === 0 })));
  from.is_deleted = true;
  return single(toResource(into));
}

export function listPersons(account: PipedriveAccount, query: URLSearchParams): Answer {
  const ownerId = queryNumber(query, 'owner_id');
  const orgId = queryNumber(query, 'org_id');
  return listRecords({
    all: account.persons,
    query,
    filter: { account, type: 'people' },
    matches: (person) =>
      !(account.isBroken('pipedrive-2') && query.has('updated_since')) &&
      (ownerId === null || person.owner_id === ownerId) &&
      (orgId === null || person.org_id === orgId),
    toResource,
  });
}

/** `fields` is one or more of `email`, `custom_fields`, `name`, `phone`. */
export function searchPersons(account: PipedriveAccount, query: URLSearchParams): Answer {
  const { term, isExact, fields, limit } = readSearch(query);
  const isMatch = (text: string | null) =>
    text !== null && (isExact ? text.toLowerCase() === term : text.toLowerCase().includes(term));
  const found = [...account.persons.values()].filter(
    (person) =>
      account.isSearchable(person) &&
      ((fields.includes('email') &&
        !account.isBroken('pipedrive-13') &&
        person.emails.some(({ value }) => isMatch(value))) ||
        (fields.includes('phone') && person.phones.some(({ value }) => isMatch(value))) ||
        (fields.includes('custom_fields') &&
          !account.isBroken('pipedrive-14') &&
          textsOf(person.custom_fields).some(isMatch)) ||
        (fields.includes('name') && isMatch(person.name))),
  );
  const items = found.slice(0, limit).map((person) => {
    const organization = person.org_id === null ? undefined : account.organizations.get(person.org_id);
    return {
      result_score: 1,
      item: {
        id: person.id,
        type: 'person',
        name: person.name,
        phones: person.phones.map(({ value }) => value),
        emails: person.emails.map(({ value }) => value),
        visible_to: 3,
        owner: { id: person.owner_id },
        organization:
          organization === undefined ? null : { id: organization.id, name: organization.name, address: null },
        custom_fields: textsOf(person.custom_fields),
        notes: [],
      },
    };
  });
  return page({ items }, null);
}

/** Search finds texts only. */
export function textsOf(values: Readonly<Record<string, CustomValue>>): string[] {
  return Object.values(values).filter((value) => typeof value === 'string');
}

/** Limit 100, although the documentation says 500: that is what a live account answered. */
export function readSearch(query: URLSearchParams): { term: string; isExact: boolean; fields: string; limit: number } {
  const term = (query.get('term') ?? '').trim().toLowerCase();
  const isExact = query.get('exact_match') === 'true';
  if (term.length < (isExact ? 1 : 2)) throw new Refusal(400, 'Validation failed: term is too short');
  const limit = Math.min(queryNumber(query, 'limit') ?? 100, 100);
  return { term, isExact, fields: query.get('fields') ?? 'custom_fields,email,notes,phone,name', limit };
}

function toNames(name: string): { first_name: string; last_name: string | null } {
  const [first = name, ...rest] = name.split(' ');
  return { first_name: first, last_name: rest.length === 0 ? null : rest.join(' ') };
}

function readInput({ hasContactSync, hasCampaigns }: PersonRules, body: unknown): Json {
  const input = asObject(body);
  assertKeys(input, WRITABLE);
  if (!hasContactSync && Object.keys(input).some((key) => CONTACT_SYNC_FIELDS.includes(key))) {
    throw new Refusal(403, 'Contact sync must be enabled to write this field');
  }
  if (!hasCampaigns && input['marketing_status'] !== undefined) {
    throw new Refusal(403, 'Campaigns must be enabled to write marketing_status', 'feature_capping_campaigns');
  }
  return input;
}

/** Validates everything before it changes anything. */
function apply({ account }: PersonRules, person: SimulatedPerson, input: Json): void {
  const next = { ...person };
  if (input['name'] !== undefined) next.name = asText(input['name'], 'name');
  if (input['owner_id'] !== undefined) {
    next.owner_id = asId(input['owner_id'], 'owner_id');
    account.assertOwner(next.owner_id);
  }
  if (input['org_id'] !== undefined) {
    next.org_id = asId(input['org_id'], 'org_id');
    if (account.organizations.get(next.org_id)?.is_deleted !== false) {
      throw new Refusal(400, 'Validation failed: org_id: organization is not found');
    }
  }
  if (input['emails'] !== undefined) next.emails = asContactValues(input['emails'], 'emails');
  if (input['phones'] !== undefined) next.phones = asContactValues(input['phones'], 'phones');
  if (input['custom_fields'] !== undefined) {
    const values = account.assertCustomFields('personFields', asObject(input['custom_fields'], 'custom_fields'));
    next.custom_fields = { ...person.custom_fields, ...values };
  }
  if (input['label_ids'] !== undefined && !account.isBroken('pipedrive-9')) {
    next.label_ids = asList(input['label_ids'], 'label_ids').map((id) => asId(id, 'label_ids'));
    account.assertLabels(next.label_ids);
  }
  if (input['marketing_status'] !== undefined) {
    if (person.marketing_status === 'unsubscribed') throw new Refusal(400, 'marketing_status can be changed only once');
    next.marketing_status = asText(input['marketing_status'], 'marketing_status');
  }
  Object.assign(person, next, { update_time: account.time(), writes: person.writes + 1 });
}

/** The whole list is replaced, as in Pipedrive. */
function asContactValues(value: unknown, what: string): ContactValue[] {
  return asList(value, what).map((item) => {
    const { value: text, primary, label } = asObject(item, what);
    return {
      value: asText(text, `${what}.value`),
      primary: primary !== undefined && asFlag(primary, `${what}.primary`),
      label: typeof label === 'string' ? label : 'work',
    };
  });
}

function findPerson(account: PipedriveAccount, segment: string): SimulatedPerson {
  const person = account.persons.get(pathId(segment, 'Person'));
  if (person === undefined || person.is_deleted) throw new Refusal(404, 'Person not found');
  return person;
}

function toResource(person: SimulatedPerson): Json {
  const hidden = { writes: undefined, marketing_status: undefined };
  return { ...person, ...hidden, ...toNames(person.name), visible_to: 3, picture_id: null };
}
