import type { Answer } from '../http/answer.ts';
import type { PipedriveAccount, SimulatedUser } from './account.ts';
import { Refusal, single } from './answer.ts';
import { pathId } from './requests.ts';

/** What v1 says about users, activity types and filters. */

export interface SimulatedCompany {
  id: number;
  name: string;
  /** First label of the company's own host. */
  domain: string;
}

const AT = '2026-01-01 00:00:00';

export function readCurrentUser(account: PipedriveAccount, userId: number, company: SimulatedCompany): Answer {
  const user = account.users.find(({ id }) => id === userId);
  if (user === undefined) throw new Refusal(401, 'unauthorized access');
  return single({
    ...toResource(user, userId),
    company_id: company.id,
    company_name: company.name,
    company_domain: company.domain,
    timezone_name: 'Europe/Tallinn',
  });
}

/** Without pages. */
export function listUsers(account: PipedriveAccount, userId: number): Answer {
  return single(account.users.map((user) => toResource(user, userId)));
}

export function findUsers(account: PipedriveAccount, userId: number, query: URLSearchParams): Answer {
  const term = (query.get('term') ?? '').toLowerCase();
  if (term.length < 2) throw new Refusal(400, 'term is too short');
  const byEmail = query.get('search_by_email') === '1';
  const found = account.users.filter(({ name, email }) => (byEmail ? email : name).toLowerCase().includes(term));
  return single(found.map((user) => toResource(user, userId)));
}

export function listActivityTypes(account: PipedriveAccount): Answer {
  return single(
    account.activityTypes.map((key_string, index) => ({
      id: index + 1,
      name: key_string,
      icon_key: 'task',
      color: 'FFFFFF',
      order_nr: index + 1,
      key_string,
      active_flag: true,
      is_custom_flag: false,
      add_time: AT,
      update_time: AT,
    })),
  );
}

export function readFilter(account: PipedriveAccount, segment: string): Answer {
  const filter = account.filters.get(pathId(segment, 'Filter'));
  if (filter === undefined) throw new Refusal(404, 'Filter not found');
  const { id, name, type } = filter;
  return single({
    id,
    name,
    type,
    active_flag: true,
    temporary_flag: null,
    user_id: account.users[0]?.id ?? 0,
    // Text, unlike that of persons and organizations.
    visible_to: '7',
    add_time: AT,
    update_time: AT,
    conditions: { glue: 'and', conditions: [] },
  });
}

function toResource(user: SimulatedUser, userId: number): Record<string, unknown> {
  return {
    ...user,
    activated: true,
    role_id: 1,
    locale: 'en_US',
    timezone_name: 'Europe/Tallinn',
    is_you: user.id === userId,
    is_deleted: false,
    access: [{ app: 'sales', admin: true }],
  };
}
