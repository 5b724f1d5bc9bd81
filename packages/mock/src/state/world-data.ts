/**
 * The immutable data of a world. Configured rows are arrays by ascending id, long lists are `Log`s. A change makes a new value
 * that shares the rest, so snapshots are references.
 */
import type { PlannedEvent } from '@svc/domain/policy/plan-write';
import type { BlocklistState, FetchMode } from '@svc/domain/blocklists/blocklist';
import { type LoadedBlocklist, nextWorkAfterLoad } from '@svc/domain/blocklists/blocklist-schedule';
import type { HeldLead } from '@svc/domain/policy/hold';
import type { RelayMailState } from '@svc/domain/relays/relay-attempts';
import type { RelayedReply } from '@svc/domain/relays/relay-reply';
import type { CrmFailures } from '@svc/domain/syncs/crm-backoff';
import type {
  AccountRow,
  ApiKeyRow,
  BlocklistRow as WorldBlocklistRow,
  CategorySignalRow,
  ConnectionRow,
  DeliveryRow,
  DestinationRow,
  EventRow,
  MaterializedWorld,
  ReplyRelayRow,
  RequestRow as WorldRequestRow,
  SourceRow,
  SyncHealthRow,
  SyncRow as WorldSyncRow,
  WebhookDeliveryRow,
  WebhookRow,
} from '@svc/domain/world';
import type { InboundEvent } from '@svc/sequencers';
import { EMPTY_KEYS, type KeySet } from './key-set.ts';
import { createLog, type Log } from './log.ts';

/** A block list with its pipeline's columns. Active fetches are in `jobs`. */
export type BlocklistRow = Omit<WorldBlocklistRow, 'hasActiveFetchJob'> & BlocklistState;

/** A received request. One that was posted to the mock also has the received text. */
export type RequestRow = WorldRequestRow & {
  /** The text that was posted to the mock. */
  readonly received?: {
    readonly text: string;
    /** Null when the sequencer named none. */
    readonly contentType: string | null;
  };
};

/** A sync. One that the mock made knows its event; for one of a world file, a retry reads the event from the received payload. */
export type SyncRow = WorldSyncRow & {
  /** True: a retry writes the event as this row names it. Else it is read from the received payload again. */
  readonly isEventKnown?: boolean;
};

/** Returns the received text, or the stored body as JSON; null when the body is no longer stored. */
export function receivedText({ received, body }: RequestRow): string | null {
  return received?.text ?? (body === null ? null : JSON.stringify(body));
}

/** A category that a lead was given. When it was posted to the mock, it also has the fields that a relay compares. */
export type CategorySignal = CategorySignalRow & {
  readonly categoryId?: string | null;
  readonly platform?: string;
};

/** Sends the mail of a reply relay. */
export interface RelayReplyWork {
  readonly kind: 'relay-reply';
  readonly relayId: number;
  readonly connectionId: number;
  readonly sourceId: number;
  readonly requestId: number;
  /** Number of the event in its world. */
  readonly eventId: number;
  readonly reply: RelayedReply;
  readonly receivedAt: Date;
  /** When the first attempt was due. */
  readonly plannedAt: Date;
  readonly state: RelayMailState;
  /** Set by the first attempt. */
  readonly messageId: string | null;
}

/** An event of a request. */
export interface ReceivedEvent {
  readonly requestId: number;
  readonly event: InboundEvent;
}

/** An event that the write policy of its source holds. */
export interface HeldEventRow {
  readonly sourceId: number;
  readonly lead: HeldLead;
  readonly entry: ReceivedEvent;
  readonly dropsAt: Date;
}

/** A lead whose later events are not held. */
export interface ReleasedLeadRow extends HeldLead {
  readonly sourceId: number;
}

/** How many mails a relay has begun in its latest hour. */
export interface RelayHour {
  readonly relayId: number;
  /** The instant at which the hour begins. */
  readonly hour: Date;
  readonly begunCount: number;
}

