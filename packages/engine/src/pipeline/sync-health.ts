/**
 * Applies the outcomes of syncs to the health of their sources and connection (`domain/src/syncs/sync-health.ts`), and
 * writes the events. Both are part of the transaction that stores the syncs, so an incident has exactly one
 * `sync.failed`, and a rolled back sync has none.
 */
import type { SyncStatus } from '@svc/contract/vocabulary';
import { ID_RANDOM_BYTES, newEventId } from '@svc/domain/values/resource-ids';
import {
  HEALTHY,
  nextSyncHealth,
  type SyncHealthState,
  type SyncHealthSubject,
  syncFailedEvent,
  syncRecoveredEvent,
} from '@svc/domain/syncs/sync-health';
import type { Context } from '../context.ts';
import type { Db } from '../store/database/db.ts';
import { emitEvent } from '../webhooks/platform-events.ts';
import { lockSyncHealth, setSyncHealth, type SyncHealthPair } from '../store/sync-health.ts';

export interface SyncOutcome {
  accountId: number;
  subject: SyncHealthSubject;
  status: SyncStatus;
  error: unknown;
}

/**
 * Counts the outcomes in this order, and writes an event for each that begins or ends an incident. Returns for each
 * whether it wrote one; then wake the workers after the commit.
 */
export async function applySyncOutcomes(
  ctx: Context,
  tx: Db,
  outcomes: readonly SyncOutcome[],
  at: Date,
): Promise<boolean[]> {
  if (outcomes.length === 0) return [];
  const byPair = new Map(outcomes.map(({ subject }) => [pairOf(subject), subject]));
  const before = new Map(
    (await lockSyncHealth(tx, [...byPair.values()])).map(({ sourceId, connectionId, ...state }) => [
      pairOf({ sourceId, connectionId }),
      state,
    ]),
  );
  const states = new Map<string, SyncHealthState>(before);
  const hasEvents: boolean[] = [];
  let eventCount = 0;
  for (const outcome of outcomes) {
    const { subject, accountId } = outcome;
    const state = states.get(pairOf(subject)) ?? HEALTHY;
    const next = nextSyncHealth(state, { status: outcome.status, at });
    states.set(pairOf(subject), next.state);
    hasEvents.push(next.transition !== null);
    if (next.transition === null) continue;
    const event = describe(ctx, outcome, { transition: next.transition, before: state, at });
    // A millisecond apart, so that the log shows them in this order.
    const createdAt = new Date(at.getTime() + eventCount);
    eventCount += 1;
    const id = newEventId(createdAt, ctx.randomBytes(ID_RANDOM_BYTES));
    const { sourceId, connectionId } = subject;
    await emitEvent(ctx, tx, { ...event, id, accountId, connectionId, sourceId, createdAt });
  }
  const changed = [...byPair].flatMap(([pair, { sourceId, connectionId }]) => {
    const state = states.get(pair) ?? HEALTHY;
    return isSame(state, before.get(pair) ?? HEALTHY) ? [] : [{ sourceId, connectionId, ...state }];
  });
  await setSyncHealth(tx, changed);
  return hasEvents;
}

function pairOf({ sourceId, connectionId }: SyncHealthPair): string {
  return `${sourceId} ${connectionId}`;
}

function isSame(a: SyncHealthState, b: SyncHealthState): boolean {
  return a.consecutiveFailures === b.consecutiveFailures && a.failingSince?.getTime() === b.failingSince?.getTime();
}

function describe(
  ctx: Context,
  outcome: SyncOutcome,
  { transition, before, at }: { transition: 'failed' | 'recovered'; before: SyncHealthState; at: Date },
): ReturnType<typeof syncFailedEvent> | ReturnType<typeof syncRecoveredEvent> {
  if (transition === 'recovered') return syncRecoveredEvent(outcome.subject, before.failingSince ?? at);
  return syncFailedEvent(outcome.subject, { error: outcome.error, dashboardUrl: ctx.urls.dashboard });
}
