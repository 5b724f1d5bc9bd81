/**
 * Specification, "Sync health" and "Events": applies the outcomes of syncs to the health of their sources and
 * connection, and writes the events. Both are part of the transaction that stores the syncs, so an incident has exactly
 * one `sync.failed`, and a rolled back sync has none.
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
import { lockSyncHealth, setSyncHealth } from '../store/sync-health.ts';

export interface SyncOutcome {
  accountId: number;
  subject: SyncHealthSubject;
  status: SyncStatus;
  error: unknown;
}

/**
 * Counts the outcomes in this order, and writes an event for each that begins or ends an incident. Returns whether it
 * wrote any; then wake the workers after the commit.
 *
 * @param outcomes of one connection
 */
export async function applySyncOutcomes(
  ctx: Context,
  tx: Db,
  outcomes: readonly SyncOutcome[],
  at: Date,
): Promise<boolean> {
  const [first] = outcomes;
  if (!first) return false;
  const { connectionId } = first.subject;
  const sourceIds = [...new Set(outcomes.map(({ subject }) => subject.sourceId))];
  const before = await lockSyncHealth(tx, connectionId, sourceIds);
  const states = new Map(before);
  let eventCount = 0;
  for (const outcome of outcomes) {
    const { sourceId } = outcome.subject;
    const state = states.get(sourceId) ?? HEALTHY;
    const next = nextSyncHealth(state, { status: outcome.status, at });
    states.set(sourceId, next.state);
    if (next.transition === null) continue;
    const event = describe(ctx, outcome, { transition: next.transition, before: state, at });
    // A millisecond apart, so that the log shows them in this order.
    const createdAt = new Date(at.getTime() + eventCount);
    eventCount += 1;
    const id = newEventId(createdAt, ctx.randomBytes(ID_RANDOM_BYTES));
    await emitEvent(ctx, tx, { ...event, id, accountId: outcome.accountId, connectionId, sourceId, createdAt });
  }
  const changed = [...states].filter(([sourceId, state]) => !isSame(state, before.get(sourceId) ?? HEALTHY));
  await setSyncHealth(
    tx,
    connectionId,
    changed.map(([sourceId, state]) => ({ sourceId, ...state })),
  );
  return eventCount > 0;
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
