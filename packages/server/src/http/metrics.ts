/**
 * `GET /metrics` for Prometheus. With `SVC_METRICS_TOKEN` it requires that token. Without one it answers only callers
 * on this machine, and nobody when the server has a public address, because a proxy on this machine would make every
 * caller appear local.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { ApiError } from '@svc/domain/errors/errors';
import { isLoopbackAddress, isLoopbackHost } from '@svc/domain/network/loopback';
import express, { type Router } from 'express';
import type { Context } from '@svc/engine/context';
import { CRMS } from '@svc/contract/vocabulary';
import { earliestLook } from '@svc/engine/crm/describe-quota';
import { within } from '@svc/engine/runtime/within';
import { listUsedConnections, type UsedConnection } from '@svc/engine/store/connections';
import { CONNECTION_SERIES_MAX, crmLabel, QUEUE_COUNT_MAX } from '@svc/engine/runtime/metrics';
import { needsMetricsToken } from '@svc/engine/config/public-urls';
import { listCrmOutages, type ShownOutage } from '@svc/engine/store/crm-outages';
import { type DailyUse, readDailyUse } from '@svc/engine/store/crm-quotas';
import { readQueueDepth } from '@svc/engine/queue/queue-depth';
import { countAllHeldEvents } from '@svc/engine/store/held-events';
import { countSetAside, type SetAsideCount } from '@svc/engine/queue/set-aside';

/** Limits how long an unresponsive database delays a scrape. */
const DATABASE_TIMEOUT_MS = 3_000;

const TOKEN_MISSING =
  '/metrics is closed: this server has a public address, so set SVC_METRICS_TOKEN and send it as Bearer';

/** @param token `SVC_METRICS_TOKEN` */
export function metricsRouter(ctx: Context, token: string | undefined): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get('/metrics', async (request, response) => {
    response.locals['operationId'] = 'metrics';
    if (token !== undefined) assertToken(request.headers.authorization, token);
    // A 404 instead of a 403, so that strangers do not learn that it exists.
    else if (!isFromThisMachine(request)) throw new ApiError(404, OWN_MESSAGES.noSuchRoute);
    else if (needsMetricsToken(ctx.urls)) throw new ApiError(403, TOKEN_MISSING);
    await measureQueue(ctx);
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Content-Type', ctx.metrics.contentType);
    response.end(await ctx.metrics.text());
  });
  return router;
}

