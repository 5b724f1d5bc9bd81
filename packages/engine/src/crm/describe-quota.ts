/** What operators read about a used up share of a CRM's day. */
import { publishedLimits } from '@svc/crm';
import type { CrmDay } from '@svc/domain/syncs/crm-quota-day';
import { listStoppedQuotas, type StoppedQuota } from '../store/crm-quotas.ts';
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
