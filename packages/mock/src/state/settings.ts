import { badRequest } from '@svc/domain/errors/errors';
import { type MailAddress, parseMailAddress } from '@svc/domain/relays/mail-address';

/** Overrides of a world's default behaviour, set by options, scenarios and the control endpoints. */
export interface Settings {
  /** `spec` enforces the API's published limits per IP and per account. */
  readonly rateLimit: 'off' | 'spec';
  /** Whether the first rate window of each account and bucket is used up from the start. */
  readonly limitsBeginSpent: boolean;
  /** Added to every API answer, in milliseconds of real time. */
  readonly latencyMs: number;
  /** Maximum number of rows that a log list scans per page; null is unlimited. */
  readonly scanCap: number | null;
  /** Number of trusted proxies in front of the mock, whose `X-Forwarded-For` gives the address for the limit per IP. */
  readonly trustedProxies: number;
  /** Whether timers run due jobs. If not, jobs wait for `settle` or `advance`, and `/health/ready` answers 503. */
  readonly runsJobs: boolean;
  /** Adds unknown fields and enum values to every answer, as a later release might. */
  readonly isFuture: boolean;
  /**
   * Failures of CRM writes; the first matching rule applies, and without one the write succeeds. `error.httpStatus` 429 and 5xx
   * are transient: the write is retried for a minute before its sync gets status `error`, and for 24 hours without further syncs
   * until it has a result. 401 disconnects the connection. 403 and
   * `error.code` `daily_limit_reached` set the connection's status to `error` until the next success or other warning, even when
   * the rule's status is `warning`. A rule with status `error` and no source also makes fetching block lists fail.
   */
  readonly crmFailures: readonly CrmFailure[];
  /** Duration of a block list's fetch and of its push, in milliseconds of world time. */
  readonly blocklistFetchMs: number;
  readonly blocklistPushMs: number;
  /** Number of entries of a block list that its sequencer refuses. */
  readonly blocklistRefusedCount: number;
  /** Number of entries that leave the CRM list until its next read, of block lists that remove what leaves. */
  readonly blocklistLeftCount: number;
  /** Base URLs of receivers by the host of a webhook or destination, such as `hooks.example.com`. */
  readonly receivers: Readonly<Record<string, string>>;
  /** Sender of the mails of reply relays: an address, or `Name <address>`. */
  readonly mailFrom: string;
  /** Applied scenarios, in order. */
  readonly scenarios: readonly string[];
}

export interface CrmFailure {
  /** Default: any connection. */
  readonly connectionId?: number;
  readonly sourceId?: number;
  readonly status: 'warning' | 'error';
  /** The sync's `error`. */
  readonly error: Readonly<Record<string, unknown>>;
}

/** A host name without a port, as receivers are routed by. */
export const HOST_NAME = /^[a-z\d]([a-z\d.-]*[a-z\d])?$/i;

export const DEFAULT_SETTINGS: Settings = {
  rateLimit: 'off',
  limitsBeginSpent: false,
  latencyMs: 0,
  scanCap: null,
  trustedProxies: 0,
  runsJobs: true,
  isFuture: false,
  crmFailures: [],
  blocklistFetchMs: 2_000,
  blocklistPushMs: 3_000,
  blocklistRefusedCount: 0,
  blocklistLeftCount: 0,
  receivers: {},
  mailFrom: 'Replies <replies@service.example>',
  scenarios: [],
};

/** @throws ApiError 400 for another text than an address or `Name <address>` */
export function parseMailFrom(text: string): MailAddress {
  const parsed = parseMailAddress(text);
  if (parsed === null) throw badRequest(`mailFrom must be an address or "Name <address>", not ${text}`);
  return parsed;
}
