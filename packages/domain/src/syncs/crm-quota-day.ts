/**
 * A CRM's daily limit of calls, of which this service uses at most a share.
 *
 * The rule: no call is made once the account has used `share` of its limit, whoever made the calls; the rest of the day
 * belongs to the account's other apps. The CRM's answers say how much is used; in between, our own calls are added. When
 * the share is used up, calls stop, and one call an hour finds out whether the CRM counts anew, because its day ends at an
 * hour that we do not know (HubSpot, Pipedrive) or never (Salesforce counts the last 24 hours). A CRM that says nothing
 * about its day gets one of our own, which begins with its first call.
 *
 * The calls for these looks are kept back, and with them the few that other workers may be making at the moment.
 */

export interface CrmDay {
  /** Units for all apps of the account. */
  readonly limit: number;
  /** Units used since the CRM counts, as far as we know. */
  readonly used: number;
  /** Whether the CRM says what is used. */
  readonly isTold: boolean;
  /** Unix time in ms at which our own day began; it matters until the CRM says what is used. */
  readonly startedMs: number;
  /** Set while the share is used up. */
  readonly stop: CrmDayStop | null;
}

export interface CrmDayStop {
  readonly sinceMs: number;
  /** Unix time in ms of the next look. */
  readonly lookMs: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const LOOK_MS = 60 * 60 * 1000;
/** Calls that are kept back: 24 looks, and 16 calls of other workers whose answers are on their way. */
const KEPT_BACK = 40;
/** Largest part of the share that is kept back. Applies to small limits, of which 40 calls would be a large part. */
const KEPT_BACK_MAX_SHARE = 0.05;
/** A lower count than ours within this share of the limit comes from answers that overtook each other. */
const TOLERANCE = 0.01;

export function newDay(limit: number, nowMs: number): CrmDay {
  return { limit, used: 0, isTold: false, startedMs: nowMs, stop: null };
}

/** Returns the day with the call counted, or stopped: then `stop.lookMs` says when to ask again. */
export function takeFromDay(
  stored: CrmDay,
  { cost, share, nowMs }: { readonly cost: number; readonly share: number; readonly nowMs: number },
): { readonly isAllowed: boolean; readonly day: CrmDay } {
  const day = currentDay(stored, nowMs);
  const used = day.used + cost;
  const allowance = Math.floor(day.limit * share);
  const keptBack = Math.min(KEPT_BACK * cost, Math.floor(allowance * KEPT_BACK_MAX_SHARE));
  if (used + keptBack <= allowance) return { isAllowed: true, day: { ...day, used, stop: null } };
  const { stop } = day;
  if (stop === null)
    return { isAllowed: false, day: { ...day, stop: { sinceMs: nowMs, lookMs: nextLook(day, nowMs) } } };
  if (stop.lookMs > nowMs) return { isAllowed: false, day };
  return { isAllowed: true, day: { ...day, used, stop: { ...stop, lookMs: nextLook(day, nowMs) } } };
}

/** Takes over what an answer of the CRM says is left for all apps of the account. */
export function learnDay(day: CrmDay, told: { readonly remaining: number; readonly limit?: number }): CrmDay {
  const limit = told.limit ?? day.limit;
  const toldUsed = Math.max(0, limit - told.remaining);
  const isLower = day.used - toldUsed > Math.max(KEPT_BACK, limit * TOLERANCE);
  const used = isLower ? toldUsed : Math.max(day.used, toldUsed);
  if (day.isTold && used === day.used && limit === day.limit) return day;
  return { ...day, isTold: true, limit, used };
}

/** Starts our own day anew when it is over, and brings times back that are too far ahead, because a clock was set back. */
function currentDay(day: CrmDay, nowMs: number): CrmDay {
  if (!day.isTold && nowMs - day.startedMs >= DAY_MS) return newDay(day.limit, nowMs);
  const startedMs = Math.min(day.startedMs, nowMs);
  const lastLookMs = nextLook({ ...day, startedMs }, nowMs);
  const stop = day.stop !== null && day.stop.lookMs > lastLookMs ? { ...day.stop, lookMs: lastLookMs } : day.stop;
  return startedMs === day.startedMs && stop === day.stop ? day : { ...day, startedMs, stop };
}

function nextLook({ isTold, startedMs }: CrmDay, nowMs: number): number {
  return isTold ? nowMs + LOOK_MS : Math.max(startedMs + DAY_MS, nowMs);
}
