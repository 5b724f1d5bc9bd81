import type { Answer } from '../http/answer.ts';
import { matchPath } from '../http/paths.ts';
import type { SimulatedRequest } from '../http/server.ts';
import { Refusal } from './answer.ts';
import { associateBatch, associateDefault, listAssociations, readAssociations } from './associations.ts';
import { addMemberships, createList, deleteList, type HubspotLists, listMemberships, readList } from './lists.ts';
import {
  archiveBatch,
  createBatch,
  createRecord,
  deleteRecord,
  readBatch,
  readRecord,
  searchRecords,
  updateBatch,
  updateRecord,
  upsertBatch,
} from './objects.ts';
import type { HubspotPortal } from './portal.ts';
import { listPipelines } from './pipelines.ts';
import {
  createGroup,
  createProperties,
  createProperty,
  listGroups,
  listProperties,
  readProperty,
} from './properties.ts';
import { asObject, asText, readObjectType } from './requests.ts';

const OWNERS_PAGE_MAX = 500;

export interface SimulatedOwner {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
}

/** What HubSpot says about an access token. */
export interface SimulatedToken {
  hubId: number;
  scopes: readonly string[];
}

export interface RouteContext {
  /** The token of this request. */
  token: SimulatedToken;
  /** Returns another token; null when HubSpot does not know it. */
  findToken: (token: string) => SimulatedToken | null;
  portal: HubspotPortal;
  lists: HubspotLists;
  owners: readonly SimulatedOwner[];
  now: () => Date;
}

interface RouteRequest {
  context: RouteContext;
  /** The captured segments of the path, decoded, in order. */
  segments: readonly string[];
  query: URLSearchParams;
  body: unknown;
  /** The body as it was sent. */
  text: string;
  /** Whether the path has a number (`v3`, `v4`) in place of a date. */
  isNumbered: boolean;
}

interface Route {
  method: string;
  /** `*` captures one segment. */
  path: string;
  handle(request: RouteRequest): Answer;
}

/** Paths of 2026-09. Static ones come before wildcards at the same position. */
const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/crm/objects/2026-09/*/batch/upsert',
    handle: ({ context, segments: [type = ''], body, isNumbered }) =>
      upsertBatch(context.portal, readObjectType(type), body, { now: context.now, isNumbered }),
  },
  {
    method: 'POST',
    path: '/crm/objects/2026-09/*/batch/read',
    handle: ({ context, segments: [type = ''], body }) =>
      readBatch(context.portal, readObjectType(type), body, context.now),
  },
  {
    method: 'POST',
    path: '/crm/objects/2026-09/*/batch/create',
    handle: ({ context, segments: [type = ''], body }) =>
      createBatch(context.portal, readObjectType(type), body, context.now),
  },
  {
    method: 'POST',
    path: '/crm/objects/2026-09/*/batch/update',
    handle: ({ context, segments: [type = ''], body }) =>
      updateBatch(context.portal, readObjectType(type), body, context.now),
  },
  {
    method: 'POST',
    path: '/crm/objects/2026-09/*/batch/archive',
    handle: ({ context, segments: [type = ''], body }) => archiveBatch(context.portal, readObjectType(type), body),
  },
  {
    method: 'POST',
    path: '/crm/objects/2026-09/*/search',
    handle: ({ context, segments: [type = ''], body, text }) =>
      searchRecords(context.portal, readObjectType(type), body, text),
  },
  {
    method: 'POST',
    path: '/crm/objects/2026-09/*',
    handle: ({ context, segments: [type = ''], body, isNumbered }) =>
      createRecord(context.portal, readObjectType(type), body, isNumbered),
  },
  {
    method: 'GET',
    path: '/crm/objects/2026-09/*/*',
    handle: ({ context, segments: [type = '', id = ''], query }) =>
      readRecord(context.portal, readObjectType(type), id, query),
  },
  {
    method: 'PATCH',
    path: '/crm/objects/2026-09/*/*',
    handle: ({ context, segments: [type = '', id = ''], query, body, isNumbered }) =>
      updateRecord(context.portal, { type: readObjectType(type), id, query, body, isNumbered }),
  },
  {
    method: 'DELETE',
    path: '/crm/objects/2026-09/*/*',
    handle: ({ context, segments: [type = '', id = ''] }) => deleteRecord(context.portal, readObjectType(type), id),
  },
  {
    method: 'POST',
    path: '/crm/properties/2026-09/*/groups',
    handle: ({ context, segments: [type = ''], body }) => createGroup(context.portal, readObjectType(type), body),
  },
  {
    method: 'GET',
    path: '/crm/properties/2026-09/*/groups',
    handle: ({ context, segments: [type = ''] }) => listGroups(context.portal, readObjectType(type)),
  },
  {
    method: 'POST',
    path: '/crm/properties/2026-09/*/batch/create',
    handle: ({ context, segments: [type = ''], body }) =>
      createProperties(context.portal, readObjectType(type), body, context.now),
  },
  {
    method: 'GET',
    path: '/crm/pipelines/2026-09/*',
    handle: ({ context, segments: [type = ''] }) => listPipelines(context.portal.pipelines, readObjectType(type)),
  },
  {
    method: 'GET',
    path: '/crm/properties/2026-09/*',
    handle: ({ context, segments: [type = ''] }) => listProperties(context.portal, readObjectType(type)),
  },
  {
    method: 'POST',
    path: '/crm/properties/2026-09/*',
    handle: ({ context, segments: [type = ''], body }) => createProperty(context.portal, readObjectType(type), body),
  },
  {
    method: 'GET',
    path: '/crm/properties/2026-09/*/*',
    handle: ({ context, segments: [type = '', name = ''] }) => readProperty(context.portal, readObjectType(type), name),
  },
  {
    method: 'POST',
    path: '/oauth/v2/private-apps/get/access-token-info',
    handle: ({ context, body }) => readTokenInfo(context, body),
  },
  {
    method: 'GET',
    path: '/account-info/2026-09/details',
    handle: ({ context }) => readAccountDetails(context.token),
  },
  {
    method: 'GET',
    path: '/crm/lists/2026-09/*',
    handle: ({ context, segments: [id = ''] }) => readList(context.lists, id),
  },
  {
    method: 'GET',
    path: '/crm/lists/2026-09/*/memberships',
    handle: ({ context, segments: [id = ''], query }) => listMemberships(context.lists, id, query),
  },
  { method: 'POST', path: '/crm/lists/2026-09', handle: ({ context, body }) => createList(context.lists, body) },
  {
    method: 'DELETE',
    path: '/crm/lists/2026-09/*',
    handle: ({ context, segments: [id = ''] }) => deleteList(context.lists, id),
  },
  {
    method: 'PUT',
    path: '/crm/lists/2026-09/*/memberships/add',
    handle: ({ context, segments: [id = ''], body }) => addMemberships(context.lists, context.portal, id, body),
  },
  { method: 'GET', path: '/crm/owners/2026-09', handle: ({ context, query }) => listOwners(context.owners, query) },
  {
    method: 'PUT',
    path: '/crm/objects/2026-09/*/*/associations/default/*/*',
    handle: ({ context, segments: [from = '', fromId = '', to = '', toId = ''] }) =>
      associateDefault(
        context.portal,
        { from: readObjectType(from), fromId, to: readObjectType(to), toId },
        context.now,
      ),
  },
  {
    method: 'POST',
    path: '/crm/associations/2026-09/*/*/batch/associate/default',
    handle: ({ context, segments: [from = '', to = ''], body }) =>
      associateBatch(context.portal, { from: readObjectType(from), to: readObjectType(to) }, body, context.now),
  },
  {
    method: 'POST',
    path: '/crm/associations/2026-09/*/*/batch/read',
    handle: ({ context, segments: [from = '', to = ''], body, isNumbered }) =>
      readAssociations(
        context.portal,
        { from: readObjectType(from), to: readObjectType(to), isNumbered },
        body,
        context.now,
      ),
  },
  {
    method: 'GET',
    path: '/crm/objects/2026-09/*/*/associations/*',
    handle: ({ context, segments: [from = '', fromId = '', to = ''], isNumbered }) =>
      listAssociations(context.portal, { from: readObjectType(from), fromId, to: readObjectType(to), isNumbered }),
  },
];

