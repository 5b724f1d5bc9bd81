import { randomUUID } from 'node:crypto';
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import type { Operation } from '@svc/contract/operations';
import { API_PREFIX, HEADERS } from '@svc/contract/vocabulary';
import { answerHeaders } from '@svc/domain/requests/answer-headers';
import { brandHeaderName } from '@svc/domain/pages/branding';
import { findHeaderError } from '@svc/domain/errors/broken-request';
import { ApiError } from '@svc/domain/errors/errors';
import { findHostError } from '@svc/domain/network/loopback';
import { addressBucket } from '@svc/domain/requests/rate-limit';
import express, { type Express, type Request, type RequestHandler, type Router } from 'express';
import { describeRoles, type Role } from '@svc/engine/config/roles';
import type { PublicUrls } from '@svc/engine/config/public-urls';
import { noTracing, type OpenSpan, parseTraceparent, runInSpan } from '@svc/engine/runtime/tracing';
import type { Context } from '@svc/engine/context';
import { errorHandler } from './errors.ts';
import { metricsRouter } from './metrics.ts';
import { apiRouter, keyRules } from './mount.ts';
import { watchForProxies } from './proxy-watch.ts';
import type { ReceiptStore } from '../inbound/receive.ts';
import type { RefusalCounts } from '../inbound/refusals.ts';
import { countPost, inboundRouter } from '../inbound/routes.ts';
import { oauthRouter } from './oauth/router.ts';
import { type Mailbox, mailboxRouter } from './pages/mailbox.ts';
import { documentsRouter } from './documents/router.ts';
import { pagesRouter } from './pages/router.ts';
import { routes } from './routes/index.ts';

export interface AppOptions {
  receipts: ReceiptStore;
  refusals: RefusalCounts;
  inboundBodyLimitBytes: number;
  /** Proxies whose `X-Forwarded-For` is trusted: a number of hops, addresses or CIDRs; false for none. */
  trustProxy: false | number | string[];
  /** Whether `/metrics` is answered at the administrative listener only. */
  hasAdminListener: boolean;
  /** Token that `/metrics` requires; undefined allows callers on this machine. */
  metricsToken: string | undefined;
  /** Whether to refuse requests with a `Host` that is neither this machine nor a configured address. */
  refusesForeignHosts: boolean;
  /** Aborted when a stopping server waits no longer for the rest of bodies. */
  bodiesEnd?: AbortSignal | undefined;
  /** The mails of a demo; undefined without the page. */
  mailbox?: Mailbox | undefined;
  /** Undefined when it is elsewhere or nowhere. */
  dashboard?: Router | undefined;
  /** `/mcp`; undefined when it is switched off. */
  mcp?: Router | undefined;
}

/**
 * Creates the Express application: the public API and the inbound host, as far as they are roles of this process. It has no
 * state of its own.
 */
export function createApp(ctx: Context, options: AppOptions): Express {
  const { roles } = ctx;
  const app = emptyApp();
  app.set('trust proxy', options.trustProxy);
  app.use(trackRequests(ctx));
  app.use(watchForProxies(ctx.proxyWatch));
  app.use(setAnswerHeaders(ctx));
  app.use(limitAddress(ctx));
  app.use(refuseAmbiguousHead);
  if (options.refusesForeignHosts) app.use(refuseForeignHost(ctx.urls));
  // The inbound host comes first because it is the busiest and Express tries routes in order.
  const { receipts, refusals, inboundBodyLimitBytes: bodyLimitBytes } = options;
  if (!roles.has('inbound')) app.use('/webhooks', countPost(ctx.metrics));
  else {
    const onUnstored = () => ctx.storage.noteFailure();
    const { bodiesEnd } = options;
    const inbound = { bodyLimitBytes, clock: ctx.clock, refusals, onUnstored, bodiesEnd };
    app.use(inboundRouter(receipts, inbound, ctx.metrics));
  }
  app.use(refuseOptions);
  app.use(apiRouter(ctx, routes, keyRules, roles.has('api') ? undefined : isHealth));
  if (!options.hasAdminListener) app.use(metricsRouter(ctx, options.metricsToken));
  if (roles.has('api')) {
    app.use(oauthRouter(ctx));
    if (options.mcp) app.use(options.mcp);
    if (options.mailbox) app.use(mailboxRouter(options.mailbox));
    if (options.dashboard) app.use(options.dashboard);
    app.use(documentsRouter(ctx, { hasMcp: options.mcp !== undefined }));
    // An operator may have an admin app of their own.
    const { dashboard, api } = ctx.urls;
    app.use(
      pagesRouter(ctx.urls, { hasDashboard: options.dashboard !== undefined || dashboard !== `${api}/dashboard` }),
    );
  }
  app.use(refuseOtherRoutes(ctx));
  app.use(errorHandler(ctx.log));
  return app;
}

