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

/** Where this service can be reached; never taken from a request's Host header. */
export interface PublicUrls {
  /** Base address of the API, without `/api/v1`. */
  api: string;
  /** Base address of inbound URLs, without `/webhooks`. */
  sync: string;
  dashboard: string;
  docs: string;
}

/** What the parts of the server work with. All of it is injected. */
export interface Context {
  db: Database;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  secrets: SecretBox;
  /** Randomness for new ids and secrets. */
  randomBytes: (count: number) => Uint8Array;
  urls: PublicUrls;
  /** How headers, keys and secrets of this installation begin. */
  branding: Branding;
  /** The connector of a CRM type, or undefined when this release has none. */
  crmConnector: (crm: string) => CrmConnector | undefined;
  /** The connector to a sequencer's block list, by platform, or undefined when this release has none. */
  blocklistConnector: (platform: string) => BlocklistConnector | undefined;
  limiter: RateLimiter;
  /** When API keys were used. */
  keyUse: KeyUse;
  /** Calls to addresses that customers choose, behind the guard. */
  outbound: Outbound;
  /** Tells the workers that a job was enqueued, and of what kind where that is known. */
  wakeWorkers: (kind?: string) => void;
  /** Whether the workers are running in this process, and get answers from the queue: for the readiness probe. */
  areWorkersRunning: () => boolean;
  /** Notices a proxy in front that is not trusted. */
  proxyWatch: ProxyWatch;
}
