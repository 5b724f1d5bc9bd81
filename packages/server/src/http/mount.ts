/** Mounts the contract's operations on an Express router, with the checks that all of them share. */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { LIMITS } from '@svc/contract/limits';
import { type Operation, type OperationId, operations, toRoutePath } from '@svc/contract/operations';
import { JSON_TYPE } from '@svc/contract/vocabulary';
import { authorize, parseBearer, resolveAccess } from '@svc/domain/requests/access';
import { ApiError, invalidApiKey } from '@svc/domain/errors/errors';
import { parseQuery } from '@svc/domain/requests/parameters';
import express, { type Request, type Response, type Router } from 'express';
import type { Context } from '@svc/engine/context';
import { hashApiKey } from '@svc/engine/secrets/secret-box';
import { findKeyByHash } from '@svc/engine/store/api-keys';
import { noteWrite, readLogs } from './log-reads.ts';
import type { ApiAnswer, ApiRequest, AuthorizedRequest, RouteEntry } from './answer.ts';

const METHODS = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const;

/** Who calls the operations of a router, and what follows a write. */
export interface CallerRules<Caller extends AuthorizedRequest> {
  /** Finds out who calls, and throws the refusal of a caller that may not. */
  authenticate(ctx: Context, operation: MountedOperation, received: ReceivedRequest): Promise<Caller>;
  /** Does what changes something, with what belongs to it. */
  write(ctx: Context, operation: MountedOperation, caller: Caller, work: () => Promise<ApiAnswer>): Promise<ApiAnswer>;
}

export type MountedOperation = Operation & { readonly id: OperationId };

export interface ReceivedRequest {
  request: Request;
  response: Response;
  apiRequest: ApiRequest;
}

/** @param isMounted picks operations. Default: all */
export function apiRouter<Caller extends AuthorizedRequest>(
  ctx: Context,
  routes: Readonly<Record<OperationId, RouteEntry>>,
  rules: CallerRules<Caller>,
  isMounted: (operation: Operation) => boolean = () => true,
): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const operation of operations.filter(isMounted)) {
    const entry = routes[operation.id];
    router[METHODS[operation.method]](toRoutePath(operation.path), async (request, response) => {
      response.locals['operationId'] = operation.id;
      send(response, operation, await answer(ctx, operation, { entry, rules, request, response }));
    });
  }
  return router;
}

async function answer<Caller extends AuthorizedRequest>(
  ctx: Context,
  operation: MountedOperation,
  {
    entry,
    rules,
    request,
    response,
  }: { entry: RouteEntry; rules: CallerRules<Caller>; request: Request; response: Response },
): Promise<ApiAnswer> {
  const apiRequest: ApiRequest = {
    params: onlyStrings(request.params),
    query: parseQuery(request.url),
    body: undefined,
  };
  if (entry.access === 'public') return entry.handle(ctx, apiRequest);
  const caller = await rules.authenticate(ctx, operation, { request, response, apiRequest });
  const body = operation.hasBody ? await readJsonBody(request, response) : undefined;
  return perform(ctx, operation, { entry, rules, caller: { ...caller, body } });
}

/** Does an operation for a caller that may call it. */
export async function perform<Caller extends AuthorizedRequest>(
  ctx: Context,
  operation: MountedOperation,
  {
    entry,
    rules,
    caller,
  }: { entry: RouteEntry & { access: 'authorized' }; rules: Pick<CallerRules<Caller>, 'write'>; caller: Caller },
): Promise<ApiAnswer> {
  const handle = async (from: Context) => entry.handle(from, caller);
  if (entry.readsLogs === true) return readLogs(ctx, caller.key, handle);
  return operation.method === 'GET' ? handle(ctx) : rules.write(ctx, operation, caller, () => handle(ctx));
}

/** Returns the key of a request and what it may see. @throws ApiError 401 without a valid key, 403 without API access */
export async function authenticateKey(
  ctx: Context,
  request: Request,
): Promise<Pick<AuthorizedRequest, 'key' | 'access'>> {
  const token = parseBearer(request.headersDistinct['authorization']?.join(', '), ctx.branding.keyPrefix);
  const key = await findKeyByHash(ctx.db, hashApiKey(token), ctx.clock.now());
  if (!key) throw invalidApiKey();
  ctx.keyUse.note(key.id);
  return { key, access: resolveAccess(key, key.connections) };
}

/** The rules of the public API: a caller has a key. */
export const keyRules: CallerRules<AuthorizedRequest> = {
  /**
   * Checks key (401), API access (403), account limit (429), then the operation's access rule: the domain's
   * `CHECK_ORDER`.
   */
  async authenticate(ctx, operation, { request, response, apiRequest }) {
    const { key, access } = await authenticateKey(ctx, request);
    await ctx.limiter.take(response, operation.rateBucket, { accountId: key.accountId });
    authorize(operation.access, access, key.account);
    return { ...apiRequest, key, access };
  },
  async write(ctx, _operation, { key }, work) {
    const answered = await work();
    await noteWrite(ctx, key.id);
    return answered;
  },
};

const parseJsonBody = express.json({ limit: LIMITS.apiBodyBytesMax, strict: false });

/** Reads a body only for operations with one, after authorization; other bodies are ignored. */
export async function readJsonBody(request: Request, response: Response): Promise<unknown> {
  if (request.headers['content-length'] === '0') return undefined;
  // `is` returns null when there is no body.
  if (request.is('application/json') === false) throw new ApiError(415, OWN_MESSAGES.bodyNotJson);
  await new Promise<void>((resolve, reject) => {
    parseJsonBody(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });
  return request.body;
}

function send(response: Response, operation: Operation, answer: ApiAnswer): void {
  response.status(answer.status ?? operation.successStatus);
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  const text = answer.text ?? toJsonText(answer.json);
  if (text === undefined) {
    response.end();
    return;
  }
  // Express's own methods would answer `If-None-Match: *` with a 304, which no operation has.
  response.setHeader('Content-Type', text.contentType);
  response.setHeader('Content-Length', Buffer.byteLength(text.body));
  response.end(text.body);
}

function toJsonText(json: unknown): ApiAnswer['text'] {
  return json === undefined ? undefined : { body: JSON.stringify(json), contentType: JSON_TYPE };
}

function onlyStrings(params: Request['params']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? value : String(value)]),
  );
}