/** Creates the application of the administrative listener: metrics, and health with its checks. It has no rate limits. */
export function createAdminApp(
  ctx: Context,
  { metricsToken, dashboard, trustProxy }: Pick<AppOptions, 'metricsToken' | 'dashboard' | 'trustProxy'>,
): Express {
  const app = emptyApp();
  // For the limits of sign-in, which are counted by address.
  app.set('trust proxy', trustProxy);
  app.use(trackRequests(ctx));
  app.use(setAnswerHeaders(ctx));
  app.use(refuseAmbiguousHead);
  app.use(refuseOptions);
  app.use(apiRouter({ ...ctx, hidesHealthChecks: false }, routes, keyRules, isHealth));
  app.use(metricsRouter(ctx, metricsToken));
  if (dashboard) app.use(dashboard);
  app.use(refuseOtherRoutes(ctx));
  app.use(errorHandler(ctx.log));
  return app;
}

function emptyApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // `parseQuery` reads the URL itself, because the rules need every value of a repeated parameter.
  app.set('query parser', false);
  return app;
}

function isHealth({ path }: Operation): boolean {
  return path.startsWith('/health/');
}

const MISROUTED_RETRY_SECONDS = 5;

/**
 * Says which roles the process has when the route may belong to another one. A post of a sequencer or a call of the API is to be sent again,
 * because a 404 would lose it: several sequencers never repeat one, and clients take it for a missing resource.
 */
function refuseOtherRoutes({ roles }: Context): RequestHandler {
  const shown = describeRoles(roles);
  const message =
    shown === null ? OWN_MESSAGES.noSuchRoute : `${OWN_MESSAGES.noSuchRoute} on this server, which runs only: ${shown}`;
  return (request) => {
    const role = roleOf(request);
    if (role === null || roles.has(role)) throw new ApiError(404, message);
    throw new ApiError(
      503,
      `This server runs only: ${shown}. The request needs a server with the role ${role}: correct the load balancer, and send it again.`,
      { retryAfterSeconds: MISROUTED_RETRY_SECONDS },
    );
  };
}

/** Returns which role answers a request, if it is one that must not be lost. */
function roleOf({ method, path }: Request): Role | null {
  if (path.startsWith(`${API_PREFIX}/`) || path === '/mcp') return 'api';
  return method === 'POST' && path.startsWith('/webhooks/') ? 'inbound' : null;
}

/** Without this, Express would answer OPTIONS itself. */
const refuseOptions: RequestHandler = (request, _response, next) => {
  if (request.method === 'OPTIONS') throw new ApiError(404, OWN_MESSAGES.noSuchRoute);
  next();
};

/** Gives every answer an id that is also in the log, counts it, and logs one line without headers, body or query. */
function trackRequests(ctx: Context): RequestHandler {
  const header = brandHeaderName(HEADERS.requestId, ctx.branding);
  return (request, response, next) => {
    const requestId = randomUUID();
    const startedMs = performance.now();
    response.locals['requestId'] = requestId;
    response.setHeader(header, requestId);
    const span = beginSpan(ctx, request);
    // Emitted both for sent answers and for clients that disconnected.
    response.once('close', () => {
      const durationMs = performance.now() - startedMs;
      const operation: string = response.locals['operationId'] ?? 'none';
      const status = response.writableFinished ? response.statusCode : 'aborted';
      ctx.metrics.httpRequests.inc({ operation, status });
      ctx.metrics.httpRequestDuration.observe({ operation, status }, durationMs / 1_000);
      const line = { requestId, method: request.method, operation, status, durationMs: Math.round(durationMs) };
      runInSpan(span, () => ctx.log.debug(line, 'request'));
      if (span) endSpan(span, operation, status);
    });
    runInSpan(span, next);
  };
}

/** Inbound posts and the API. Probes, scrapes and pages would only be noise. */
const TRACED_PATH = new RegExp(`^(?:/webhooks|${API_PREFIX})/`);

/** A caller's own trace is linked, not continued: strangers must decide neither what is recorded nor under which id. */
function beginSpan({ tracing }: Context, { path, method, headers }: Request): OpenSpan | undefined {
  if (tracing === noTracing || !TRACED_PATH.test(path)) return undefined;
  const { traceparent } = headers;
  const links = typeof traceparent === 'string' && parseTraceparent(traceparent) !== null ? [traceparent] : [];
  const attributes = { 'http.request.method': method };
  return tracing.begin({ name: 'request', kind: 'server', links, attributes }) ?? undefined;
}

function endSpan(span: OpenSpan, operation: string, status: number | 'aborted'): void {
  span.rename(operation);
  span.set('http.response.status_code', status);
  span.end(status === 'aborted' || status >= 500 ? String(status) : undefined);
}

function setAnswerHeaders({ urls }: Context): RequestHandler {
  return (request, response, next) => {
    const headers = answerHeaders(request.path, { apiUrl: urls.api, docsUrl: urls.docs });
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    next();
  };
}

/** Runs before routing, so that requests to unknown routes count too. */
function limitAddress({ limiter }: Context): RequestHandler {
  return async (request, response, next) => {
    await limiter.take(response, addressBucket(request.method, request.path), { ip: request.ip ?? '' });
    next();
  };
}

function refuseForeignHost(urls: PublicUrls): RequestHandler {
  const rule = { publicUrls: Object.values(urls), setting: 'SVC_PUBLIC_URL' };
  return (request, _response, next) => {
    const refusal = findHostError(request.headers.host, rule);
    if (refusal !== null) throw refusal;
    next();
  };
}

const refuseAmbiguousHead: RequestHandler = (request, _response, next) => {
  const refusal = findHeaderError(request);
  if (refusal !== null) throw refusal;
  next();
};
