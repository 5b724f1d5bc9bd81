/** Creates one running server of database, workers, inbound host and API. */
import { randomBytes } from 'node:crypto';
import { isLoopbackAddress } from '@svc/domain/network/loopback';
import { listenUrl } from '@svc/domain/network/listen-url';
import type { Logger } from 'pino';
import { createDashboard } from '../dashboard/router.ts';
import { mcpRouter } from '../mcp/router.ts';
import { createAdminApp, createApp } from '../http/app.ts';
import type { Clock } from '@svc/engine/runtime/clock';
import type { Config } from '@svc/engine/config/config';
import { createBlocklistConnectors } from '@svc/sequencers/blocklists';
import { createHistoryClientFinder, createWebhookClientFinder } from '@svc/engine/runtime/sequencer-clients';
import { createCrmConnectors, createCrmOauth, createCrmSetups, publishedLimits, type RegisteredCrm } from '@svc/crm';
import type { CrmLimits } from '@svc/domain/syncs/crm-quota';
import type { Context } from '@svc/engine/context';
import { createCrmQuotas } from '@svc/engine/crm/quota';
import { createCrmRecords } from '@svc/engine/crm/records';
import type { BoundServer } from '../http/listen.ts';
import type { Mailbox } from '../http/pages/mailbox.ts';
import { createKeyUse } from '../http/key-use.ts';
import { createProxyWatch } from '../http/proxy-watch.ts';
import { createRateLimiter, unlimited } from '../http/rate-limit.ts';
import { type Ingest, startIngest } from '../inbound/buffer/ingest.ts';
import { createReceiptStore } from '../inbound/receive.ts';
import { createRefusalCounts } from '../inbound/refusals.ts';
import { createGiveUp } from '@svc/engine/pipeline/give-up';
import { listKinds, listSerialKinds, PROCESS_RECEIPT } from '@svc/engine/jobs/kinds';
import { releaseAllLeases } from '@svc/engine/queue/claims';
import { JobReturnedError } from '@svc/engine/queue/queue';
import { announceKeys } from '@svc/engine/store/server-keys';
import { createChanges } from '@svc/engine/queue/changes';
import { createJobNotifier, listenForJobs } from '@svc/engine/queue/job-notices';
import { startQueueVacuum } from '@svc/engine/queue/vacuum-queue';
import { createWorkerPools } from '@svc/engine/queue/worker-pools';
import type { JobRunner } from '@svc/engine/queue/runner';
import { joinWorkers } from '@svc/engine/queue/worker-presence';
import { createMetrics } from '@svc/engine/runtime/metrics';
import { noTracing, type Tracing } from '@svc/engine/runtime/tracing';
import { watchKey } from '@svc/engine/secrets/key-watch';
import { createMailSender } from '@svc/engine/outbound/mail-sender';
import type { Outbound } from '@svc/engine/outbound/outbound';
import { needsMetricsToken, oauthAddresses, publicUrls } from '@svc/engine/config/public-urls';
import type { SecretBox } from '@svc/engine/secrets/secret-box';
import { createJobHandlers, workerPools } from './job-handlers.ts';
import { fetchOfJobs, mailOfJobs, outboundOfJobs } from './calls-of-jobs.ts';
import { IDLE_CONNECTIONS_MS, stopServer } from './stop-server.ts';
import type { Replicas } from '@svc/engine/store/database/replicas';
import { type Database, SERVER_LOCK, WORKER_LOCK } from '@svc/engine/store/database/db';
import type { ClockWatch } from '@svc/engine/store/database/database-clock';
import { openReplicas } from '@svc/engine/store/database/open-replicas';
import { createStorageWatch } from '@svc/engine/store/storage-watch';
import { startIncidentWatch } from '@svc/engine/alerts/watch-incidents';
import { maintainHeldEvents } from '@svc/engine/pipeline/hold-events';
import { deleteOldSessions } from '@svc/operations/store/user-sessions';
import { deleteOldInvitations } from '@svc/operations/store/users';
import { startMaintenance } from '@svc/engine/store/maintenance';

