/**
 * Specification, "Sync health" and "Events": applies a sync's outcome to the health of its source and connection, and
 * writes the event. Both are part of the transaction that stores the sync, so an incident has exactly one
 * `sync.failed`, and a rolled back sync has none.
 */
import type { SyncStatus } from '@svc/contract/vocabulary';
import { ID_RANDOM_BYTES, newEventId } from '@svc/domain/values/resource-ids';
import {
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
  at: Date;
}

/**
 * Counts the outcome, and writes an event when it begins or ends an incident. Returns whether it wrote one; then wake
 * the workers after the commit.
 */
export async function applySyncOutcome(ctx: Context, tx: Db, outcome: SyncOutcome): Promise<boolean> {
  const { sourceId, connectionId } = outcome.subject;
  const before = await lockSyncHealth(tx, sourceId, connectionId);
  const { state, transition } = nextSyncHealth(before, outcome);
  if (state.consecutiveFailures !== before.consecutiveFailures || transition !== null) {
    await setSyncHealth(tx, sourceId, connectionId, state);
  }
  if (transition === null) return false;
  const event = describe(ctx, outcome, transition, before);
  const id = newEventId(outcome.at, ctx.randomBytes(ID_RANDOM_BYTES));
  const { accountId, at: createdAt } = outcome;
  await emitEvent(ctx, tx, { ...event, id, accountId, connectionId, sourceId, createdAt });
  return true;
}

function describe(
  ctx: Context,
  outcome: SyncOutcome,
  transition: 'failed' | 'recovered',
  before: SyncHealthState,
): ReturnType<typeof syncFailedEvent> | ReturnType<typeof syncRecoveredEvent> {
  if (transition === 'recovered') return syncRecoveredEvent(outcome.subject, before.failingSince ?? outcome.at);
  return syncFailedEvent(outcome.subject, { error: outcome.error, dashboardUrl: ctx.urls.dashboard });
}
