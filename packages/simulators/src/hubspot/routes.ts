import type { Answer } from '../http/answer.ts';
import { matchPath } from '../http/paths.ts';
import { Refusal } from './answer.ts';
import { associateBatch, associateDefault, listAssociations, readAssociations } from './associations.ts';
import { type HubspotLists, listMemberships, readList } from './lists.ts';
import {
  createRecord,
  deleteRecord,
  readBatch,
  readRecord,
  searchRecords,
  updateRecord,
  upsertBatch,
} from './objects.ts';
import type { HubspotPortal } from './portal.ts';
import { createGroup, createProperty, listProperties, readProperty } from './properties.ts';
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
}

interface Route {
  method: string;
  /** `*` captures one segment. */
  path: string;
  handle(request: RouteRequest): Answer;
}

/** Static paths come before wildcards at the same position. */
const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/crm/v3/objects/*/batch/upsert',
    handle: ({ context, segments: [type = ''], body }) =>
      upsertBatch(context.portal, readObjectType(type), body, context.now),
  },
  {
    method: 'POST',
    path: '/crm/v3/objects/*/batch/read',
    handle: ({ context, segments: [type = ''], body }) =>
      readBatch(context.portal, readObjectType(type), body, context.now),
  },
  {
    method: 'POST',
    path: '/crm/v3/objects/*/search',
    handle: ({ context, segments: [type = ''], body }) => searchRecords(context.portal, readObjectType(type), body),
  },
  {
    method: 'POST',
    path: '/crm/v3/objects/*',
    handle: ({ context, segments: [type = ''], body }) => createRecord(context.portal, readObjectType(type), body),
  },
  {
    method: 'GET',
    path: '/crm/v3/objects/*/*',
    handle: ({ context, segments: [type = '', id = ''], query }) =>
      readRecord(context.portal, readObjectType(type), id, query),
  },
  {
    method: 'PATCH',
    path: '/crm/v3/objects/*/*',
    handle: ({ context, segments: [type = '', id = ''], query, body }) =>
      updateRecord(context.portal, readObjectType(type), id, query, body),
  },
  {
    method: 'DELETE',
    path: '/crm/v3/objects/*/*',
    handle: ({ context, segments: [type = '', id = ''] }) => deleteRecord(context.portal, readObjectType(type), id),
  },
  {
    method: 'POST',
    path: '/crm/v3/properties/*/groups',
    handle: ({ context, segments: [type = ''], body }) => createGroup(context.portal, readObjectType(type), body),
  },
  {
    method: 'GET',
    path: '/crm/v3/properties/*',
    handle: ({ context, segments: [type = ''] }) => listProperties(context.portal, readObjectType(type)),
  },
  {
    method: 'POST',
    path: '/crm/v3/properties/*',
    handle: ({ context, segments: [type = ''], body }) => createProperty(context.portal, readObjectType(type), body),
  },
  {
    method: 'GET',
    path: '/crm/v3/properties/*/*',
    handle: ({ context, segments: [type = '', name = ''] }) => readProperty(context.portal, readObjectType(type), name),
  },
  {
    method: 'POST',
    path: '/oauth/v2/private-apps/get/access-token-info',
    handle: ({ context, body }) => readTokenInfo(context, body),
  },
  {
    method: 'GET',
    path: '/account-info/v3/details',
    handle: ({ context }) => readAccountDetails(context.token),
  },
  {
    method: 'GET',
    path: '/crm/v3/lists/*',
    handle: ({ context, segments: [id = ''] }) => readList(context.lists, id),
  },
  {
    method: 'GET',
    path: '/crm/v3/lists/*/memberships',
    handle: ({ context, segments: [id = ''], query }) => listMemberships(context.lists, id, query),
  },
  { method: 'GET', path: '/crm/v3/owners', handle: ({ context, query }) => listOwners(context.owners, query) },
  {
    method: 'PUT',
    path: '/crm/v4/objects/*/*/associations/default/*/*',
    handle: ({ context, segments: [from = '', fromId = '', to = '', toId = ''] }) =>
      associateDefault(
        context.portal,
        { from: readObjectType(from), fromId, to: readObjectType(to), toId },
        context.now,
      ),
  },
  {
    method: 'POST',
    path: '/crm/v4/associations/*/*/batch/associate/default',
    handle: ({ context, segments: [from = '', to = ''], body }) =>
      associateBatch(context.portal, { from: readObjectType(from), to: readObjectType(to) }, body, context.now),
  },
  {
    method: 'POST',
    path: '/crm/v4/associations/*/*/batch/read',
    handle: ({ context, segments: [from = '', to = ''], body }) =>
      readAssociations(context.portal, { from: readObjectType(from), to: readObjectType(to) }, body, context.now),
  },
  {
    method: 'GET',
    path: '/crm/v4/objects/*/*/associations/*',
    handle: ({ context, segments: [from = '', fromId = '', to = ''] }) =>
      listAssociations(context.portal, { from: readObjectType(from), fromId, to: readObjectType(to) }),
  },
];

/** Answers one authenticated request. Refusals are returned, not thrown. */
export function answerRequest(context: RouteContext, method: string, url: URL, body: unknown): Answer {
  const path = url.pathname.replace(/\/$/, '');
  try {
    for (const route of ROUTES) {
      const segments = route.method === method ? matchPath(route.path, path) : null;
      if (segments !== null) return route.handle({ context, segments, query: url.searchParams, body });
    }
    throw new Refusal(404, `No route for ${method} ${path}`, { category: 'OBJECT_NOT_FOUND' });
  } catch (error) {
    if (error instanceof Refusal) return error.toAnswer();
    throw error;
  }
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
