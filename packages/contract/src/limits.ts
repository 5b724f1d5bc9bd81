// Limits that clients use are separate constants, because bundlers cannot drop unused properties of an object.

/** Requests per window: per IP before key validation, and per account after it. */
export const GENERAL_REQUESTS_PER_WINDOW = 120;
/** Requests per window of `GET /contacts/outreach`, which are counted apart from other operations. */
export const OUTREACH_REQUESTS_PER_WINDOW = 600;
export const RATE_WINDOW_SECONDS = 60;
/** Longest span between `from` and `to`, both ends included: 31 days. */
export const DATE_RANGE_MAX_MS = 2_678_400_000;
/** Largest `limit` of requests, syncs and deliveries. */
export const OBSERVABILITY_PAGE_MAX = 500;
/** Largest `limit` of events and webhook deliveries. */
export const WEBHOOK_PAGE_MAX = 100;

/** Social profile URLs of one outreach look-up. */
export const PROFILE_URLS_MAX = 5;

/** The numbers of the contract, including numbers that only a description states. Units are in the names. */
export const LIMITS = {
  generalRequestsPerWindow: GENERAL_REQUESTS_PER_WINDOW,
  outreachRequestsPerWindow: OUTREACH_REQUESTS_PER_WINDOW,
  rateWindowSeconds: RATE_WINDOW_SECONDS,

  dateRangeMaxMs: DATE_RANGE_MAX_MS,

  observabilityPageDefault: 100,
  observabilityPageMax: OBSERVABILITY_PAGE_MAX,
  webhookPageDefault: 25,
  webhookPageMax: WEBHOOK_PAGE_MAX,

  profileUrlsMax: PROFILE_URLS_MAX,

  webhooksPerAccountMax: 20,
  webhookUrlMaxLength: 2048,
  webhookDescriptionMaxLength: 500,
  relayCategoryAllowlistMax: 50,

  webhookAttemptTimeoutMs: 10_000,
  /** One initial attempt plus seven retries. */
  webhookAttemptsMax: 8,
  /** Wait before retry 1, 2, ... 7; the first also gets the jitter. */
  webhookRetryDelaysMs: [60_000, 120_000, 240_000, 480_000, 960_000, 1_800_000, 3_600_000],
  /** Largest jitter added to the first retry, chosen once per delivery. */
  webhookFirstRetryJitterMaxMs: 300_000,
  /** Answers that end a delivery at once. */
  webhookTerminalHttpStatuses: [404, 413],
  webhookAutoDisableDeadCount: 20,

  syncFailuresBeforeAlert: 3,

  openapiCacheSeconds: 300,

  /** Largest body of a call to the API; a webhook's fields fit many times over. */
  apiBodyBytesMax: 64 * 1024,

  /** Largest integer id that is looked up; anything above cannot exist. */
  integerIdMax: Number.MAX_SAFE_INTEGER,
} as const;
