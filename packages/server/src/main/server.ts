/** Creates one running server of database, workers, inbound host and API. */
import { randomBytes } from 'node:crypto';
import { isLoopbackAddress } from '@svc/domain/network/loopback';
import { listenUrl } from '@svc/domain/network/listen-url';
import type { Logger } from 'pino';
import { createAdminApp, createApp } from '../http/app.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Config } from '../config/config.ts';
import { createBlocklistConnectors } from '@svc/sequencers/blocklists';
import { createCrmConnectors, createCrmOauth, publishedLimits, type RegisteredCrm } from '@svc/crm';
import type { CrmLimits } from '@svc/domain/syncs/crm-quota';
import type { Context } from '../context.ts';
import { createCrmQuotas } from '../crm/quota.ts';
import { createCrmRecords } from '../crm/records.ts';
import type { BoundServer } from '../http/listen.ts';
import type { Mailbox } from '../http/pages/mailbox.ts';
import { createKeyUse } from '../http/key-use.ts';
import { createProxyWatch } from '../http/proxy-watch.ts';
import { createRateLimiter, unlimited } from '../http/rate-limit.ts';
import { type Ingest, startIngest } from '../inbound/buffer/ingest.ts';
import { createReceiptStore } from '../inbound/receive.ts';
import { createRefusalCounts } from '../inbound/refusals.ts';
import { FETCH_BLOCKLIST, PUSH_BLOCKLIST, TOP_UP_BLOCKLIST } from '../blocklists/blocklist-jobs.ts';
import { createDeliverWebhookHandler, DELIVER_WEBHOOK } from '../webhooks/deliver-webhook.ts';
import { createForwardEventHandler, FORWARD_EVENT } from '../pipeline/forward-event.ts';
import { createGiveUp } from '../pipeline/give-up.ts';
import { createFetchBlocklistHandler } from '../blocklists/fetch-blocklist.ts';
import { createProcessReceiptHandler, PROCESS_RECEIPT } from '../pipeline/process-receipt.ts';
import { createReprocessReceiptsHandler, REPROCESS_RECEIPTS } from '../pipeline/reprocess-receipts.ts';
import { createPushBlocklistHandler } from '../blocklists/push-blocklist.ts';
import { releaseAllLeases } from '../queue/claims.ts';
import { createProbeCrmHandler } from '../pipeline/probe-crm.ts';
import { PROBE_CRM } from '../pipeline/crm-outage.ts';
import { RELAY_DIGEST, RELAY_REPLY } from '../pipeline/relay-attempt.ts';
import { createRelayDigestHandler } from '../pipeline/relay-digest.ts';
import { createRelayReplyHandler } from '../pipeline/relay-reply.ts';
import { createReplayDeliveryHandler, REPLAY_DELIVERY } from '../pipeline/replay-delivery.ts';
import { createRetrySyncHandler, RETRY_SYNC } from '../pipeline/retry-sync.ts';
import { JobReturnedError } from '../queue/queue.ts';
import { announceKeys } from '../store/server-keys.ts';
import { createJobNotifier, listenForJobs } from '../queue/job-notices.ts';
import { inParallel } from '../queue/endpoint-jobs.ts';
import { createWorkerPools } from '../queue/worker-pools.ts';
import type { BatchHandler, JobHandler, JobRunner } from '../queue/runner.ts';
import { createTopUpBlocklistHandler } from '../blocklists/top-up-blocklist.ts';
import { joinWorkers } from '../queue/worker-presence.ts';
import { createWriteCrmHandler } from '../pipeline/write-crm.ts';
import { WRITE_CRM } from '../pipeline/write-results.ts';
import { createMetrics } from '../runtime/metrics.ts';
import { noTracing, type Tracing } from '../runtime/tracing.ts';
import { watchKey } from '../secrets/key-watch.ts';
import { createMailSender, MAIL_CONNECTIONS } from '../outbound/mail-sender.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { needsMetricsToken, oauthAddresses, publicUrls } from '../config/public-urls.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { fetchOfJobs, mailOfJobs, outboundOfJobs } from './calls-of-jobs.ts';
import { IDLE_CONNECTIONS_MS, stopServer } from './stop-server.ts';
import type { Replicas } from '../store/database/replicas.ts';
import { type Database, SERVER_LOCK, WORKER_LOCK } from '../store/database/db.ts';
import type { ClockWatch } from '../store/database/database-clock.ts';
import { openReplicas } from '../store/database/open-replicas.ts';
import { createStorageWatch } from '../store/storage-watch.ts';
import { startMaintenance } from '../store/maintenance.ts';

