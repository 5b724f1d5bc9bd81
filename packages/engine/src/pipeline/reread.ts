/**
 * What reading a receipt again may change (decision 38).
 *
 * - An event is new when its key is: what was read before is not written again.
 * - A receipt that already gave events keeps them, whatever key, type or recipient they would have now. It gives further
 *   events only when every event that it gave is found again, by key or by type and recipient. Otherwise the reading has
 *   changed, and a second event would stand beside the first one.
 * - A receipt that only repeated others is never read again: where keys have changed, the repeat would become a second
 *   event.
 * - A receipt that was synced stays so; what was not read of it is what is not read now.
 */
import type { InboundEvent, NormalizeResult } from '@svc/sequencers';
import type { ReceiptOutcome } from '../store/receipts.ts';
import { describeNotices, SYNC_IS_OFF } from './store-inbound-events.ts';

export interface Processed {
  outcome: ReceiptOutcome;
  reason: string | null;
}

/** The outcomes whose receipts can be read again. */
export const REREAD_OUTCOMES = ['unparsed', 'ignored', 'synced'] as const satisfies readonly ReceiptOutcome[];

/**
 * Returns whether a receipt is read again.
 *
 * @param outcomes those that were asked for; null: all, without receipts of a time in which syncing was switched off
 */
export function isReread({ outcome, reason }: Processed, outcomes: readonly string[] | null): boolean {
  if (outcomes !== null) return outcomes.includes(outcome);
  return REREAD_OUTCOMES.some((reread) => reread === outcome) && reason !== SYNC_IS_OFF.reason;
}

type Label = Pick<InboundEvent, 'eventKey' | 'eventType' | 'toEmail'>;

/**
 * Returns the events that a receipt may add to those it gave.
 *
 * @param given the events that it gave before
 */
export function pickFurtherEvents(
  { outcome }: Processed,
  given: readonly Label[],
  read: readonly InboundEvent[],
): { events: readonly InboundEvent[]; hasChanged: boolean } {
  // Its events are not stored, so they cannot be compared.
  if (outcome === 'synced' && given.length === 0) return { events: [], hasChanged: false };
  const isSame = (a: Label, b: Label) => a.eventType === b.eventType && a.toEmail === b.toEmail;
  const byKey = withoutPairs(given, read, (a, b) => a.eventKey === b.eventKey);
  const byLabel = withoutPairs(byKey.given, byKey.read, isSame);
  return byLabel.given.length === 0 ? { events: byLabel.read, hasChanged: false } : { events: [], hasChanged: true };
}

/** Returns what is left of both lists when pairs are taken out. */
function withoutPairs(
  given: readonly Label[],
  read: readonly InboundEvent[],
  isPair: (a: Label, b: Label) => boolean,
): { given: readonly Label[]; read: readonly InboundEvent[] } {
  const left = [...given];
  const unpaired = read.filter((event) => {
    const at = left.findIndex((other) => isPair(other, event));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return { given: left, read: unpaired };
}

/** Returns what becomes of a receipt that was read again; null when it stays as it is. */
export function outcomeOfRereading(
  before: Processed,
  result: NormalizeResult,
  { hasNewEvents, hasChanged, canSync }: { hasNewEvents: boolean; hasChanged: boolean; canSync: boolean },
): Processed | null {
  if (!canSync) return null;
  const reason = describeNotices(result);
  if (before.outcome === 'synced') {
    const isAsRead = result.outcome !== 'events' || hasChanged || reason === before.reason;
    return isAsRead ? null : { outcome: 'synced', reason };
  }
  if (hasNewEvents) return { outcome: 'synced', reason };
  if (result.outcome !== 'events') {
    const isEqual = result.outcome === before.outcome && result.reason === before.reason;
    return isEqual ? null : { outcome: result.outcome, reason: result.reason };
  }
  // Its events were stored for forwarding while syncing was switched off.
  if (before.reason === SYNC_IS_OFF.reason) return null;
  return { outcome: 'duplicate', reason: 'All of its events were received before.' };
}