/** Answers one authenticated request. Refusals are returned, not thrown. */
export function answerRequest(
  context: RouteContext,
  { method, url, body, text }: Pick<SimulatedRequest, 'method' | 'url' | 'body' | 'text'>,
): Answer {
  const path = url.pathname.replace(/\/$/, '');
  const dated = toDatedPath(path);
  const request = { context, query: url.searchParams, body, text, isNumbered: dated !== path };
  try {
    for (const route of ROUTES) {
      const segments = route.method === method ? matchPath(route.path, dated) : null;
      if (segments !== null) return route.handle({ ...request, segments });
    }
    throw new Refusal(404, `No route for ${method} ${path}`, { category: 'OBJECT_NOT_FOUND' });
  } catch (error) {
    if (error instanceof Refusal) return error.toAnswer();
    throw error;
  }
}

/** Returns the path of 2026-09 that a numbered one stands for: HubSpot answers both until 2027. */
function toDatedPath(path: string): string {
  return path
    .replace(/^\/crm\/v[34]\/([a-z]+)/, '/crm/$1/2026-09')
    .replace(/^\/account-info\/v3\//, '/account-info/2026-09/');
}

function listOwners(owners: readonly SimulatedOwner[], query: URLSearchParams): Answer {
  const email = query.get('email')?.toLowerCase();
  const limit = Number(query.get('limit') ?? 100);
  if (!(limit >= 1 && limit <= OWNERS_PAGE_MAX)) throw new Refusal(400, `limit must be at most ${OWNERS_PAGE_MAX}`);
  const start = Number(query.get('after') ?? 0);
  const found = owners.filter((owner) => email === undefined || owner.email === email);
  const end = start + limit;
  const at = '2026-01-01T00:00:00.000Z';
  return {
    status: 200,
    body: {
      results: found.slice(start, end).map((owner) => ({
        ...owner,
        type: 'PERSON',
        userId: Number(owner.id),
        createdAt: at,
        updatedAt: at,
        archived: false,
      })),
      ...(end < found.length ? { paging: { next: { after: String(end) } } } : {}),
    },
  };
}

function readTokenInfo(context: RouteContext, body: unknown): Answer {
  const found = context.findToken(asText(asObject(body, 'body')['tokenKey'], 'tokenKey'));
  if (found === null) throw unauthenticated();
  return { status: 200, body: { userId: 1001, hubId: found.hubId, appId: 2001, scopes: found.scopes } };
}

function readAccountDetails({ hubId }: SimulatedToken): Answer {
  return {
    status: 200,
    body: {
      portalId: hubId,
      accountType: 'STANDARD',
      timeZone: 'Europe/Copenhagen',
      companyCurrency: 'EUR',
      additionalCurrencies: [],
      utcOffset: '+01:00',
      utcOffsetMilliseconds: 3_600_000,
      uiDomain: 'app.hubspot.com',
      dataHostingLocation: 'na1',
    },
  };
}

export function unauthenticated(): Refusal {
  return new Refusal(401, 'Authentication credentials not found or invalid. The access token may have expired.', {
    category: 'INVALID_AUTHENTICATION',
  });
}
