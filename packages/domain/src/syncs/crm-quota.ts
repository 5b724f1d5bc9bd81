/**
 * When a call to a CRM may be made, decided before the CRM refuses it. The state is that of one connection, for all
 * processes; a call is made only after the state that counts it is stored.
 *
 * The rule: nobody calls from a 429 until the end of the window that it names; the short windows (`crm-quota-window`) and the
 * share of the day (`crm-quota-day`) have room for the call. What the CRM's answers say replaces its published limits.
 */
import { type CrmDay, learnDay, newDay, takeFromDay } from './crm-quota-day.ts';
import {
  addToWindow,
  type CrmWindow,
  type CrmWindowLimit,
  learnWindow,
  newWindow,
  nextInWindow,
  withoutFuture,
} from './crm-quota-window.ts';

/** What a CRM publishes about its limits, used until its answers say something else. */
export interface CrmLimits {
  /** Null when the CRM has no limit for calls in a short time. */
  readonly window: CrmWindowLimit | null;
  /** A further limit of calls that search. */
  readonly search: CrmWindowLimit | null;
  /** For all apps of the account; the smallest of its plans. */
  readonly daily: { readonly limit: number; readonly unit: 'calls' | 'tokens' };
}

export interface CrmQuotaState {
  readonly window: CrmWindow | null;
  readonly search: CrmWindow | null;
  readonly day: CrmDay;
  /** Set by a 429. */
  readonly pause: { readonly untilMs: number; readonly lengthMs: number } | null;
}

export interface CrmQuotaCall {
  /** Units of the daily limit. */
  readonly cost: number;
  readonly isSearch: boolean;
}

export type CrmPermission =
  | { readonly kind: 'allowed' }
  /** The window is used up; the call is allowed at `untilMs`. */
  | { readonly kind: 'paced'; readonly untilMs: number }
  /** After a 429. */
  | { readonly kind: 'paused'; readonly untilMs: number }
  /** The share of the day is used up. */
  | { readonly kind: 'stopped'; readonly untilMs: number };

const PAUSE_MIN_MS = 1_000;
/** A longer wait is a cooldown that the connector asks for. */
const PAUSE_MAX_MS = 60_000;

export function newCrmQuota({ window, search, daily }: CrmLimits, nowMs: number): CrmQuotaState {
  return {
    window: window === null ? null : newWindow(window),
    search: search === null ? null : newWindow(search),
    day: newDay(daily.limit, nowMs),
    pause: null,
  };
}

/**
 * Decides about one call.
 *
 * @param share the share of the daily limit that may be used, above 0, at most 1
 * @returns the state to store, unchanged (the same object) when there is nothing to store
 */
export function takeCrmCall(
  stored: CrmQuotaState,
  call: CrmQuotaCall,
  { nowMs, share }: { readonly nowMs: number; readonly share: number },
): { readonly permission: CrmPermission; readonly state: CrmQuotaState } {
  const state = bringBack(stored, nowMs);
  const { pause, window } = state;
  const search = call.isSearch ? state.search : null;
  if (pause !== null) return { permission: { kind: 'paused', untilMs: pause.untilMs }, state };
  const { isAllowed, day } = takeFromDay(state.day, { cost: call.cost, share, nowMs });
  if (!isAllowed) {
    const permission = { kind: 'stopped', untilMs: day.stop?.lookMs ?? nowMs } as const;
    return { permission, state: day === state.day ? state : { ...state, day } };
  }
  const untilMs = Math.max(...[window, search].map((each) => (each === null ? nowMs : nextInWindow(each, nowMs))));
  if (untilMs > nowMs) return { permission: { kind: 'paced', untilMs }, state };
  const taken = {
    window: window === null ? null : addToWindow(window, nowMs),
    search: search === null ? state.search : addToWindow(search, nowMs),
    day,
    pause,
  };
  return { permission: { kind: 'allowed' }, state: taken };
}

/** A clock that was set back must not make waits longer. Returns the same object when there is nothing to change. */
function bringBack(state: CrmQuotaState, nowMs: number): CrmQuotaState {
  const window = state.window && withoutFuture(state.window, nowMs);
  const search = state.search && withoutFuture(state.search, nowMs);
  const pause = currentPause(state, nowMs);
  if (window === state.window && search === state.search && pause === state.pause) return state;
  return { ...state, window, search, pause };
}

function currentPause({ pause }: CrmQuotaState, nowMs: number): CrmQuotaState['pause'] {
  if (pause === null || pause.untilMs <= nowMs) return null;
  const latestMs = nowMs + pause.lengthMs;
  return pause.untilMs > latestMs ? { ...pause, untilMs: latestMs } : pause;
}

export interface CrmQuotaAnswer {
  /** Null when there was no answer. */
  readonly httpStatus: number | null;
  /** What is left of the short window, the time until its end or its length, and its size. */
  readonly window?: { readonly remaining: number; readonly resetMs: number; readonly limit?: number };
  /** What is left of the day, for all apps of the account. */
  readonly daily?: { readonly remaining: number; readonly limit?: number };
}

/** Takes over what an answer says. Returns the same object when there is nothing to store. */
export function learnFromAnswer(
  state: CrmQuotaState,
  call: CrmQuotaCall,
  answer: CrmQuotaAnswer,
  nowMs: number,
): CrmQuotaState {
  const { window: toldWindow, daily } = answer;
  let next = state;
  if (toldWindow !== undefined) {
    // An answer to a search may tell either limit: the smaller one is that of searches.
    const name = call.isSearch && (toldWindow.limit ?? Infinity) <= (state.search?.limit ?? 0) ? 'search' : 'window';
    const known = state[name];
    const learned = known === null ? null : learnWindow(known, toldWindow, nowMs);
    if (learned !== known) next = { ...next, [name]: learned };
  }
  if (daily !== undefined) {
    const day = learnDay(state.day, daily);
    if (day !== state.day) next = { ...next, day };
  }
  if (answer.httpStatus !== 429) return next;
  const askedMs = toldWindow?.resetMs ?? state.window?.windowMs ?? PAUSE_MIN_MS;
  const lengthMs = Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, askedMs));
  return { ...next, pause: { untilMs: nowMs + lengthMs, lengthMs } };
}
