/**
 * The counters and timers of this process for `GET /metrics`. Counters are incremented at the call site, after the
 * commit.
 *
 * Labels are operations, kinds, statuses and CRM types from closed lists, and ids of connections, so that metrics never contain tenant data.
 */
import { operations } from '@svc/contract/operations';
import { CRMS, DELIVERY_STATUSES, SYNC_STATUSES } from '@svc/contract/vocabulary';
import { CHANNEL_KINDS } from '@svc/domain/alerts/alert';
import { RATE_LIMITS } from '@svc/domain/requests/rate-limit';
import { REQUEST_OUTCOMES } from '@svc/domain/world';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { SPAN_RESULTS } from './tracing.ts';
import { VERSION } from './version.ts';

/** Results of posts to inbound URLs. `aborted`: the sender disconnected before the answer. */
export const INBOUND_OUTCOMES = [
  'accepted',
  'unknown_code',
  'not_json',
  'not_authentic',
  'too_large',
  'unsupported_encoding',
  'unavailable',
  'aborted',
  'error',
] as const;
export type InboundOutcome = (typeof INBOUND_OUTCOMES)[number];

/**
 * `failed`: the handler threw, and the job waits for its backoff. `lease_lost`: another worker had claimed it
 * meanwhile.
 */
export const JOB_RESULTS = ['done', 'deferred', 'failed', 'lease_lost'] as const;
export type JobResult = (typeof JOB_RESULTS)[number];

/** Result of one webhook delivery attempt: the delivery's status, or `retry` while it stays PENDING. */
const WEBHOOK_DELIVERY_RESULTS = ['SUCCEEDED', 'DEAD', 'FAILED', 'retry'] as const;

/** Result of one run of a relay mail: its final status, or `retry` while it waits for the next attempt. */
const RELAY_MAIL_RESULTS = ['sent', 'digest', 'skipped', 'failed', 'retry'] as const;

/** Result of one attempt to send an alert: its final status, or `retry` while it waits for the next attempt. */
export const ALERT_MESSAGE_RESULTS = ['sent', 'failed', 'retry'] as const;

/** Prometheus' customary buckets, in seconds. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The queue is counted on every scrape, so counting stops at this number. */
export const QUEUE_COUNT_MAX = 10_000;

/** Most connections that have series of their own. */
export const CONNECTION_SERIES_MAX = 1_000;

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Creates the metrics of one server in their own registry.
 *
 * @param jobKinds all kinds of jobs that this release runs
 */
export function createMetrics(jobKinds: readonly string[]) {
  const registry = new Registry();
  const processMetrics = processRegistry();
  const instruments = createInstruments(registry);
  startAtZero(instruments, jobKinds);
  return {
    ...instruments,
    jobKinds,
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    /** Returns the text of a scrape: the server's metrics and those of the process. */
    text: async () => `${await registry.metrics()}\n${await processMetrics.metrics()}`,
  };
}

