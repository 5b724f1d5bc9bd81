import type { Answer } from '../http/answer.ts';
import { matchPath } from '../http/paths.ts';
import { deleteCollection, readCollectionOf, upsertCollection, writeCollection } from './collections.ts';
import { answerComposite } from './composite.ts';
import type { SalesforceLimiter } from './limits.ts';
import type { SalesforceListViews } from './list-views.ts';
import {
  type CallOptions,
  createRecord,
  deleteRecord,
  readByField,
  readRecord,
  updateRecord,
  upsertByField,
} from './objects.ts';
import type { SalesforceOrg } from './org.ts';
import type { SalesforceQueries } from './query.ts';
import { notFound, Refusal } from './refusal.ts';
import { describeStages } from './sales-objects.ts';
import { describeObject, summarizeObject } from './schema.ts';
import { createCustomField, queryTooling } from './tooling.ts';

export interface RouteContext {
  org: SalesforceOrg;
  queries: SalesforceQueries;
  listViews: SalesforceListViews;
  limiter: SalesforceLimiter;
}

interface RouteRequest {
  context: RouteContext;
  /** The captured segments of the path, decoded, in order. */
  segments: readonly string[];
  query: URLSearchParams;
  body: unknown;
  options: CallOptions;
}

interface Route {
  method: string;
  /** Below the version; `*` captures one segment. */
  path: string;
  handle: (request: RouteRequest) => Answer;
}

/** The newest version that the simulator answers to. */
const VERSION_MAX = 68;

/** Static paths come before wildcards at the same position. */
const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/limits', handle: ({ context }) => ({ status: 200, body: context.limiter.toBody() }) },
  {
    method: 'GET',
    path: '/query',
    handle: ({ context, query, options }) => context.queries.run(query.get('q') ?? '', options.base),
  },
  {
    method: 'GET',
    path: '/query/*',
    handle: ({ context, segments: [locator = ''], options }) => context.queries.more(locator, options.base),
  },
  {
    method: 'GET',
    path: '/sobjects',
    handle: ({ context, options }) => ({
      status: 200,
      body: {
        encoding: 'UTF-8',
        maxBatchSize: 200,
        sobjects: context.org.objects().map((object) => summarizeObject(object, options.base)),
      },
    }),
  },
  {
    method: 'GET',
    path: '/sobjects/*/describe',
    handle: ({ context, segments: [type = ''], options }) => ({
      status: 200,
      body: describeObject(context.org.object(type), options.base, context.org.settings),
    }),
  },
  {
    method: 'GET',
    path: '/ui-api/object-info/Opportunity/picklist-values/*/StageName',
    handle: ({ context, segments: [recordTypeId = ''] }) => describeStages(context.org.settings, recordTypeId),
  },
  {
    method: 'GET',
    path: '/tooling/query',
    handle: ({ context, query }) => queryTooling(context.org, query.get('q') ?? ''),
  },
  {
    method: 'POST',
    path: '/tooling/sobjects/CustomField',
    handle: ({ context, body }) => createCustomField(context.org, body),
  },
  {
    method: 'GET',
    path: '/sobjects/*/listviews/*/describe',
    handle: ({ context, segments: [type = '', id = ''] }) => context.listViews.describe(type, id),
  },
  {
    method: 'GET',
    path: '/sobjects/*/listviews/*/results',
    handle: ({ context, segments: [type = '', id = ''], query, options }) =>
      context.listViews.results(type, id, query, options.base),
  },
  {
    method: 'POST',
    path: '/sobjects/*',
    handle: ({ context, segments: [type = ''], body, options }) => createRecord(context.org, type, body, options),
  },
  {
    method: 'GET',
    path: '/sobjects/*/*',
    handle: ({ context, segments: [type = '', id = ''], query, options }) =>
      readRecord(context.org, type, id, query, options),
  },
  {
    method: 'PATCH',
    path: '/sobjects/*/*',
    handle: ({ context, segments: [type = '', id = ''], body, options }) =>
      updateRecord(context.org, type, id, body, options),
  },
  {
    method: 'DELETE',
    path: '/sobjects/*/*',
    handle: ({ context, segments: [type = '', id = ''] }) => deleteRecord(context.org, type, id),
  },
  {
    method: 'GET',
    path: '/sobjects/*/*/*',
    handle: ({ context, segments: [type = '', name = '', value = ''], query, options }) =>
      readByField(context.org, type, [name, value], query, options),
  },
  {
    method: 'PATCH',
    path: '/sobjects/*/*/*',
    handle: ({ context, segments: [type = '', name = '', value = ''], query, body, options }) =>
      upsertByField(context.org, type, [name, value], query, body, options),
  },
  {
    method: 'POST',
    path: '/composite/sobjects',
    handle: ({ context, body, options }) => writeCollection(context.org, 'POST', body, options),
  },
  {
    method: 'PATCH',
    path: '/composite/sobjects',
    handle: ({ context, body, options }) => writeCollection(context.org, 'PATCH', body, options),
  },
  {
    method: 'DELETE',
    path: '/composite/sobjects',
    handle: ({ context, query }) => deleteCollection(context.org, query),
  },
  {
    method: 'GET',
    path: '/composite/sobjects/*',
    handle: ({ context, segments: [type = ''], query, options }) =>
      readCollectionOf(
        context.org,
        type,
        { ids: (query.get('ids') ?? '').split(','), fields: query.get('fields') ?? 'Id' },
        options,
      ),
  },
  {
    method: 'POST',
    path: '/composite/sobjects/*',
    handle: ({ context, segments: [type = ''], body, options }) =>
      readCollectionOf(
        context.org,
        type,
        { ids: textsOf(body, 'ids'), fields: textsOf(body, 'fields').join(',') },
        options,
      ),
  },
  {
    method: 'PATCH',
    path: '/composite/sobjects/*/*',
    handle: ({ context, segments: [type = '', name = ''], body, options }) =>
      upsertCollection(context.org, type, name, body, options),
  },
  {
    method: 'POST',
    path: '/composite',
    handle: ({ context, body }) =>
      answerComposite(
        body,
        ({ method, url, body: partBody, headers }) => answerRequest(context, { method, url, body: partBody, headers }),
        context.org.isBroken('salesforce-10') ? 8_000 : undefined,
      ),
  },
];

export interface RoutedRequest {
  method: string;
  url: URL;
  body: unknown;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Answers one authenticated request below `/services/data/`. Refusals are returned, not thrown. */
export function answerRequest(context: RouteContext, { method, url, body, headers }: RoutedRequest): Answer {
  try {
    const [base = '', version = ''] = /^\/services\/data\/v(\d+)\.0/.exec(url.pathname) ?? [];
    if (base === '' || Number(version) > VERSION_MAX) throw notFound();
    const path = url.pathname.slice(base.length).replace(/\/$/, '');
    const allowsDuplicates = /allowSave\s*=\s*true/i.test(String(headers['sforce-duplicate-rule-header'] ?? ''));
    for (const route of ROUTES) {
      const segments = route.method === method ? matchPath(route.path, path) : null;
      if (segments !== null) {
        const options = { base, allowsDuplicates };
        return route.handle({ context, segments, query: url.searchParams, body, options });
      }
    }
    throw notFound();
  } catch (error) {
    if (error instanceof Refusal) return error.toAnswer();
    throw error;
  }
}

function textsOf(body: unknown, name: string): string[] {
  const value: unknown =
    typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body))[name] : undefined;
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
