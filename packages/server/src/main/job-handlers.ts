/** Who runs the jobs of each kind: its handler, and the workers of its pool. */
import { createMailAlertHandler } from '@svc/engine/alerts/mail-alert';
import { createSendAlertHandler } from '@svc/engine/alerts/send-alert';
import { createBackfillSourceHandler } from '@svc/engine/backfill/backfill-source';
import { createFetchBlocklistHandler } from '@svc/engine/blocklists/fetch-blocklist';
import { createPushBlocklistHandler } from '@svc/engine/blocklists/push-blocklist';
import { createPushSuppressionsHandler } from '@svc/engine/blocklists/push-suppressions';
import { createRemoveEntriesHandler } from '@svc/engine/blocklists/remove-entries';
import { createTopUpBlocklistHandler } from '@svc/engine/blocklists/top-up-blocklist';
import type { Context } from '@svc/engine/context';
import {
  BACKFILL_SOURCE,
  CHECK_WIRING,
  DELIVER_WEBHOOK,
  FETCH_BLOCKLIST,
  FORWARD_EVENT,
  type JobKind,
  listKinds,
  MAIL_ALERT,
  PROBE_CRM,
  PROCESS_RECEIPT,
  PUSH_BLOCKLIST,
  PUSH_SUPPRESSIONS,
  RELAY_DIGEST,
  RELAY_REPLY,
  REMOVE_ENTRIES,
  REPLAY_DELIVERY,
  REPROCESS_RECEIPTS,
  RETRY_SYNC,
  SEND_ALERT,
  TOP_UP_BLOCKLIST,
  WRITE_CRM,
} from '@svc/engine/jobs/kinds';
import { MAIL_CONNECTIONS } from '@svc/engine/outbound/mail-sender';
import { createForwardEventHandler } from '@svc/engine/pipeline/forward-event';
import { createProbeCrmHandler } from '@svc/engine/pipeline/probe-crm';
import { createProcessReceiptHandler } from '@svc/engine/pipeline/process-receipt';
import { createRelayDigestHandler } from '@svc/engine/pipeline/relay-digest';
import { createRelayReplyHandler } from '@svc/engine/pipeline/relay-reply';
import { createReplayDeliveryHandler } from '@svc/engine/pipeline/replay-delivery';
import { createReprocessReceiptsHandler } from '@svc/engine/pipeline/reprocess-receipts';
import { createRetrySyncHandler } from '@svc/engine/pipeline/retry-sync';
import { createWriteCrmHandler } from '@svc/engine/pipeline/write-crm';
import { inParallel, type PostHandler } from '@svc/engine/queue/endpoint-jobs';
import type { BatchHandler, JobHandler } from '@svc/engine/queue/runner';
import type { WorkerPool } from '@svc/engine/queue/worker-pools';
import { createDeliverWebhookHandler } from '@svc/engine/webhooks/deliver-webhook';
import { createCheckWiringHandler } from '@svc/engine/wiring/check-wiring';

/** Most jobs that one worker claims for an endpoint. */
const POSTS_PER_CLAIM = 32;
/** Most posts of one worker to an endpoint at the same time. */
const POSTS_AT_ONCE = 8;
/** More than other workers, because these mostly wait. */
const POST_WORKERS_PER_JOB_WORKER = 2;

const batchPosts = ({ isStopping }: Context, handle: PostHandler) =>
  inParallel({ batchSize: POSTS_PER_CLAIM, postsAtOnce: POSTS_AT_ONCE, isStopping }, handle);

export const JOB_HANDLERS: Readonly<Record<JobKind, (ctx: Context) => JobHandler | BatchHandler>> = {
  [PROCESS_RECEIPT]: createProcessReceiptHandler,
  [REPROCESS_RECEIPTS]: createReprocessReceiptsHandler,
  [WRITE_CRM]: createWriteCrmHandler,
  [RETRY_SYNC]: createRetrySyncHandler,
  [PROBE_CRM]: createProbeCrmHandler,
  [FORWARD_EVENT]: (ctx) => batchPosts(ctx, createForwardEventHandler(ctx)),
  [REPLAY_DELIVERY]: (ctx) => batchPosts(ctx, createReplayDeliveryHandler(ctx)),
  [DELIVER_WEBHOOK]: (ctx) => batchPosts(ctx, createDeliverWebhookHandler(ctx)),
  [RELAY_REPLY]: createRelayReplyHandler,
  [RELAY_DIGEST]: createRelayDigestHandler,
  [SEND_ALERT]: createSendAlertHandler,
  [MAIL_ALERT]: createMailAlertHandler,
  [FETCH_BLOCKLIST]: createFetchBlocklistHandler,
  [PUSH_BLOCKLIST]: createPushBlocklistHandler,
  [TOP_UP_BLOCKLIST]: createTopUpBlocklistHandler,
  [CHECK_WIRING]: createCheckWiringHandler,
  [PUSH_SUPPRESSIONS]: createPushSuppressionsHandler,
  [REMOVE_ENTRIES]: createRemoveEntriesHandler,
  [BACKFILL_SOURCE]: createBackfillSourceHandler,
};

/** Returns the handlers of all kinds of jobs. */
export function createJobHandlers(ctx: Context): Readonly<Record<string, JobHandler | BatchHandler>> {
  return Object.fromEntries(Object.entries(JOB_HANDLERS).map(([kind, create]) => [kind, create(ctx)]));
}

/** Returns the pools beside the main one, which has `concurrency` workers. */
export function workerPools(concurrency: number): readonly WorkerPool[] {
  const kindsOf = (name: 'posts' | 'mails') => new Set<string>(listKinds(({ pool }) => pool === name));
  return [
    { kinds: kindsOf('posts'), concurrency: POST_WORKERS_PER_JOB_WORKER * concurrency },
    { kinds: kindsOf('mails'), concurrency: MAIL_CONNECTIONS },
  ];
}