function createInstruments(registry: Registry) {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames: [...labelNames], registers });
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name, help, labelNames: [...labelNames], registers });
  const durations = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Histogram({ name, help, labelNames: [...labelNames], buckets: DURATION_BUCKETS, registers });

  const version = gauge('svc_build_info', 'Always 1; the label says which release this is.', ['version']);
  version.set({ version: VERSION }, 1);
  return {
    httpRequests: counter(
      'svc_http_requests_total',
      'HTTP requests by operation id and status; operation "none" is a request without a route, status "aborted" a client that disconnected.',
      ['operation', 'status'],
    ),
    httpRequestDuration: durations(
      'svc_http_request_duration_seconds',
      'Time from a request to the end of its answer.',
      ['operation', 'status'],
    ),
    inboundPosts: counter('svc_inbound_posts_total', 'Posts to inbound URLs by outcome.', ['outcome']),
    inboundRefused: counter(
      'svc_inbound_refused_total',
      'Posts refused with 401 because the secret or signature that their source requires was missing, wrong or, though genuine, too old.',
      ['reason'],
    ),
    ingestPosts: counter(
      'svc_ingest_posts_total',
      'With the ingest buffer: posts that were buffered, stored directly because the buffer did not take them, or refused because neither did.',
      ['result'],
    ),
    ingestPublishFailures: counter(
      'svc_ingest_publish_failures_total',
      'Posts that the ingest buffer did not confirm, by reason.',
      ['reason'],
    ),
    ingestStored: counter(
      'svc_ingest_stored_total',
      'Buffered posts that this process took out of the buffer: stored, repeated (stored before), source_gone (removed meanwhile) or parked (cannot be stored).',
      ['result'],
    ),
    ingestMessages: gauge(
      'svc_ingest_messages',
      'Messages in the ingest buffer, without those that a process is storing; absent without a connection to it.',
      ['queue'],
    ),
    ingestLag: gauge('svc_ingest_lag_seconds', 'Age of the buffered post that is being stored; 0 when none waits.'),
    inboundPostDuration: durations('svc_inbound_post_duration_seconds', 'Time from a post to the end of its answer.', [
      'outcome',
    ]),
    receipts: counter(
      'svc_receipts_total',
      'Receipts that were processed, by outcome: synced, duplicate, ignored, or unparsed when the payload was not understood. Not those that were read again.',
      ['outcome'],
    ),
    queueJobs: gauge('svc_queue_jobs', `All jobs by kind; counted up to ${QUEUE_COUNT_MAX}.`, ['kind']),
    queueLag: gauge('svc_queue_lag_seconds', 'How long the oldest due job of a kind has waited; 0 when none is due.', [
      'kind',
    ]),
    setAsideJobs: gauge(
      'svc_set_aside_jobs',
      'Jobs that threw the same error again and again, so that they wait for an operator (svc-server jobs retry).',
      ['kind'],
    ),
    heldEvents: gauge(
      'svc_held_events',
      `Events that a write policy holds until their lead answers or gets a category (svc-server sources held); counted up to ${QUEUE_COUNT_MAX}.`,
    ),
    jobs: counter('svc_jobs_total', 'Jobs that were run, by kind and result.', ['kind', 'result']),
    webhookDeliveries: counter(
      'svc_webhook_deliveries_total',
      'Outcomes of webhook delivery attempts: the status of the delivery, or retry.',
      ['status'],
    ),
    forwardingDeliveries: counter(
      'svc_forwarding_deliveries_total',
      'POSTs to forwarding destinations, replays included, by status.',
      ['status'],
    ),
    relayMails: counter(
      'svc_relay_mails_total',
      'Outcomes of relay mails: sent, digest when the limit of the hour was reached, skipped, failed, or retry after a failed attempt.',
      ['status'],
    ),
    alertMessages: counter(
      'svc_alert_messages_total',
      'Attempts to send an alert, by kind of channel and result: sent, failed for good, or retry after a failed attempt.',
      ['channel', 'result'],
    ),
    crmWrites: counter('svc_crm_writes_total', 'Recorded attempts to write an event to a CRM, by status of the sync.', [
      'crm',
      'status',
    ]),
    crmCalls: counter(
      'svc_crm_calls_total',
      'Calls to CRMs by operation and class of the answer: 2xx, 3xx, 401, 403, 429, other 4xx, 5xx, or none without an answer.',
      ['crm', 'operation', 'status'],
    ),
    crmDailyLeft: gauge(
      'svc_crm_daily_left_ratio',
      "What is left of a CRM's daily limit for all apps of the account, 0 to 1: the smallest value of all connections; absent before the first call.",
      ['crm'],
    ),
    crmDailyStops: gauge(
      'svc_crm_daily_share_reached',
      'Connections whose events wait because the share of the daily limit (SVC_CRM_DAILY_SHARE) is used up.',
      ['crm'],
    ),
    crmConnectionUp: gauge(
      'svc_crm_connection_up',
      `Whether a connection that is used has a token that its CRM has not refused: 0 for a disconnected one, whose events fail. Up to ${CONNECTION_SERIES_MAX} connections, the disconnected ones first.`,
      ['crm', 'connection'],
    ),
    crmConnectionError: gauge(
      'svc_crm_connection_error',
      'Whether the CRM refuses the events of a connected connection because of the connection as a whole: 403, 402, or its daily limit.',
      ['crm', 'connection'],
    ),
    crmOutages: gauge('svc_crm_outages', 'Connections whose CRM does not work, so that their events wait.', ['crm']),
    crmOutageEvents: gauge(
      'svc_crm_outage_waiting_events',
      'Events that wait for the end of an outage; counted up to 10000 per connection.',
      ['crm'],
    ),
    crmOutageSeconds: gauge('svc_crm_outage_seconds', 'How long the longest outage has lasted; 0 without one.', [
      'crm',
    ]),
    crmOutageProbe: gauge(
      'svc_crm_outage_next_probe_seconds',
      'Time until the next probe of a CRM that does not work; absent for the others.',
      ['crm'],
    ),
    rateLimitRefusals: counter('svc_rate_limit_refusals_total', 'Requests refused with 429, by bucket and its owner.', [
      'bucket',
      'owner',
    ]),
    traceSpans: counter(
      'svc_trace_spans_total',
      'Spans of traces: sent; dropped, because too many waited for the collector; failed, because it did not take them.',
      ['result'],
    ),
    replicaReads: counter(
      'svc_replica_reads_total',
      'With DATABASE_READ_URL: reads of logs that a standby answered (replica), or the primary: because no standby could be used (behind), because the key has just written (own_write), or because the standby failed to answer or did not have the row (repeated).',
      ['result'],
    ),
    replicaLag: gauge(
      'svc_replica_lag_seconds',
      'With DATABASE_READ_URL: how far the best standby is behind the primary, at most; absent until one was compared.',
    ),
    secretsUnreadable: gauge(
      'svc_secrets_unreadable',
      'How many kinds of stored secrets this process cannot decrypt, counted by key: above 0 it lacks a key, or secrets are lost.',
    ),
    databaseUp: gauge('svc_database_up', 'Whether the database answered this scrape.'),
  };
}