export interface ServerParts {
  /** The bound port; see `bindServer`. The server closes it. Null without roles that clients call. */
  bound: BoundServer | null;
  /** The bound administrative listener; see `bindAdminServer`. The server closes it. Default: none */
  adminBound?: BoundServer | null;
  config: Config;
  /** Open and migrated; the server closes it. */
  db: Database;
  /** Folder of the embedded database. Default: unknown */
  dataDir?: string;
  secrets: SecretBox;
  clock: Clock;
  log: Logger;
  /** For calls to webhooks and destinations: `createOutbound` with the system's network or a simulator's. */
  outbound: Outbound;
  /** For calls to CRMs and to the block lists of sequencers. */
  fetch: typeof globalThis.fetch;
  /** The CRMs that are written to. Default: those of this release. */
  crmRegistry?: readonly RegisteredCrm[];
  /** Default: nothing is traced. */
  tracing?: Tracing;
  /** Default: the clock counts as right. The server stops it. */
  clockWatch?: ClockWatch;
  /** Default: those of `DATABASE_READ_URL`. The server closes them. */
  replicas?: Replicas;
  /** Folder of the built dashboard. Default: that of this installation. */
  dashboardFolder?: URL;
}

export interface RunningServer {
  /** The URL that the server listens on, such as `http://127.0.0.1:4000`; without a public port, where it would. */
  readonly url: string;
  readonly ctx: Context;
  readonly runner: JobRunner;
  /**
   * Is not ready any more, accepts no more requests and jobs, finishes running ones and closes the database, in bounded time: see
   * `SVC_DRAIN_SECONDS`.
   */
  close(): Promise<void>;
}

/** Timeout of one CRM call. */
const CRM_TIMEOUT_MS = 10_000;

/** Timeout of one batch of block list entries. */
const SEQUENCER_TIMEOUT_MS = 30_000;

/**
 * Starts everything behind a bound port.
 *
 * @param options.startWorkers false leaves the jobs to `runner.runDue()`. Default true.
 * @param options.startMaintenance false never deletes old rows, counts closed hours or vacuums. Default: as `startWorkers`.
 * @param options.hasPublishedKeys true for a demo or world with public keys: on a loopback address, requests with a
 *   foreign `Host` are refused. Default false.
 * @param options.mailTimeoutMs how long a mail server may take to answer. Default: 60,000
 * @param options.mailbox the mails that a demo has sent, for its page; shown on a loopback address only
 * @param options.idleConnectionsMs how long idle connections of clients stay open when the server stops. Default: 1,000
 * @param options.limitsOf the limits of a CRM type until its answers tell others. Default: the published ones.
 */
