/** What a world can be told to do otherwise than plainly: by options, scenarios and the control endpoints. */
export interface Settings {
  /** `spec`: the specification's limits, per IP and per account. */
  readonly rateLimit: 'off' | 'spec';
  /** Whether each account's first window of each bucket begins used up, while the limits are on. */
  readonly limitsBeginSpent: boolean;
  /** Added to every API answer, in milliseconds of real time. */
  readonly latencyMs: number;
  /** Rows a log list looks at before it answers a short page; null looks as far as it must. */
  readonly scanCap: number | null;
  /** Proxies in front whose `X-Forwarded-For` is believed, counted from the mock: whose address the limit per IP counts. */
  readonly trustedProxies: number;
  /** Whether due work is done by itself. When not, it waits until it is asked for, and `/health/ready` says so. */
  readonly runsJobs: boolean;
  /** Unknown fields and enum values in every answer, as a later release might send them. */
  readonly isFuture: boolean;
  /**
   * How CRM writes of inbound events and retries end. The first rule that matches decides; otherwise they succeed. By
   * `error.httpStatus`: 429 and 5xx may pass, so the write is tried again for a minute before its sync says `error`; 401 disconnects
   * the connection; 403, like `error.code` `daily_limit_reached`, puts it into status `error` until the next success or
   * other warning, also when the rule has status `warning`. A rule with status `error` that names no source also keeps block lists from being read.
   */
  readonly crmFailures: readonly CrmFailure[];
  /** World time from a resync (or first fetch) to its end, and from there to the end of the push, in milliseconds. */
  readonly blocklistFetchMs: number;
  readonly blocklistPushMs: number;
  /** Hosts of webhooks and destinations that are really posted to: `hooks.example.com` -> base URL. */
  readonly receivers: Readonly<Record<string, string>>;
  /** Names of the scenarios that made these settings, in order. */
  readonly scenarios: readonly string[];
}

export interface CrmFailure {
  /** Absent: any. */
  readonly connectionId?: number;
  readonly sourceId?: number;
  readonly status: 'warning' | 'error';
  /** What the sync's `error` shows. */
  readonly error: Readonly<Record<string, unknown>>;
}

/** What a receiver is routed by: posts to any port of the host go there. */
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
  receivers: {},
  scenarios: [],
};