export const REPLICA_READS = ['replica', 'behind', 'own_write', 'repeated'] as const;

/** Starts all series at 0, so that Prometheus sees their first increment. */
function startAtZero(metrics: ReturnType<typeof createInstruments>, jobKinds: readonly string[]): void {
  for (const { id, successStatus } of operations) metrics.httpRequests.inc({ operation: id, status: successStatus }, 0);
  for (const outcome of INBOUND_OUTCOMES) metrics.inboundPosts.inc({ outcome }, 0);
  for (const reason of ['missing', 'wrong', 'stale']) metrics.inboundRefused.inc({ reason }, 0);
  for (const outcome of REQUEST_OUTCOMES) metrics.receipts.inc({ outcome }, 0);
  for (const kind of jobKinds) for (const result of JOB_RESULTS) metrics.jobs.inc({ kind, result }, 0);
  for (const status of WEBHOOK_DELIVERY_RESULTS) metrics.webhookDeliveries.inc({ status }, 0);
  for (const status of DELIVERY_STATUSES) metrics.forwardingDeliveries.inc({ status }, 0);
  for (const status of RELAY_MAIL_RESULTS) metrics.relayMails.inc({ status }, 0);
  for (const channel of CHANNEL_KINDS) {
    for (const result of ALERT_MESSAGE_RESULTS) metrics.alertMessages.inc({ channel, result }, 0);
  }
  for (const result of SPAN_RESULTS) metrics.traceSpans.inc({ result }, 0);
  for (const crm of CRMS) for (const status of SYNC_STATUSES) metrics.crmWrites.inc({ crm, status }, 0);
  for (const result of REPLICA_READS) metrics.replicaReads.inc({ result }, 0);
  for (const bucket of Object.keys(RATE_LIMITS)) {
    for (const owner of ['ip', 'account']) metrics.rateLimitRefusals.inc({ bucket, owner }, 0);
  }
}

let sharedRegistry: Registry | undefined;

/** CPU, memory, event loop and garbage collection of the process, shared by all servers in it. */
function processRegistry(): Registry {
  if (!sharedRegistry) {
    sharedRegistry = new Registry();
    collectDefaultMetrics({ register: sharedRegistry });
  }
  return sharedRegistry;
}

const CRM_STATUSES_OF_THEIR_OWN: ReadonlySet<number> = new Set([401, 403, 429]);

/** Returns the label of an answer. @param httpStatus null without an answer */
export function crmCallStatus(httpStatus: number | null): string {
  if (httpStatus === null) return 'none';
  return CRM_STATUSES_OF_THEIR_OWN.has(httpStatus) ? String(httpStatus) : `${Math.floor(httpStatus / 100)}xx`;
}

/** CRM types in the database are an open list, and labels must not grow with it. */
export function crmLabel(crm: string): string {
  return CRMS.some((known) => known === crm) ? crm : 'other';
}