export async function startServer(
  parts: ServerParts,
  options: {
    startWorkers?: boolean;
    startMaintenance?: boolean;
    hasPublishedKeys?: boolean;
    limitsOf?: (crm: string) => CrmLimits;
    mailbox?: Mailbox | undefined;
    mailTimeoutMs?: number;
    idleConnectionsMs?: number;
  } = {},
): Promise<RunningServer> {
  const { bound, adminBound = null, config, db, clock, log, tracing = noTracing, clockWatch } = parts;
  const isClockRight = () => clockWatch?.isRight() ?? true;
  const { roles } = config;
  const url = bound?.url ?? listenUrl(config.host, config.port);
  const stopping = new AbortController();
  const bodiesEnd = new AbortController();
  const fetch = fetchOfJobs(parts.fetch);
  const outbound = outboundOfJobs(parts.outbound);
  const crmOptions = {
    signal: stopping.signal,
    fetch,
    timeoutMs: CRM_TIMEOUT_MS,
    now: () => clock.now(),
    baseUrls: config.crmUrls,
    ...(parts.crmRegistry === undefined ? {} : { registry: parts.crmRegistry }),
  };
  const connectors = createCrmConnectors(crmOptions);
  const setups = createCrmSetups(crmOptions);
  // Not aborted by a stop: an answer that is lost may cost the connection its access.
  const oauth = createCrmOauth({ fetch: parts.fetch, now: () => clock.now(), ...oauthAddresses(config) });
  const sequencerOptions = {
    signal: stopping.signal,
    fetch,
    timeoutMs: SEQUENCER_TIMEOUT_MS,
    now: () => clock.now(),
    guardedFetch: outbound.fetch,
    baseUrls: config.sequencerUrls,
  };
  const blocklistConnectors = createBlocklistConnectors(sequencerOptions);
  const metrics = createMetrics(listKinds());
  tracing.onSpans((result, spans) => metrics.traceSpans.inc({ result }, spans));
  let isWorking = false;
  let isStopping = false;
  // A process with the API only neither fills nor empties the buffer.
  const usesIngest = config.ingestAmqpUrl !== undefined && (roles.has('inbound') || roles.has('worker'));
  let ingest: Ingest | null = null;
  const readDepth = async () => (ingest === null ? { waiting: 0, parked: 0 } : ingest.depth());
  const changes = createChanges({ db, clock, log });
  const wakeOwnOrOthers = roles.has('worker')
    ? (kind?: string) => runner.wake(kind)
    : createJobNotifier({ db, clock, log });
  const replicas = parts.replicas === undefined ? await openReplicas(config, { db, clock, log }) : parts.replicas;
  const ctx: Context = {
    db,
    replicas,
    clock,
    log,
    metrics,
    tracing,
    secrets: parts.secrets,
    randomBytes,
    outbound,
    mail:
      config.mail === null ? null : mailOfJobs(createMailSender(config.mail, { idleTimeoutMs: options.mailTimeoutMs })),
    relayMailsPerHour: config.relayMailsPerHour,
    roles,
    hidesHealthChecks: adminBound !== null,
    urls: publicUrls(config, url, adminBound?.url),
    branding: config.branding,
    crmConnector: (crm) => connectors.get(crm),
    crmSetup: (crm) => setups.get(crm),
    crmOauth: (crm) => oauth.get(crm),
    crmQuota: createCrmQuotas({
      ...{ db, clock, log, metrics, dailyShare: config.crmDailyShare, signal: stopping.signal },
      limitsOf: options.limitsOf ?? ((crm) => publishedLimits(crm, parts.crmRegistry)),
    }),
    crmRecords: createCrmRecords(db),
    blocklistConnector: (platform) => blocklistConnectors.get(platform),
    sequencerWebhooks: createWebhookClientFinder(sequencerOptions),
    sequencerHistory: createHistoryClientFinder(sequencerOptions),
    limiter: config.hasRateLimits ? createRateLimiter({ db, clock, metrics }) : unlimited,
    keyUse: createKeyUse({ db, clock, log }),
    wakeWorkers(kind) {
      wakeOwnOrOthers(kind);
      changes.noteEnqueued(kind ?? '');
    },
    areWorkersRunning: () => isWorking && !runner.isStuck(),
    isStopping: () => isStopping,
    isClockRight,
    areSecretsReadable: () => keyWatch.areSecretsReadable(),
    async assertKeys() {
      if (!(await keyWatch.lookAgain())) throw new JobReturnedError('this server lacks the key of a stored secret');
    },
    proxyWatch: createProxyWatch({ db, log }),
    storage: createStorageWatch(db),
    ingest: usesIngest ? { canBuffer: () => ingest?.canBuffer() === true, depth: readDepth } : null,
  };
  await db.announce(SERVER_LOCK);
  await announceKeys(db, parts.secrets.keyIds);
  if (roles.has('worker')) await db.announce(WORKER_LOCK);
  const presence = roles.has('worker')
    ? await joinWorkers({
        db,
        clock,
        log,
        callingKinds: listKinds(({ serialGroup }) => serialGroup === 'crm'),
        onLeasesEnded: () => isWorking && ctx.wakeWorkers(),
      })
    : null;
  const runner = createWorkerPools({
    pools: workerPools(config.workerConcurrency),
    concurrency: config.workerConcurrency,
    serialKinds: listSerialKinds(),
    db,
    clock,
    log,
    handlers: createJobHandlers(ctx),
    tracing,
    presence,
    giveUp: createGiveUp(ctx),
    onJobEnd(kind, result) {
      metrics.jobs.inc({ kind, result });
      changes.noteEnded(kind);
    },
  });
  if (roles.has('worker')) await listenForJobs(db, runner);
  // Only one process uses the embedded database, so earlier lease holders are gone.
  if (db.backend === 'pglite') await releaseAllLeases(db, clock.now());
  const startWorkers = () => {
    if (options.startWorkers === false || !roles.has('worker') || isStopping || !isClockRight()) return;
    runner.start();
    isWorking = true;
  };
  // Times that they store would be wrong.
  let resting = Promise.resolve();
  clockWatch?.onChange((isRight) => {
    if (!isRight) isWorking = false;
    resting = resting
      .then(() => (isRight && keyWatch.areSecretsReadable() ? startWorkers() : runner.stop()))
      .catch((error: unknown) => log.error({ err: error }, 'workers could not rest'));
  });
  const keyWatch = await watchKey({
    ...{ db, secrets: parts.secrets, clock, log, metrics },
    onChange(isReadable) {
      if (isReadable) {
        runner.resume();
        startWorkers();
      } else {
        runner.pause();
        isWorking = false;
      }
    },
  });
  if (!keyWatch.areSecretsReadable()) runner.pause();
  if (config.metricsToken === undefined && needsMetricsToken(ctx.urls)) {
    log.warn('/metrics is closed: this server has a public address, and SVC_METRICS_TOKEN is not set');
  }
  const hasMaintenance = options.startMaintenance ?? options.startWorkers !== false;
  const maintenance =
    hasMaintenance && roles.has('worker')
      ? startMaintenance({
          ...{ db, clock, log, payloadDays: config.payloadDays, logDays: config.logDays },
          async alsoDo() {
            await maintainHeldEvents({ db, clock, log });
            await deleteOldSessions(db, clock.now());
            await deleteOldInvitations(db, clock.now());
          },
        })
      : null;

  const incidentWatch = hasMaintenance && roles.has('worker') ? startIncidentWatch(ctx) : null;
  const queueVacuum = hasMaintenance && roles.has('worker') ? startQueueVacuum({ db, clock, log }) : null;
  const receiving = {
    ...{ db, clock, log, secrets: parts.secrets },
    onUnreadable: () => {
      keyWatch.lookAgain().catch((error: unknown) => log.warn({ err: error }, 'the stored secrets could not be read'));
    },
    onStored: () => ctx.wakeWorkers(PROCESS_RECEIPT),
  };
  const direct = createReceiptStore(receiving);
  if (config.ingestAmqpUrl !== undefined && usesIngest) {
    ingest = await startIngest({ ...receiving, url: config.ingestAmqpUrl, roles, metrics, direct });
  }
  const receipts = ingest?.receipts ?? direct;
  const refusals = createRefusalCounts({ db, clock, log, metrics });
  const { inboundBodyLimitBytes, trustProxy, metricsToken } = config;
  const refusesForeignHosts = options.hasPublishedKeys === true && bound !== null && isLoopbackAddress(bound.address);
  const mailbox = refusesForeignHosts ? options.mailbox : undefined;
  const limits = { inboundBodyLimitBytes, trustProxy, metricsToken, hasAdminListener: adminBound !== null };
  const dashboard = createDashboard({
    ...{ ctx, config, changes, pageFolder: parts.dashboardFolder },
    admin: { ...ctx, ...(parts.dataDir === undefined ? {} : { dataDir: parts.dataDir }) },
  });
  const dashboardAt = (place: Config['dashboard']) =>
    roles.has('api') && config.dashboard === place ? dashboard.router : undefined;
  bound?.serve(
    createApp(ctx, {
      ...{ receipts, refusals, ...limits, refusesForeignHosts, mailbox, bodiesEnd: bodiesEnd.signal },
      dashboard: dashboardAt('on'),
      mcp: config.mcp === 'off' ? undefined : mcpRouter(ctx, { allowsWrites: config.mcp === 'write' }),
    }),
  );
  adminBound?.serve(createAdminApp(ctx, { metricsToken, trustProxy, dashboard: dashboardAt('admin') }));
  if (keyWatch.areSecretsReadable()) startWorkers();
  return {
    url,
    ctx,
    runner,
    close() {
      isWorking = false;
      isStopping = true;
      keyWatch.stop();
      dashboard.close();
      return stopServer({
        ...{ config, clock, log, bound, adminBound, runner },
        idleConnectionsMs: options.idleConnectionsMs ?? IDLE_CONNECTIONS_MS,
        endBodies: () => bodiesEnd.abort(),
        abortCalls: () => stopping.abort(),
        async end() {
          await ingest?.stop();
          await maintenance?.stop();
          await incidentWatch?.stop();
          await queueVacuum?.stop();
          ctx.outbound.closeKept();
          ctx.mail?.close();
          await ctx.keyUse.stop();
          await refusals.stop();
          clockWatch?.stop();
          await replicas?.close();
          await presence?.stop();
          await db.close();
        },
      });
    },
  };
}
