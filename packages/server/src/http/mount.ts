/** Puts the contract's operations on an Express router, with the checks that every one of them shares. */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { type Operation, operations, toRoutePath } from '@svc/contract/operations';
import { authorize, parseBearer, resolveAccess } from '@svc/domain/access';
import { ApiError, invalidApiKey } from '@svc/domain/errors';
import express, { type Request, type Response, type Router } from 'express';
import type { Context } from '../context.ts';
import { hashApiKey } from '../secrets.ts';
import { findKeyByHash } from '../store/api-keys.ts';
import type { ApiAnswer, ApiRequest, AuthorizedRequest, RouteEntry } from './answer.ts';

/** A webhook's fields fit many times over. */
const API_BODY_BYTES_MAX = 64 * 1024;
const METHODS = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const;

export function apiRouter(ctx: Context, routes: Readonly<Partial<Record<string, RouteEntry>>>): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const operation of operations) {
    const entry = routes[operation.id];
    if (!entry) continue;
    router[METHODS[operation.method]](toRoutePath(operation.path), async (request, response) => {
      response.locals['operationId'] = operation.id;
      send(response, operation, await answer(ctx, operation, entry, request, response));
    });
  }
  return router;
}

async function answer(
  ctx: Context,
  operation: Operation,
  entry: RouteEntry,
  request: Request,
  response: Response,
): Promise<ApiAnswer> {
  await ctx.limiter.take(response, operation.rateBucket, { ip: request.ip ?? '' });
  const apiRequest: ApiRequest = {
    params: onlyStrings(request.params),
    query: parseQuery(request.url),
    body: undefined,
  };
  if (entry.access === 'public') return entry.handle(ctx, apiRequest);
  const authorized = await authenticate(ctx, operation, { request, response, apiRequest });
  const body = operation.hasBody ? await readJsonBody(request, response) : undefined;
  return entry.handle(ctx, { ...authorized, body });
}

/** Key (401), API access (403), account limit (429), then what the operation asks for: the domain's `CHECK_ORDER`. */
async function authenticate(
  ctx: Context,
  operation: Operation,
  { request, response, apiRequest }: { request: Request; response: Response; apiRequest: ApiRequest },
): Promise<AuthorizedRequest> {
  const token = parseBearer(request.headers.authorization);
  const key = await findKeyByHash(ctx.db, hashApiKey(token));
  if (!key) throw invalidApiKey();
  const access = resolveAccess(key, key.connections);
  await ctx.limiter.take(response, operation.rateBucket, { accountId: key.accountId });
  authorize(operation.access, access, key.account);
  return { ...apiRequest, key, access };
}

const parseJsonBody = express.json({ limit: API_BODY_BYTES_MAX, strict: false });

/** Only where a body is needed, and only once the caller is known; bodies sent elsewhere are ignored. */
async function readJsonBody(request: Request, response: Response): Promise<unknown> {
  if (request.headers['content-length'] === '0') return undefined;
  // `is` answers null where there is no body at all.
  if (request.is('application/json') === false) throw new ApiError(415, OWN_MESSAGES.bodyNotJson);
  await new Promise<void>((resolve, reject) => {
    parseJsonBody(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });
  return request.body;
}

function send(response: Response, operation: Operation, answer: ApiAnswer): void {
  response.status(answer.status ?? operation.successStatus);
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  if (answer.text) {
    response.setHeader('Content-Type', answer.text.contentType);
    response.end(answer.text.body);
  } else if (answer.json === undefined) {
    response.end();
  } else {
    response.json(answer.json);
  }
}

/** Every value of a repeated parameter is kept, so that the rules can refuse or use the repeats. */
function parseQuery(url: string): Record<string, string | string[]> {
  const start = url.indexOf('?');
  const query: Record<string, string | string[]> = Object.create(null);
  if (start < 0) return query;
  const parameters = new URLSearchParams(url.slice(start + 1));
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name);
    const [first] = values;
    if (first !== undefined) query[name] = values.length === 1 ? first : values;
  }
  return query;
}

function onlyStrings(params: Request['params']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? value : String(value)]),
  );
}
