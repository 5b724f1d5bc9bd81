/** A `fetch` that hands calls of the SDK to the operations of the API in this process, for a caller whose key was checked. */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { operations } from '@svc/contract/operations';
import { authorize } from '@svc/domain/requests/access';
import { ApiError, errorHeaders } from '@svc/domain/errors/errors';
import { createRouter } from '@svc/domain/requests/match-route';
import { parseQuery } from '@svc/domain/requests/parameters';
import type { Context } from '@svc/engine/context';
import { withAuditEntry } from '@svc/operations/implemented/operation';
import type { ApiAnswer, AuthorizedRequest } from '../http/answer.ts';
import { type CallerRules, keyRules, perform } from '../http/mount.ts';
import { routes } from '../http/routes/index.ts';

export type McpCaller = Pick<AuthorizedRequest, 'key' | 'access'>;

/** What an agent changes is in the audit log, without bodies, because some contain secrets. */
const agentRules: Pick<CallerRules<AuthorizedRequest>, 'write'> = {
  write: (ctx, operation, caller, work) =>
    withAuditEntry(
      ctx,
      {
        actor: `mcp:key-${caller.key.id}`,
        operation: `api/${operation.id}`,
        input: { accountId: caller.key.accountId, ...caller.params },
      },
      () => keyRules.write(ctx, operation, caller, work),
    ),
};

const matchRoute = createRouter(operations);

/** Each call passes the limits and the access rule of its operation, as one from outside does. */
export function callInProcess(ctx: Context, caller: McpCaller): (request: Request) => Promise<Response> {
  return async (request) => {
    const headers = new Headers();
    try {
      return toResponse(await answer(ctx, caller, request, headers), headers);
    } catch (error) {
      const refusal = error instanceof ApiError ? error : new ApiError(500, OWN_MESSAGES.internalServerError);
      if (refusal !== error) ctx.log.error({ err: error }, 'a call of /mcp failed');
      for (const [name, value] of Object.entries(errorHeaders(refusal))) headers.set(name, value);
      return Response.json(refusal.toBody(), { status: refusal.statusCode, headers });
    }
  };
}

async function answer(
  ctx: Context,
  { key, access }: McpCaller,
  request: Request,
  headers: Headers,
): Promise<ApiAnswer & { status: number }> {
  const { pathname, search } = new URL(request.url);
  // The address of the API may have a path of its own in front.
  const path = pathname.slice(new URL(ctx.urls.api).pathname.replace(/\/$/, '').length);
  const match = matchRoute(request.method, path);
  if (match === null) throw new ApiError(404, OWN_MESSAGES.noSuchRoute);
  const { route: operation, params } = match;
  const body: unknown = operation.hasBody ? await request.json() : undefined;
  const apiRequest = { params, query: parseQuery(`${path}${search}`), body };
  const entry = routes[operation.id];
  if (entry.access === 'public') return { status: operation.successStatus, ...(await entry.handle(ctx, apiRequest)) };
  const sink = { setHeader: (name: string, value: string) => headers.set(name, value) };
  await ctx.limiter.take(sink, operation.rateBucket, { accountId: key.accountId });
  authorize(operation.access, access, key.account);
  const done = await perform(ctx, operation, { entry, rules: agentRules, caller: { ...apiRequest, key, access } });
  return { status: operation.successStatus, ...done };
}

function toResponse(
  { status, json, text, headers: own = {} }: ApiAnswer & { status: number },
  headers: Headers,
): Response {
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  if (text === undefined)
    return json === undefined ? new Response(null, { status, headers }) : Response.json(json, { status, headers });
  headers.set('Content-Type', text.contentType);
  return new Response(text.body, { status, headers });
}