export interface ServerParts {
  /** The bound port; see `bindServer`. The server closes it. Null without roles that clients call. */
  bound: BoundServer | null;
  /** The bound administrative listener; see `bindAdminServer`. The server closes it. Default: none */
  adminBound?: BoundServer | null;
  config: Config;
  /** Open and migrated; the server closes it. */
  db: Database;
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

/** Most posts of one worker to an endpoint at the same time. */
const WEBHOOKS_PER_WORKER = 8;
/** Fewer, because received payloads may be large. */
const PAYLOADS_PER_WORKER = 4;

/** The handlers of all kinds of jobs. */
const JOB_HANDLERS: Readonly<Record<string, (ctx: Context) => JobHandler | BatchHandler>> = {
  [PROCESS_RECEIPT]: createProcessReceiptHandler,
  [REPROCESS_RECEIPTS]: createReprocessReceiptsHandler,
  [WRITE_CRM]: createWriteCrmHandler,
  [RETRY_SYNC]: createRetrySyncHandler,
  [PROBE_CRM]: createProbeCrmHandler,
  [FORWARD_EVENT]: (ctx) => inParallel(PAYLOADS_PER_WORKER, createForwardEventHandler(ctx)),
  [REPLAY_DELIVERY]: (ctx) => inParallel(PAYLOADS_PER_WORKER, createReplayDeliveryHandler(ctx)),
  [DELIVER_WEBHOOK]: (ctx) => inParallel(WEBHOOKS_PER_WORKER, createDeliverWebhookHandler(ctx)),
  [RELAY_REPLY]: createRelayReplyHandler,
  [RELAY_DIGEST]: createRelayDigestHandler,
  [FETCH_BLOCKLIST]: createFetchBlocklistHandler,
  [PUSH_BLOCKLIST]: createPushBlocklistHandler,
  [TOP_UP_BLOCKLIST]: createTopUpBlocklistHandler,
};

/** The kinds whose jobs are a post to an address that a customer chose. */
const POST_KINDS: ReadonlySet<string> = new Set([DELIVER_WEBHOOK, FORWARD_EVENT, REPLAY_DELIVERY]);
/** More than other workers, because these mostly wait. Each may make several posts at the same time. */
const POSTS_PER_JOB = 2;

/** The kinds whose jobs send a mail: a mail server that hangs delays only them. */
const MAIL_KINDS: ReadonlySet<string> = new Set([RELAY_REPLY, RELAY_DIGEST]);

/**
 * Kinds that read the receipts of a connection, and write to its CRM, one after another: its events keep their order, and two writes never make
 * one contact twice. A probe writes a waiting event by itself. Block lists only read, and may take long. Reading receipts again is
 * no hurry: one worker does it for all sources.
 */
const CRM_KINDS = [WRITE_CRM, RETRY_SYNC, PROBE_CRM];
const SERIAL_KINDS = [CRM_KINDS, [PROCESS_RECEIPT], [REPROCESS_RECEIPTS]];

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
  const connectors = createCrmConnectors({
    signal: stopping.signal,
    fetch,
    timeoutMs: CRM_TIMEOUT_MS,
    now: () => clock.now(),
    baseUrls: config.crmUrls,
    ...(parts.crmRegistry === undefined ? {} : { registry: parts.crmRegistry }),
  });
  // Not aborted by a stop: an answer that is lost may cost the connection its access.
  const oauth = createCrmOauth({ fetch: parts.fetch, now: () => clock.now(), ...oauthAddresses(config) });
  const blocklistConnectors = createBlocklistConnectors({
    signal: stopping.signal,
    fetch,
    timeoutMs: SEQUENCER_TIMEOUT_MS,
    now: () => clock.now(),
    guardedFetch: outbound.fetch,
    baseUrls: config.sequencerUrls,
  });
  const metrics = createMetrics(Object.keys(JOB_HANDLERS));
  tracing.onSpans((result, spans) => metrics.traceSpans.inc({ result }, spans));
  let isWorking = false;
  let isStopping = false;
  // A process with the API only neither fills nor empties the buffer.
  const usesIngest = config.ingestAmqpUrl !== undefined && (roles.has('inbound') || roles.has('worker'));
  let ingest: Ingest | null = null;
  const readDepth = async () => (ingest === null ? { waiting: 0, parked: 0 } : ingest.depth());
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
    urls: publicUrls(config, url),
    branding: config.branding,
    crmConnector: (crm) => connectors.get(crm),
    crmOauth: (crm) => oauth.get(crm),
    crmQuota: createCrmQuotas({
      ...{ db, clock, log, metrics, dailyShare: config.crmDailyShare, signal: stopping.signal },
      limitsOf: options.limitsOf ?? ((crm) => publishedLimits(crm, parts.crmRegistry)),
    }),
    crmRecords: createCrmRecords(db),
    blocklistConnector: (platform) => blocklistConnectors.get(platform),
    limiter: config.hasRateLimits ? createRateLimiter({ db, clock, metrics }) : unlimited,
    keyUse: createKeyUse({ db, clock, log }),
    wakeWorkers: roles.has('worker') ? (kind) => runner.wake(kind) : createJobNotifier({ db, clock, log }),
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
        callingKinds: CRM_KINDS,
        onLeasesEnded: () => isWorking && ctx.wakeWorkers(),
      })
    : null;
  const runner = createWorkerPools({
    pools: [
      { kinds: POST_KINDS, concurrency: POSTS_PER_JOB * config.workerConcurrency },
      { kinds: MAIL_KINDS, concurrency: MAIL_CONNECTIONS },
    ],
    concurrency: config.workerConcurrency,
    serialKinds: SERIAL_KINDS,
    db,
    clock,
    log,
    handlers: Object.fromEntries(Object.entries(JOB_HANDLERS).map(([kind, create]) => [kind, create(ctx)])),
    tracing,
    presence,
    giveUp: createGiveUp(ctx),
    onJobEnd: (kind, result) => metrics.jobs.inc({ kind, result }),
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
      ? startMaintenance({ db, clock, log, payloadDays: config.payloadDays, logDays: config.logDays })
      : null;

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
  bound?.serve(
    createApp(ctx, { receipts, refusals, ...limits, refusesForeignHosts, mailbox, bodiesEnd: bodiesEnd.signal }),
  );
  adminBound?.serve(createAdminApp(ctx, { metricsToken }));
  if (keyWatch.areSecretsReadable()) startWorkers();
  return {
    url,
    ctx,
    runner,
    close() {
      isWorking = false;
      isStopping = true;
      keyWatch.stop();
      return stopServer({
        ...{ config, clock, log, bound, adminBound, runner },
        idleConnectionsMs: options.idleConnectionsMs ?? IDLE_CONNECTIONS_MS,
        endBodies: () => bodiesEnd.abort(),
        abortCalls: () => stopping.abort(),
        async end() {
          await ingest?.stop();
          await maintenance?.stop();
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