/** The work of a job, by kind. */
export type JobWork =
  | {
      /** Repeats a write after a transient failure. */
      readonly kind: 'write-crm';
      readonly sourceId: number;
      readonly requestId: number;
      readonly eventType: string;
      readonly toEmail: string;
      /** What its plan depends on. */
      readonly event: PlannedEvent;
      readonly tries: CrmFailures | null;
      /** Whether a sync says `error` already. Default: false. */
      readonly isRecorded?: boolean;
      /** Since when the CRM does not have the contact, which a sync says already. Default: it was not asked, or had it. */
      readonly noContactSince?: Date;
    }
  | {
      readonly kind: 'retry-sync';
      readonly syncId: number;
      /** Transient failures of this retry so far. */
      readonly tries: CrmFailures | null;
    }
  | { readonly kind: 'replay-delivery'; readonly deliveryId: number }
  | {
      readonly kind: 'process-request';
      readonly requestId: number;
      /** Request headers that sequencer adapters may read. */
      readonly headers: Readonly<Record<string, string>>;
      /** SHA-256 of the body, hex. */
      readonly bodyHash: string;
    }
  | {
      readonly kind: 'forward-event';
      readonly requestId: number;
      readonly destinationId: number;
      readonly eventType: string;
      readonly toEmail: string;
      /** Attempts made so far. */
      readonly attemptCount: number;
    }
  | RelayReplyWork
  | {
      /** Sends the digest of the replies above a relay's limit. */
      readonly kind: 'relay-digest';
      readonly relayId: number;
      /** When the digest is due: the end of its hour. */
      readonly digestAt: Date;
      /** Oldest first. */
      readonly replies: readonly RelayReplyWork[];
      readonly state: RelayMailState;
      /** Set by the first attempt. */
      readonly messageId: string | null;
    }
  | {
      readonly kind: 'fetch-blocklist';
      readonly blocklistId: number;
      readonly run: number;
      readonly mode: FetchMode;
      /** True when the fetch begins at the due time; absent when it ends then. */
      readonly begins?: true;
      /** Consecutive transient failures of the CRM. Default 0. */
      readonly failureCount?: number;
    }
  | { readonly kind: 'push-blocklist'; readonly blocklistId: number; readonly run: number }
  | { readonly kind: 'top-up-blocklist'; readonly blocklistId: number; readonly run: number }
  | { readonly kind: 'deliver-webhook'; readonly deliveryId: string };

export type Job = JobWork & {
  /** Increases with each job. Orders jobs that are due at the same instant. */
  readonly number: number;
  readonly dueAt: Date;
};

export interface WorldData {
  readonly accounts: readonly AccountRow[];
  readonly apiKeys: readonly ApiKeyRow[];
  readonly connections: readonly ConnectionRow[];
  readonly sources: readonly SourceRow[];
  readonly destinations: readonly DestinationRow[];
  readonly replyRelays: readonly ReplyRelayRow[];
  readonly blocklists: readonly BlocklistRow[];
  /** Ordered by creation, deleted ones included. */
  readonly webhooks: readonly WebhookRow[];
  readonly categorySignals: readonly CategorySignal[];
  readonly relayHours: readonly RelayHour[];
  /** In the order in which they were received. */
  readonly heldEvents: readonly HeldEventRow[];
  readonly releasedLeads: readonly ReleasedLeadRow[];
  readonly syncHealth: readonly SyncHealthRow[];
  readonly requests: Log<RequestRow>;
  readonly syncs: Log<SyncRow>;
  readonly deliveries: Log<DeliveryRow>;
  readonly events: Log<EventRow>;
  readonly webhookDeliveries: Log<WebhookDeliveryRow>;
  /** `<source id> <event key>` of received events, to detect repeats. */
  readonly seenEvents: KeySet;
  /** Number of events read so far. */
  readonly eventCount: number;
  /** Ordered by (`dueAt`, `number`). */
  readonly jobs: readonly Job[];
  /** Number of jobs created so far. */
  readonly jobCount: number;
}

/** Kinds of rows, as named in `mock.db` and the control endpoints. */
export const CONFIGURED_KINDS = [
  'accounts',
  'apiKeys',
  'connections',
  'sources',
  'destinations',
  'replyRelays',
  'blocklists',
  'webhooks',
] as const;
export const LOG_KINDS = ['requests', 'syncs', 'deliveries', 'events', 'webhookDeliveries'] as const;
export type ConfiguredKind = (typeof CONFIGURED_KINDS)[number];
export type LogKind = (typeof LOG_KINDS)[number];

