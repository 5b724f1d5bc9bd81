import type { Branding } from '@svc/domain/pages/branding';
import type { Logger } from 'pino';
import type { Clock } from './clock.ts';
import type { BlocklistConnector } from '@svc/sequencers/blocklists';
import type { CrmConnector } from '@svc/crm';
import type { KeyUse } from './http/key-use.ts';
import type { ProxyWatch } from './http/proxy-watch.ts';
import type { RateLimiter } from './http/rate-limit.ts';
import type { Metrics } from './metrics.ts';
import type { Outbound } from './outbound/outbound.ts';
import type { SecretBox } from './secrets.ts';
import type { Database } from './store/db.ts';

/** Where clients reach this service; never taken from a request's Host header. */
export interface PublicUrls {
  /** Base address of the API, without `/api/v1`. */
  api: string;
  /** Base address of inbound URLs, without `/webhooks`. */
  sync: string;
  dashboard: string;
  docs: string;
}

/** The injected dependencies of the server's parts. */
export interface Context {
  db: Database;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  secrets: SecretBox;
  /** Randomness for new ids and secrets. */
  randomBytes: (count: number) => Uint8Array;
  urls: PublicUrls;
  /** Prefixes of headers, keys and secrets in this installation. */
  branding: Branding;
  /** Returns the connector of a CRM type, or undefined when this release has none. */
  crmConnector: (crm: string) => CrmConnector | undefined;
  /** Returns the block list connector of a sequencer platform, or undefined when this release has none. */
  blocklistConnector: (platform: string) => BlocklistConnector | undefined;
  limiter: RateLimiter;
  /** Records when API keys are used. */
  keyUse: KeyUse;
  /** Calls addresses that customers choose, behind the guard. */
  outbound: Outbound;
  /** Wakes the workers after a job was enqueued; pass its kind when known. */
  wakeWorkers: (kind?: string) => void;
  /** Returns whether workers run in this process and get answers from the queue, for the readiness probe. */
  areWorkersRunning: () => boolean;
  /** Detects an untrusted proxy in front. */
  proxyWatch: ProxyWatch;
}
