import type { Answer } from '../http/answer.ts';
import { matchPath } from '../http/paths.ts';
import { createActivity, deleteActivity, listActivities, readActivity, updateActivity } from './activities.ts';
import { Refusal, unknownPath } from './answer.ts';
import { createDeal, deleteDeal, listDeals, listPipelines, listStages, readDeal, updateDeal } from './deals.ts';
import { createField, listFields } from './fields.ts';
import { createNote, deleteNote, listNotes, readNote, updateNote } from './notes.ts';
import {
  createOrganization,
  deleteOrganization,
  listOrganizations,
  readOrganization,
  searchOrganizations,
} from './organizations.ts';
import {
  createPerson,
  deletePerson,
  listPersons,
  mergePersons,
  type PersonRules,
  readPerson,
  searchPersons,
  updatePerson,
} from './persons.ts';
import {
  findUsers,
  listActivityTypes,
  listUsers,
  readCurrentUser,
  readFilter,
  type SimulatedCompany,
} from './users.ts';

export interface RouteContext extends PersonRules {
  company: SimulatedCompany;
}

interface RouteRequest {
  context: RouteContext;
  /** The captured segment of the path, decoded; empty when there is none. */
  id: string;
  query: URLSearchParams;
  body: unknown;
}

type Route = readonly [method: string, path: string, handle: (request: RouteRequest) => Answer];

/** Static paths come before wildcards at the same position. v1 has only what v2 lacks. */
const ROUTES: readonly Route[] = [
  ['GET', '/api/v2/persons/search', ({ context, query }) => searchPersons(context.account, query)],
  ['GET', '/api/v2/persons', ({ context, query }) => listPersons(context.account, query)],
  ['POST', '/api/v2/persons', ({ context, body }) => createPerson(context, body)],
  ['GET', '/api/v2/persons/*', ({ context, id }) => readPerson(context.account, id)],
  ['PATCH', '/api/v2/persons/*', ({ context, id, body }) => updatePerson(context, id, body)],
  ['DELETE', '/api/v2/persons/*', ({ context, id }) => deletePerson(context.account, id)],
  ['PUT', '/api/v1/persons/*/merge', ({ context, id, body }) => mergePersons(context.account, id, body)],
  ['GET', '/api/v2/organizations/search', ({ context, query }) => searchOrganizations(context.account, query)],
  ['GET', '/api/v2/organizations', ({ context, query }) => listOrganizations(context.account, query)],
  ['POST', '/api/v2/organizations', ({ context, body }) => createOrganization(context, body)],
  ['GET', '/api/v2/organizations/*', ({ context, id }) => readOrganization(context.account, id)],
  ['DELETE', '/api/v2/organizations/*', ({ context, id }) => deleteOrganization(context.account, id)],
  ['GET', '/api/v2/personFields', ({ context, query }) => listFields(context.account, 'personFields', query)],
  ['POST', '/api/v2/personFields', ({ context, body }) => createField(context.account, 'personFields', body)],
  [
    'GET',
    '/api/v2/organizationFields',
    ({ context, query }) => listFields(context.account, 'organizationFields', query),
  ],
  [
    'POST',
    '/api/v2/organizationFields',
    ({ context, body }) => createField(context.account, 'organizationFields', body),
  ],
  ['GET', '/api/v2/activities', ({ context, query }) => listActivities(context.account, query)],
  ['POST', '/api/v2/activities', ({ context, body }) => createActivity(context, body)],
  ['GET', '/api/v2/activities/*', ({ context, id }) => readActivity(context.account, id)],
  ['PATCH', '/api/v2/activities/*', ({ context, id, body }) => updateActivity(context.account, id, body)],
  ['DELETE', '/api/v2/activities/*', ({ context, id }) => deleteActivity(context.account, id)],
  ['GET', '/api/v2/deals', ({ context, query }) => listDeals(context.account, query)],
  ['POST', '/api/v2/deals', ({ context, body }) => createDeal(context, body)],
  ['GET', '/api/v2/deals/*', ({ context, id }) => readDeal(context.account, id)],
  ['PATCH', '/api/v2/deals/*', ({ context, id, body }) => updateDeal(context.account, id, body)],
  ['DELETE', '/api/v2/deals/*', ({ context, id }) => deleteDeal(context.account, id)],
  ['GET', '/api/v2/pipelines', ({ context, query }) => listPipelines(context.account, query)],
  ['GET', '/api/v2/stages', ({ context, query }) => listStages(context.account, query)],
  ['GET', '/api/v1/notes', ({ context, query }) => listNotes(context.account, query)],
  ['POST', '/api/v1/notes', ({ context, body }) => createNote(context, body)],
  ['GET', '/api/v1/notes/*', ({ context, id }) => readNote(context.account, id)],
  ['PUT', '/api/v1/notes/*', ({ context, id, body }) => updateNote(context.account, id, body)],
  ['DELETE', '/api/v1/notes/*', ({ context, id }) => deleteNote(context.account, id)],
  ['GET', '/api/v1/users/me', ({ context }) => readCurrentUser(context.account, context.userId, context.company)],
  ['GET', '/api/v1/users/find', ({ context, query }) => findUsers(context.account, context.userId, query)],
  ['GET', '/api/v1/users', ({ context }) => listUsers(context.account, context.userId)],
  ['GET', '/api/v1/activityTypes', ({ context }) => listActivityTypes(context.account)],
  ['GET', '/api/v1/filters/*', ({ context, id }) => readFilter(context.account, id)],
];

/** Answers one authenticated request. Refusals are returned, not thrown. */
export function answerRequest(context: RouteContext, method: string, url: URL, body: unknown): Answer {
  try {
    for (const [routeMethod, path, handle] of ROUTES) {
      const segments = routeMethod === method ? matchPath(path, url.pathname) : null;
      if (segments !== null) return handle({ context, id: segments[0] ?? '', query: url.searchParams, body });
    }
    return unknownPath();
  } catch (error) {
    if (error instanceof Refusal) return withoutReason(context.account, error).toAnswer();
    throw error;
  }
}

function withoutReason(account: RouteContext['account'], refusal: Refusal): Refusal {
  return account.isBroken('pipedrive-12') ? new Refusal(refusal.status, '') : refusal;
}
