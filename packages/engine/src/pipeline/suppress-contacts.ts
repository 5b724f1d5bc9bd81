/**
 * Puts the contacts of bounces, opt-outs and chosen categories on the block lists of their account, whichever sequencer the
 * event came from. The row and the job of a list are stored with the event, so a killed process loses and repeats neither.
 */
import { toBlockedAddress, toBlockedDomain } from '@svc/domain/blocklists/blocklist-entry';
import { emailOf } from '@svc/domain/contacts/event-contact';
import { findSuppressedKind, maySuppress } from '@svc/domain/policy/suppression';
import { toBusinessDomain } from '@svc/crm';
import type { InboundEvent } from '@svc/sequencers';
import { composeRef, fairnessKeys, PUSH_SUPPRESSIONS } from '../jobs/kinds.ts';
import { enqueueOnceMore, type NewJob } from '../queue/queue.ts';
import type { Db } from '../store/database/db.ts';
import {
  insertSuppressions,
  lockSuppressingLists,
  type NewSuppression,
  type SuppressingList,
} from '../store/suppressions.ts';

interface StoredEvent {
  id: number;
  receipt: { accountId: number };
  event: InboundEvent;
}

/** Returns the job that sends what waits of a list. At most one per list exists. */
export function pushSuppressionsJob({ id, connectionId }: { id: number; connectionId: number }, now: Date): NewJob {
  const fairnessKey = fairnessKeys.connection(connectionId);
  return { kind: PUSH_SUPPRESSIONS, ref: composeRef(id), fairnessKey, dueAt: now, createdAt: now };
}

/** Stores what new events put on block lists, in the caller's transaction. */
export async function suppressContacts(tx: Db, events: readonly StoredEvent[], now: Date): Promise<void> {
  const suppressing = events.filter(({ event }) => maySuppress(event));
  if (suppressing.length === 0) return;
  const lists = await lockSuppressingLists(tx, [...new Set(suppressing.map(({ receipt }) => receipt.accountId))]);
  const found = lists.flatMap((list) => findContacts(list, suppressing));
  const listIds = await insertSuppressions(tx, found, now);
  // In the order of their ids. A job that runs already sees its rows at the next run only.
  for (const list of lists) if (listIds.has(list.id)) await enqueueOnceMore(tx, pushSuppressionsJob(list, now));
}

/** Returns each contact once, by ascending value. */
function findContacts(list: SuppressingList, events: readonly StoredEvent[]): NewSuppression[] {
  const byValue = new Map<string, NewSuppression>();
  for (const { id: eventId, receipt, event } of events) {
    if (receipt.accountId !== list.accountId) continue;
    const reason = findSuppressedKind(list.kinds, event);
    const value = reason === null ? null : blockedValueOf(list, event);
    if (reason === null || value === null || byValue.has(value)) continue;
    byValue.set(value, { listId: list.id, value, reason, eventId });
  }
  return [...byValue.values()].sort((a, b) => (a.value < b.value ? -1 : 1));
}

/** Returns null when only a profile is known, and for the domains of mail hosts, which have the addresses of many people. */
function blockedValueOf({ blockType }: SuppressingList, event: InboundEvent): string | null {
  const address = toBlockedAddress(emailOf(event) ?? '');
  if (address === null || blockType === 'ADDRESS') return address;
  const domain = toBusinessDomain(null, address);
  return domain === null ? null : toBlockedDomain(domain);
}
