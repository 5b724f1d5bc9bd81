import type { RateBucket } from '@svc/contract/operations';
import type { Branding } from '@svc/domain/pages/branding';
import type { RateOwner } from '@svc/domain/requests/rate-limit';
import type { Logger } from 'pino';
import type { Clock } from './runtime/clock.ts';
import type { BlocklistConnector } from '@svc/sequencers/blocklists';
import type { HistoryClient } from '@svc/sequencers/history';
import type { WebhookClient } from '@svc/sequencers/webhooks';
import type { CrmConnector, CrmOauth, CrmQuota, CrmRecords, CrmSetup } from '@svc/crm';
import type { Role } from './config/roles.ts';
import type { PublicUrls } from './config/public-urls.ts';
import type { Metrics } from './runtime/metrics.ts';
import type { Tracing } from './runtime/tracing.ts';
import type { MailSender } from './outbound/mail-sender.ts';
import type { Outbound } from './outbound/outbound.ts';
import type { SecretBox } from './secrets/secret-box.ts';
import type { Database } from './store/database/db.ts';
import type { StorageWatch } from './store/storage-watch.ts';
import type { Replicas } from './store/database/replicas.ts';

/** The injected dependencies of the server's parts. */
export interface Context {
  db: Database;
  /** Standbys that reads of logs may use; null without them. */
  replicas: Replicas | null;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** Begins traces of requests. */
  tracing: Tracing;
  secrets: SecretBox;
  /** Randomness for new ids and secrets. */
  randomBytes: (count: number) => Uint8Array;
  /** What this process runs. */
  roles: ReadonlySet<Role>;
  /** Whether health checks are shown at the administrative listener, and not to everybody. */
  hidesHealthChecks: boolean;
  urls: PublicUrls;
  /** Prefixes of headers, keys and secrets in this installation. */
  branding: Branding;
  /** Returns the connector of a CRM type, or undefined when this release has none. */
  crmConnector: (crm: string) => CrmConnector | undefined;
  /** Returns what operators ask of a CRM type, or undefined when this release does not know it. */
  crmSetup: (crm: string) => CrmSetup | undefined;
  /** Returns OAuth with the vendor of a CRM type, or undefined when this release has none. */
  crmOauth: (crm: string) => CrmOauth | undefined;
  /** Returns the quota of a connection's calls to its CRM. */
  crmQuota: (connection: { id: number; crm: string }) => CrmQuota;
  /** Returns what is remembered of the records of a connection's CRM. */
  crmRecords: (connectionId: number) => CrmRecords;
  /** Returns the block list connector of a sequencer platform, or undefined when this release has none. */
  blocklistConnector: (platform: string) => BlocklistConnector | undefined;
  /** Returns the calls about webhooks of a sequencer platform, or undefined when this release has none. */
  sequencerWebhooks: (platform: string) => Promise<WebhookClient | undefined>;
  /** Returns the list of past activity of a sequencer platform, or undefined when its entries cannot be compared with its posts. */
  sequencerHistory: (platform: string) => Promise<HistoryClient | undefined>;
  limiter: RateLimiter;
  /** Records when API keys are used. */
  keyUse: KeyUse;
  /** Calls addresses that customers choose, behind the guard. */
  outbound: Outbound;
  /** Sends mails of reply relays; null without a configured mail server. */
  mail: MailSender | null;
  /** Mails that a relay sends in an hour, at most. */
  relayMailsPerHour: number;
  /** Wakes the workers after a job was enqueued; pass its kind when known. */
  wakeWorkers: (kind?: string) => void;
  /** Returns whether the workers of this process run and get answers from the queue, for the readiness probe. */
  areWorkersRunning: () => boolean;
  /** Returns whether the clock agrees with the database's; while false, no jobs run. */
  isClockRight: () => boolean;
  /** Returns whether the server was told to stop, so that it is not ready any more. */
  isStopping: () => boolean;
  /** Returns whether the stored secrets can be decrypted; while false, no jobs run. */
  areSecretsReadable: () => boolean;
  /**
   * Looks whether this server has the keys of the stored secrets. Ask it in a job that cannot decrypt one, before that
   * counts as a failure, and outside of transactions.
   *
   * @throws JobReturnedError when it lacks a key
   */
  assertKeys: () => Promise<void>;
  /** Detects an untrusted proxy in front. */
  proxyWatch: ProxyWatch;
  /** Whether posts can be stored. */
  storage: StorageWatch;
  /** The ingest buffer, where this process uses one. */
  ingest: IngestState | null;
}

export interface IngestState {
  /** Returns whether posts are taken while the database is away. */
  canBuffer(): boolean;
  /** Messages in the queues. Throws without a connection to RabbitMQ. */
  depth(): Promise<{ waiting: number; parked: number }>;
}

/** The part of a response that the rate limiter needs. */
export interface AnswerHeaders {
  setHeader(name: string, value: string): unknown;
}

export interface RateLimiter {
  /**
   * Counts a request and writes the rate limit headers.
   *
   * @throws ApiError 429 with the seconds until the window ends
   */
  take(response: AnswerHeaders, bucket: RateBucket, owner: RateOwner): Promise<void>;
}

export interface KeyUse {
  note(keyId: number): void;
  /** Writes the recorded uses. A crash loses those of the last minute. */
  stop(): Promise<void>;
}

export interface ProxyWatch {
  /** Returns whether untrusted forwarding headers have arrived since the start. */
  hasUntrusted(): boolean;
  /** Records that such headers arrived; logs it the first time. */
  report(): void;
}
