/**
 * `POST /mcp`: the API as tools for agents that send an API key. The protocol and the tools are loaded at the first call.
 *
 * The answer to a caller without a key says that one is needed, but not where to get one: metadata of an authorization server would have
 * clients begin a sign-in that does not exist here.
 */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { ApiError } from '@svc/domain/errors/errors';
import express, { type Request, type Router } from 'express';
import type { Context } from '@svc/engine/context';
import { loadOnce } from '@svc/engine/runtime/load-once';
import { authenticateKey, readJsonBody } from '../http/mount.ts';

/** @param options.allowsWrites whether keys with the scope write are offered tools that write */
export function mcpRouter(ctx: Context, options: { readonly allowsWrites: boolean }): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const loadHandler = loadOnce(async () => (await import('./handler.ts')).createHandler(ctx, options));
  router.post('/mcp', async (request, response) => {
    response.locals['operationId'] = 'mcp';
    // Counts as a call of the API does, because whoever guesses keys must not keep the database busy.
    await ctx.limiter.take(response, 'general', { ip: request.ip ?? '' });
    refuseForeignOrigin(request, ctx.urls.api);
    const caller = await authenticateKey(ctx, request);
    const body = await readJsonBody(request, response);
    const handle = await loadHandler();
    await handle(request, response, { caller, body });
  });
  // There are no sessions, so there is nothing to listen to and nothing to end.
  router.all('/mcp', (_request, response) => {
    response.status(405).set('Allow', 'POST').end();
  });
  return router;
}

/**
 * A page whose host name was changed to lead to this server (DNS rebinding) must not call the tools. Browsers send the origin of a page; agents
 * send none.
 */
function refuseForeignOrigin({ headers }: Request, apiUrl: string): void {
  const { origin } = headers;
  if (origin === undefined || origin === new URL(apiUrl).origin) return;
  throw new ApiError(403, OWN_MESSAGES.foreignOrigin);
}
