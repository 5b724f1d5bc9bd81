/**
 * Pages of the consents at CRMs: the callback that the CRM redirects to, and the start of a reconnection, which the page
 * of a disconnected connection links to. Pages contain nothing of the request; codes and states are not logged.
 */
import { CRMS, type Crm } from '@svc/contract/vocabulary';
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { ApiError } from '@svc/domain/errors/errors';
import { escapeHtml, pageHeaders, renderPage } from '@svc/domain/pages/html-page';
import type { CrmOauth } from '@svc/crm';
import express, { type Request, type Response, type Router } from 'express';
import type { Context } from '@svc/engine/context';
import { beginConsent, describeRefusal, finishConsent } from '@svc/engine/crm/consents';
import { disconnectRemovedApp, isClientProof } from '@svc/engine/crm/removed-app';
import { countOpenConsents, findConsentTarget, findLoginUrl } from '@svc/engine/store/oauth-consents';
import { readSessionCookie, sessionCookie } from './session-cookie.ts';

/** Public consents at a time of one connection, and of all installations that begin at a CRM; anybody can begin them. */
const OPEN_CONSENTS_MAX = 20;
const OPEN_INSTALLATIONS_MAX = 200;
/** Longer values are not codes. */
const PARAMETER_MAX = 4_096;

export function oauthRouter(ctx: Context): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use('/oauth', async (request, response, next) => {
    // A HEAD would use up the state.
    if (request.method === 'HEAD') throw new ApiError(404, OWN_MESSAGES.noSuchRoute);
    response.locals['operationId'] = 'oauth';
    response.setHeader('Cache-Control', 'no-store');
    await ctx.limiter.take(response, 'general', { ip: request.ip ?? '' });
    next();
  });
  router.get('/oauth/connections/:id/start', (request, response) => startReconnection(ctx, request, response));
  router.get('/oauth/:crm/callback', (request, response) => finish(ctx, request, response));
  router.delete('/oauth/:crm/callback', express.json({ limit: '16kb', type: () => true }), (request, response) =>
    removeApp(ctx, request, response),
  );
  return router;
}

async function startReconnection(ctx: Context, request: Request, response: Response): Promise<void> {
  const id = Number(/^\d{1,15}$/.exec(String(request.params['id']))?.[0]);
  const target = Number.isInteger(id) ? await findConsentTarget(ctx.db, id) : null;
  const oauth = target === null ? undefined : ctx.crmOauth(target.crm);
  // One answer for all, so that strangers do not learn which connections exist.
  if (target === null || target.sealedToken !== null || oauth === undefined || oauth.client === null) {
    sendPage(response, 404, 'Nothing to reconnect', 'No disconnected connection can be reconnected at this address.');
    return;
  }
  if ((await countOpenConsents(ctx.db, id, ctx.clock.now())) >= OPEN_CONSENTS_MAX) {
    sendPage(
      response,
      429,
      'Try again later',
      'This connection is being reconnected already. Try again in ten minutes.',
    );
    return;
  }
  const { crm, accountId } = target;
  const loginUrl = await findLoginUrl(ctx.db, id);
  await redirectToConsent(ctx, oauth, response, { crm, accountId, connectionId: id, loginUrl });
}

async function redirectToConsent(
  ctx: Context,
  oauth: CrmOauth,
  response: Response,
  target: { crm: string; accountId: number | null; connectionId: number | null; loginUrl: string | null },
): Promise<void> {
  const session = Buffer.from(ctx.randomBytes(32)).toString('base64url');
  const { url } = await beginConsent(ctx, oauth, { ...target, isPublic: true, session, settings: {} });
  response.setHeader('Set-Cookie', sessionCookie(ctx.urls, session));
  response.set(pageHeaders());
  response.redirect(303, url);
}

async function finish(ctx: Context, request: Request, response: Response): Promise<void> {
  const { crm, oauth } = findOauth(ctx, request);
  const query = new URL(request.url, 'http://127.0.0.1').searchParams;
  const read = (name: string) => {
    const value = query.get(name);
    return value === null || value === '' || value.length > PARAMETER_MAX ? null : value;
  };
  const [state, code] = [read('state'), read('code')];
  if (state === null && code !== null && crm === 'PIPEDRIVE') {
    // An installation that began in Pipedrive's Marketplace. Its code may be anybody's, so a consent of our own follows.
    if ((await countOpenConsents(ctx.db, null, ctx.clock.now())) >= OPEN_INSTALLATIONS_MAX) {
      sendPage(response, 429, 'Try again later', 'Too many installations are under way. Try again in ten minutes.');
      return;
    }
    await redirectToConsent(ctx, oauth, response, { crm, accountId: null, connectionId: null, loginUrl: null });
    return;
  }
  const session = readSessionCookie(request.headers.cookie);
  const [error, errorDescription] = [read('error'), read('error_description')];
  const finished = await finishConsent(ctx, oauth, { crm, state, code, error, errorDescription, session });
  response.setHeader('Set-Cookie', sessionCookie(ctx.urls, null));
  if (finished.status === 'refused') {
    ctx.log.warn({ crm, reason: finished.reason }, 'a consent at a CRM connected nothing');
    const status = finished.reason === 'unavailable' || finished.reason === 'key_missing' ? 503 : 400;
    sendPage(response, status, `${oauth.vendor} is not connected`, describeRefusal(oauth, finished));
    return;
  }
  const { connectionId, isNew } = finished;
  ctx.log.info({ crm, connectionId, isNew }, 'a consent at a CRM connected a connection');
  const how = isNew ? 'is connected' : 'is connected again';
  sendPage(response, 200, `${oauth.vendor} ${how}`, `Connection ${connectionId} ${how}. You can close this page.`);
}

async function removeApp(ctx: Context, request: Request, response: Response): Promise<void> {
  const { crm, oauth } = findOauth(ctx, request);
  if (crm !== 'PIPEDRIVE') throw new ApiError(404, OWN_MESSAGES.noSuchRoute);
  if (!isClientProof(oauth, request.headers.authorization)) throw new ApiError(401, 'Invalid client');
  const body: unknown = request.body;
  const companyId = typeof body === 'object' && body !== null && 'company_id' in body ? body.company_id : null;
  if (typeof companyId !== 'number' && typeof companyId !== 'string') throw new ApiError(400, 'company_id is missing');
  const connectionIds = await disconnectRemovedApp(ctx, { crm, organizationId: String(companyId) });
  ctx.log.warn({ crm, connectionIds }, 'the app was removed at the CRM, so its connections are disconnected');
  response.status(204).end();
}

/** @throws ApiError 404 for an unknown CRM and for one without a client */
function findOauth(ctx: Context, request: Request): { crm: Crm; oauth: CrmOauth } {
  const crm = CRMS.find((name) => name.toLowerCase() === request.params['crm']);
  const oauth = crm === undefined ? undefined : ctx.crmOauth(crm);
  if (crm === undefined || oauth === undefined || oauth.client === null)
    throw new ApiError(404, OWN_MESSAGES.noSuchRoute);
  return { crm, oauth };
}

/** @param text plain text of ours */
function sendPage(response: Response, status: number, title: string, text: string): void {
  response.status(status);
  response.set(pageHeaders());
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.end(renderPage({ title, body: `<p>${escapeHtml(text)}</p>` }));
}
