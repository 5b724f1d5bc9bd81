import type { PipedriveAccount, SimulatedFilter } from './account.ts';

/** A filter with the records that it selects, made without a call. */
export interface FilterMembers {
  /** Default: the next free id. */
  filterId?: string;
  name: string;
  type: SimulatedFilter['type'];
  /** Addresses of persons, or domains of organizations. */
  members: readonly string[];
}

/** Creates a filter and a record for each member; returns the filter's id. */
export function createFilter(account: PipedriveAccount, ownerId: number, filter: FilterMembers): string {
  const id = filter.filterId === undefined ? account.nextId() : Number(filter.filterId);
  const ids = filter.members.map((member) =>
    filter.type === 'org' ? addOrganization(account, ownerId, member) : addPerson(account, ownerId, member),
  );
  account.filters.set(id, { id, name: filter.name, type: filter.type, members: ids });
  return String(id);
}

function addPerson(account: PipedriveAccount, ownerId: number, email: string): number {
  const id = account.nextId();
  const at = account.time();
  account.persons.set(id, {
    id,
    name: email.split('@')[0] ?? email,
    owner_id: ownerId,
    org_id: null,
    emails: [{ value: email, primary: true, label: 'work' }],
    phones: [],
    label_ids: [],
    custom_fields: {},
    marketing_status: 'no_consent',
    is_deleted: false,
    add_time: at,
    update_time: at,
    writes: 0,
  });
  return id;
}

function addOrganization(account: PipedriveAccount, ownerId: number, domain: string): number {
  const id = account.nextId();
  const at = account.time();
  account.organizations.set(id, {
    id,
    name: domain,
    owner_id: ownerId,
    website: `https://www.${domain}/`,
    custom_fields: {},
    is_deleted: false,
    add_time: at,
    update_time: at,
    writes: 0,
  });
  return id;
}
