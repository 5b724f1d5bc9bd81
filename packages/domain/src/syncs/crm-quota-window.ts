/**
 * A CRM's limit of calls in a short rolling window, counted over all processes.
 *
 * The rule: in any span of `windowMs` at most `limit` calls are allowed. Calls are counted in slots of a twentieth of the
 * window; a call is allowed when the current slot and the twenty before it hold fewer than `limit`. From half of the limit
 * on, calls are spread over the window instead of using it up at once. Calls of other apps with the same limit, which only
 * the CRM's answers show, count as ours do.
 *
 * Times in the future come from another process or from a clock that was set back; they are brought back to now.
 */

export interface CrmWindowLimit {
  /** Calls in any span of `windowMs`, 1 or more. */
  readonly limit: number;
  readonly windowMs: number;
}

export interface CrmWindow extends CrmWindowLimit {
  /** Number of calls by slot, in ascending order. */
  readonly calls: readonly (readonly [slot: number, count: number])[];
  /** Unix time of the last call in ms; null before the first. */
  readonly lastMs: number | null;
}

const SLOTS = 20;
/** Differences between the clocks of processes, and between the times that two calls take to the CRM. */
const SLACK_MS = 250;

export function newWindow({ limit, windowMs }: CrmWindowLimit): CrmWindow {
  return { limit: Math.max(1, limit), windowMs, calls: [], lastMs: null };
}

/** Brings times in the future back to now. Returns the same object when there are none. */
export function withoutFuture(window: CrmWindow, nowMs: number): CrmWindow {
  const lastSlot = window.calls.at(-1)?.[0] ?? 0;
  if (lastSlot <= slotAt(window, nowMs) && (window.lastMs ?? 0) <= nowMs) return window;
  return { ...window, calls: addCalls(window, nowMs, 0), lastMs: Math.min(window.lastMs ?? nowMs, nowMs) };
}

/** Returns when the next call is allowed: `nowMs` when it is allowed now. */
export function nextInWindow(window: CrmWindow, nowMs: number): number {
  const { limit, lastMs } = window;
  const calls = countingCalls(window, nowMs);
  const used = countCalls(calls);
  if (used >= limit) return endOfSlot(window, firstToFree(calls, used - limit + 1));
  const [oldest] = calls;
  if (used * 2 < limit || lastMs === null || oldest === undefined) return nowMs;
  // The rest of the window is spread over the time until its first calls count no longer.
  const gapMs = (endOfSlot(window, oldest[0]) - lastMs) / (limit - used + 1);
  return Math.max(nowMs, lastMs + Math.ceil(gapMs));
}

/** Counts one call that is allowed at `nowMs`. */
export function addToWindow(window: CrmWindow, nowMs: number): CrmWindow {
  return { ...window, calls: addCalls(window, nowMs, 1), lastMs: nowMs };
}

/**
 * Takes over what an answer of the CRM says: its limit, and calls of others.
 *
 * @param told.remaining calls that are left of the window
 */
export function learnWindow(
  window: CrmWindow,
  told: { readonly remaining: number; readonly limit?: number },
  nowMs: number,
): CrmWindow {
  const limit = Math.max(1, told.limit ?? window.limit);
  const others = limit - told.remaining - countCalls(countingCalls(window, nowMs));
  if (limit === window.limit && others <= 0) return window;
  return { ...window, limit, ...(others > 0 ? { calls: addCalls(window, nowMs, others) } : {}) };
}

function slotMs({ windowMs }: CrmWindowLimit): number {
  return Math.ceil((windowMs + SLACK_MS) / SLOTS);
}

function slotAt(window: CrmWindowLimit, nowMs: number): number {
  return Math.floor(nowMs / slotMs(window));
}

function countingCalls(window: CrmWindow, nowMs: number): CrmWindow['calls'] {
  const oldest = slotAt(window, nowMs) - SLOTS;
  return window.calls.filter(([slot]) => slot >= oldest);
}

/** Adds calls to the current slot. Calls in slots of the future move there as well. */
function addCalls(window: CrmWindow, nowMs: number, count: number): CrmWindow['calls'] {
  const current = slotAt(window, nowMs);
  const calls = countingCalls(window, nowMs);
  const past = calls.filter(([slot]) => slot < current);
  return [...past, [current, countCalls(calls) - countCalls(past) + count]];
}

function countCalls(calls: CrmWindow['calls']): number {
  return calls.reduce((sum, [, count]) => sum + count, 0);
}

/** Returns the slot after whose end `count` calls count no longer. */
function firstToFree(calls: CrmWindow['calls'], count: number): number {
  let freed = 0;
  for (const [slot, calling] of calls) {
    freed += calling;
    if (freed >= count) return slot;
  }
  return calls.at(-1)?.[0] ?? 0;
}

/** Returns when the calls of a slot no longer count. */
function endOfSlot(window: CrmWindow, slot: number): number {
  return (slot + SLOTS + 1) * slotMs(window);
}