/** Rows by kind. The published row types are generated from it. */
export type WorldRows = {
  readonly [Kind in LogKind]: WorldData[Kind] extends Log<infer Row> ? Row : never;
} & { readonly [Kind in ConfiguredKind]: WorldData[Kind][number] };

/** Returns the data of a world file at `now`, with its jobs. */
export function toWorldData(world: MaterializedWorld, now: Date): WorldData {
  const byId = <Row extends { readonly id: number }>(rows: readonly Row[]) => rows.toSorted((a, b) => a.id - b.id);
  const blocklists = byId(world.blocklists).map(
    ({ hasActiveFetchJob: _hasActiveFetchJob, ...row }): BlocklistRow => ({ ...row, run: 0 }),
  );
  const rounds = world.blocklists.flatMap((list) => firstJobsOf({ ...list, run: 0 }, now));
  const attempts = world.webhookDeliveries.flatMap(({ id, nextAttemptAt }) =>
    nextAttemptAt === null ? [] : [{ kind: 'deliver-webhook' as const, deliveryId: id, dueAt: nextAttemptAt }],
  );
  return {
    accounts: byId(world.accounts),
    apiKeys: byId(world.apiKeys),
    connections: byId(world.connections),
    sources: byId(world.sources),
    destinations: byId(world.destinations),
    replyRelays: byId(world.replyRelays),
    blocklists,
    webhooks: world.webhooks.toSorted(
      (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1),
    ),
    categorySignals: world.categorySignals,
    relayHours: [],
    heldEvents: [],
    releasedLeads: [],
    syncHealth: world.syncHealth,
    requests: createLog(world.requests),
    syncs: createLog(world.syncs),
    deliveries: createLog(world.deliveries),
    events: createLog(world.events),
    webhookDeliveries: createLog(world.webhookDeliveries),
    seenEvents: EMPTY_KEYS,
    eventCount: 0,
    jobs: [...rounds, ...attempts].map((job, index): Job => ({ ...job, number: index + 1 })).toSorted(compareJobs),
    jobCount: rounds.length + attempts.length,
  };
}

/** Returns the first job of a block list that is added to a world, if it has one. */
export function firstJobsOf(
  list: LoadedBlocklist & Pick<BlocklistRow, 'id' | 'run'>,
  now: Date,
): (JobWork & { readonly dueAt: Date })[] {
  const work = nextWorkAfterLoad(list, now);
  const ofList = { blocklistId: list.id, run: list.run };
  switch (work?.kind) {
    case undefined:
      return [];
    case 'fetch':
      return [{ kind: 'fetch-blocklist', ...ofList, mode: work.mode, dueAt: work.dueAt }];
    case 'push':
      return [{ kind: 'push-blocklist', ...ofList, dueAt: work.dueAt }];
    case 'top-up':
      return [{ kind: 'top-up-blocklist', ...ofList, dueAt: work.dueAt }];
  }
}

/** Adds a job in due order. */
export function addJob(data: WorldData, work: JobWork, dueAt: Date): WorldData {
  const jobCount = data.jobCount + 1;
  const job: Job = { ...work, number: jobCount, dueAt };
  let low = 0;
  let high = data.jobs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = data.jobs[middle];
    if (other !== undefined && compareJobs(other, job) > 0) high = middle;
    else low = middle + 1;
  }
  return { ...data, jobs: data.jobs.toSpliced(low, 0, job), jobCount };
}

/** Removes a job that is done or rescheduled. */
export function removeJob(data: WorldData, { number }: Pick<Job, 'number'>): WorldData {
  // The removed job is nearly always the first one.
  const at = data.jobs[0]?.number === number ? 0 : data.jobs.findIndex((job) => job.number === number);
  return at < 0 ? data : { ...data, jobs: data.jobs.toSpliced(at, 1) };
}

function compareJobs(a: Job, b: Job): number {
  return a.dueAt.getTime() - b.dueAt.getTime() || a.number - b.number;
}