/** @throws ApiError 401 */
function assertToken(authorization: string | undefined, token: string): void {
  const given = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
  // Digests have equal lengths, so the comparison does not reveal the token's length.
  if (!timingSafeEqual(digest(given), digest(token))) throw new ApiError(401, 'Invalid metrics token');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

/** Headers added by proxies. `Host` is checked too, because a web page may use a name that resolves to this machine. */
const ADDED_BY_PROXIES = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** Returns whether a request came directly over loopback. */
export function isFromThisMachine(request: {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: IncomingHttpHeaders;
}): boolean {
  const { socket, headers } = request;
  const isDirect = ADDED_BY_PROXIES.every((name) => headers[name] === undefined);
  return isDirect && isLoopbackAddress(socket.remoteAddress ?? '') && isLoopbackHost(headers.host ?? '');
}

/** Without the database, its gauges are absent and all other metrics are unchanged. */
async function measureQueue(ctx: Context): Promise<void> {
  const { queueJobs, queueLag, databaseUp, heldEvents, jobKinds } = ctx.metrics;
  const now = ctx.clock.now();
  const read = <T>(query: Promise<T>, what: string) =>
    withTimeout(ctx, query).catch((error: unknown) => {
      ctx.log.warn({ err: error }, `metrics: ${what} could not be read`);
      return null;
    });
  // Apart, because many events may wait for many CRMs, and then counting them takes longer.
  const [depths, outages, setAside, dailyUse, connections, held] = await Promise.all([
    read(readQueueDepth(ctx.db, { kinds: jobKinds, now, countMax: QUEUE_COUNT_MAX }), 'the queue'),
    read(listCrmOutages(ctx.db), 'the outages of CRMs'),
    read(countSetAside(ctx.db), 'the jobs that were set aside'),
    read(readDailyUse(ctx.db, earliestLook(now)), 'the daily use of CRMs'),
    read(listUsedConnections(ctx.db, { limit: CONNECTION_SERIES_MAX }), 'the connections'),
    read(countAllHeldEvents(ctx.db, QUEUE_COUNT_MAX), 'the held events'),
  ]);
  await measureBuffer(ctx);
  measureReplicas(ctx);
  queueJobs.reset();
  queueLag.reset();
  databaseUp.set(depths === null ? 0 : 1);
  heldEvents.remove();
  if (held !== null) heldEvents.set(held);
  setOutages(ctx, outages, now);
  setSetAside(ctx, setAside);
  setDailyUse(ctx, dailyUse);
  setConnections(ctx, connections);
  for (const { kind, jobs, oldestDueAt } of depths ?? []) {
    queueJobs.set({ kind }, jobs);
    queueLag.set({ kind }, oldestDueAt ? (now.getTime() - oldestDueAt.getTime()) / 1_000 : 0);
  }
}

function setSetAside({ metrics: { setAsideJobs, jobKinds } }: Context, counts: readonly SetAsideCount[] | null): void {
  setAsideJobs.reset();
  if (counts === null) return;
  for (const kind of jobKinds) setAsideJobs.set({ kind }, 0);
  for (const { kind, count } of counts) setAsideJobs.inc({ kind }, count);
}

async function measureBuffer(ctx: Context): Promise<void> {
  const { ingestMessages } = ctx.metrics;
  ingestMessages.reset();
  if (ctx.ingest === null) return;
  const depth = await withTimeout(ctx, ctx.ingest.depth()).catch(() => null);
  if (depth === null) return;
  ingestMessages.set({ queue: 'waiting' }, depth.waiting);
  ingestMessages.set({ queue: 'parked' }, depth.parked);
}

function measureReplicas({ metrics, replicas }: Context): void {
  const lagMs = replicas?.lagMs() ?? null;
  metrics.replicaLag.remove();
  if (lagMs !== null) metrics.replicaLag.set(lagMs / 1_000);
}

/** Series of CRMs that work are 0; without the database there are none. */
function setOutages({ metrics }: Context, outages: readonly ShownOutage[] | null, now: Date): void {
  const { crmOutages, crmOutageEvents, crmOutageSeconds, crmOutageProbe } = metrics;
  for (const gauge of [crmOutages, crmOutageEvents, crmOutageSeconds, crmOutageProbe]) gauge.reset();
  if (outages === null) return;
  for (const crm of CRMS) {
    const ofCrm = outages.filter((outage) => crmLabel(outage.crm) === crm);
    const secondsTo = (at: Date) => (at.getTime() - now.getTime()) / 1_000;
    crmOutages.set({ crm }, ofCrm.length);
    crmOutageEvents.set(
      { crm },
      ofCrm.reduce((sum, { waiting }) => sum + waiting, 0),
    );
    crmOutageSeconds.set({ crm }, Math.max(0, ...ofCrm.map(({ since }) => -secondsTo(since))));
    if (ofCrm.length > 0) {
      crmOutageProbe.set({ crm }, Math.max(0, Math.min(...ofCrm.map(({ nextProbeAt }) => secondsTo(nextProbeAt)))));
    }
  }
}

function setDailyUse({ metrics }: Context, uses: readonly DailyUse[] | null): void {
  const { crmDailyLeft, crmDailyStops } = metrics;
  for (const gauge of [crmDailyLeft, crmDailyStops]) gauge.reset();
  if (uses === null) return;
  for (const crm of CRMS) {
    const ofCrm = uses.filter((use) => crmLabel(use.crm) === crm);
    crmDailyStops.set(
      { crm },
      ofCrm.reduce((sum, { stopped }) => sum + stopped, 0),
    );
    if (ofCrm.length > 0) crmDailyLeft.set({ crm }, Math.min(...ofCrm.map(({ left }) => left)));
  }
}

function setConnections({ metrics }: Context, connections: readonly UsedConnection[] | null): void {
  const { crmConnectionUp, crmConnectionError } = metrics;
  for (const gauge of [crmConnectionUp, crmConnectionError]) gauge.reset();
  for (const { id, crm, isConnected, recordedError } of connections ?? []) {
    const labels = { crm: crmLabel(crm), connection: id };
    crmConnectionUp.set(labels, isConnected ? 1 : 0);
    crmConnectionError.set(labels, isConnected && recordedError !== null ? 1 : 0);
  }
}

function withTimeout<T>({ clock }: Context, work: Promise<T>): Promise<T> {
  const late = () => new Error(`The database did not answer within ${DATABASE_TIMEOUT_MS} ms.`);
  return within(clock, DATABASE_TIMEOUT_MS, work, late);
}
