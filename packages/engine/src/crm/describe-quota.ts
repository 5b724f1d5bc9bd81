/** What operators read about a used up share of a CRM's day. */
import { publishedLimits } from '@svc/crm';
import type { CrmDay } from '@svc/domain/syncs/crm-quota-day';
import { type KnownQuota, listStoppedQuotas, type StoppedQuota } from '../store/crm-quotas.ts';
import type { Db } from '../store/database/db.ts';

/** An older look means that no event waits: nobody has looked for the new day. */
const LOOK_OVERDUE_MS = 60 * 60 * 1000;

/** Returns the earliest next look of a connection whose events still wait. */
export function earliestLook(now: Date): Date {
  return new Date(now.getTime() - LOOK_OVERDUE_MS);
}

/** Returns the connections whose events wait for a new day of their CRM. */
export function listStops(db: Db, now: Date): Promise<StoppedQuota[]> {
  return listStoppedQuotas(db, earliestLook(now));
}

/** Returns `The account has used 200001 of its 250000 calls to HUBSPOT of the day`. */
export function describeUse(crm: string, { used, limit }: CrmDay): string {
  return `The account has used ${used} of its ${limit} ${publishedLimits(crm).daily.unit} to ${crm} of the day`;
}

/** Describes a stopped connection to an operator. */
export function describeStop({ connectionId, crm, state, lookAt }: StoppedQuota): string {
  const since = state.day.stop === null ? '' : ` since ${new Date(state.day.stop.sinceMs).toISOString()}`;
  return `events of connection ${connectionId} (${crm}) wait${since}. ${describeUse(crm, state.day)}; next call at ${lookAt.toISOString()}`;
}

/** How many calls to its CRM a connection has left today, and whether it may call at the moment. */
export interface ShownQuota {
  connectionId: number;
  /** Calls of all apps of the CRM's account since the CRM counts. */
  used: number;
  /** Calls that all apps of the CRM's account have a day. */
  limit: number;
  /** What the CRM counts, such as `calls`. */
  unit: string;
  /** Whether the CRM said how many are used. Otherwise only the calls of this service are counted. */
  isReported: boolean;
  /** Since when events wait because the share of the day is used up; null while they do not. */
  stoppedSince: Date | null;
  /** The next call of a stopped connection, which finds out whether a new day has begun. */
  nextCallAt: Date | null;
  /** The end of a pause that the CRM asked for; null without one. */
  pausedUntil: Date | null;
}

export function showQuota({ connectionId, crm, state: { day, pause } }: KnownQuota, now: Date): ShownQuota {
  return {
    connectionId,
    used: day.used,
    limit: day.limit,
    unit: publishedLimits(crm).daily.unit,
    isReported: day.isTold,
    stoppedSince: day.stop === null ? null : new Date(day.stop.sinceMs),
    nextCallAt: day.stop === null ? null : new Date(day.stop.lookMs),
    pausedUntil: pause === null || pause.untilMs <= now.getTime() ? null : new Date(pause.untilMs),
  };
}
