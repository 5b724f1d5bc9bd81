/**
 * One attempt to write events of one connection to its CRM together. Each event becomes one row of `syncs`, unless it is
 * tried again first.
 *
 * A temporary failure (429, 5xx, network) is retried by deferring the job, for at most a minute
 * (`domain/syncs/crm-backoff`), before a row says `error`. Then the event is tried on for 24 hours without further rows;
 * the next row shows what became of it. If the CRM asks for a longer wait, the error row is written at once and a new
 * attempt follows after the wait. Both hold for a whole connection: while its CRM asked to wait (`crm-cooldown.ts`) or
 * does not work (`crm-outage.ts`), its events wait without calls.
 *
 * After its error row the job is `write-crm` of the event, whichever job made the first attempt, so an event has at most
 * one pending try.
 *
 * The CRM is only upserted by stable keys, so a job that dies between the CRM's answer and our commit writes the same
 * contact and engagement again, not new ones.
 */
import { createHash } from 'node:crypto';
import type { LastValues } from '@svc/domain/policy/last-values';
import { syncDisabledError } from '@svc/domain/syncs/sync-errors';
import { type CrmFailed, type CrmOutcome, type CrmWrite, isNoMatchingContact } from '@svc/crm';
import type { Context } from '../context.ts';
import { openCrmAccess, type OpenCrm, renewCrmAccess } from '../crm/access.ts';
import { IS_HELD, IS_RECORDED } from '../jobs/write-state.ts';
import { throwIfLeaseLost } from '../queue/leases.ts';
import type { ClaimedJob } from '../queue/queue.ts';
import { listPendingEvents } from '../queue/waiting-writes.ts';
import type { WritingConnection } from '../store/sync-attempts.ts';
import { acquireCrmProbe, spreadAfter } from './crm-cooldown.ts';
import { waitForCrm } from './outage-wait.ts';
import { readLastValues } from './last-values.ts';
import type { SyncStore } from './sync-store.ts';
import type { EventWrite, WriteResult } from './sync-results.ts';
import {
  isOutage,
  isQuotaWait,
  type NextAttempt,
  planContactWait,
  planNextAttempt,
  readFailures,
  withoutFailures,
  type WriteState,
} from './next-attempt.ts';

export interface WriteOptions {
  /** Calls the CRM although it did not work lately. Only `probe-crm` does, with one event. */
  isProbe: boolean;
}

/**
 * Makes one attempt for each event: defers its job while the failure is temporary, otherwise records the outcome and
 * finishes the job.
 *
 * @param writes events of one connection in the order in which they were received, each once; at most as many as its
 *   connector takes
 */
export async function attemptWrites(
  syncStore: SyncStore,
  connection: WritingConnection,
  writes: readonly EventWrite[],
  { isProbe }: WriteOptions,
): Promise<void> {
  const { ctx } = syncStore;
  const crm = connection.canSync ? await openCrmAccess(ctx, connection) : refusedBySwitch();
  if ('status' in crm) {
    // A token that cannot be renewed at the moment is a temporary failure like any other.
    const results =
      crm.retry === 'never'
        ? writes.map((write) => (isDropped(write) ? drop(write) : { ...drop(write), outcome: crm }))
        : planResults(ctx, writes, Array(writes.length).fill(crm), { isProbe, cooldownProbeUntil: null });
    await syncStore.storeResults({ connection, results, isProbe });
    return;
  }
  if (connection.crmOutage?.isConfirmed === true && !isProbe) {
    await waitForCrm(ctx, connection, writes);
    return;
  }
  const { ready, held } = isProbe ? { ready: writes, held: [] } : await holdBack(ctx, connection, writes);
  const results: WriteResult[] = [...held];
  let cooldownProbeUntil: Date | null = null;
  let { sealedCrmToken } = crm;
  if (ready.length > 0) {
    const permission = await acquireCrmProbe(ctx, connection);
    if (permission.mayCall) {
      cooldownProbeUntil = permission.probeUntil;
      // After a cooldown, one event probes for the others.
      const [probing, waiting] = cooldownProbeUntil === null ? [ready, []] : [ready.slice(0, 1), ready.slice(1)];
      const { outcomes, ...used } = await callCrm(ctx, crm, connection, probing);
      sealedCrmToken = used.sealedCrmToken;
      results.push(...planResults(ctx, probing, outcomes, { isProbe, cooldownProbeUntil }));
      for (const write of waiting) results.push(waitForCooldown(ctx, write, cooldownProbeUntil ?? ctx.clock.now()));
    } else for (const write of ready) results.push(waitForCooldown(ctx, write, permission.until));
  }
  results.sort((a, b) => a.write.target.id - b.write.target.id);
  await syncStore.storeResults({
    connection: { ...connection, sealedCrmToken },
    results,
    isProbe,
    cooldownProbeUntil,
  });
}

function refusedBySwitch(): CrmFailed {
  return { status: 'error', error: syncDisabledError(), retry: 'never', disconnected: false };
}

/** Syncing was switched off after the job was enqueued. The receipt stays, and no sync is added. */
function isDropped({ target, isRequested, job }: EventWrite): boolean {
  return !target.connection.canSync && (!isRequested || job.state[IS_RECORDED] === true);
}

function drop(write: EventWrite): WriteResult {
  return { write, outcome: null, isCall: false, next: null };
}

function defer(write: EventWrite, dueAt: Date, state: WriteState, error: string): WriteResult {
  return { ...drop(write), next: { dueAt, state, isRecordedNow: false, error } };
}

/**
 * Separates the events whose contact has an earlier event that waits: one that failed and is tried again within its first minute, or that
 * itself waits for such a one or for the CRM's limits. They wait for it, so that the CRM gets the events of a contact in the order in which they were
 * received. After that minute the earlier event has an error row, and they no longer wait.
 */
async function holdBack(
  ctx: Context,
  connection: WritingConnection,
  writes: readonly EventWrite[],
): Promise<{ ready: EventWrite[]; held: WriteResult[] }> {
  if (!connection.hasWaitingEvents) return { ready: [...writes], held: [] };
  const now = ctx.clock.now();
  const together = new Set(writes.map(({ target }) => target.id));
  const contacts = [...new Set(writes.map(({ target }) => contactOf(target)))];
  const before = Math.max(...together);
  const pending = await listPendingEvents(ctx.db, connection.id, { contacts, before });
  const elsewhere = pending.filter(({ id }) => !together.has(id));
  // The events of this batch are tried first; other events of their contacts follow with the next batch.
  const here = writes
    .filter(isTriedAgain)
    .map(({ target }) => ({ id: target.id, contact: contactOf(target), dueAt: now }));
  const byContact = Map.groupBy([...elsewhere, ...here], ({ contact }) => contact);
  const ready: EventWrite[] = [];
  const held: WriteResult[] = [];
  for (const write of writes) {
    const { target, job } = write;
    const earlier = byContact.get(contactOf(target))?.filter(({ id }) => id < target.id) ?? [];
    const dueAt = new Date(Math.max(now.getTime(), ...earlier.map((other) => other.dueAt.getTime())));
    const state = { ...job.state, [IS_HELD]: true };
    if (earlier.length === 0) ready.push(write);
    else held.push(defer(write, dueAt, state, 'An earlier event of the contact is written first.'));
  }
  return { ready, held };
}

/** Whether a call of the event has failed, and it has no error row yet. */
function isTriedAgain({ job }: EventWrite): boolean {
  return job.state[IS_RECORDED] !== true && (readFailures(job.state)?.count ?? 0) > 0;
}

function contactOf({ event }: EventWrite['target']): string {
  return event.toEmail.toLowerCase();
}

function waitForCooldown(ctx: Context, write: EventWrite, until: Date): WriteResult {
  const state = { ...withoutFailures(write.job.state), [IS_HELD]: true };
  return defer(write, spreadAfter(ctx, until), state, 'The CRM asked to wait.');
}

/** Claims that have called their CRM. A batch whose results cannot be stored calls once more for each event. */
const called = new WeakSet<ClaimedJob>();

/**
 * Writes the events; those that failed because the access token has ended, once more with a new one.
 *
 * @returns one outcome per event, and the stored token that was used last
 */
async function callCrm(
  ctx: Context,
  crm: OpenCrm,
  connection: WritingConnection,
  writes: readonly EventWrite[],
): Promise<{ outcomes: readonly CrmOutcome[]; sealedCrmToken: string }> {
  const lastValues = await readLastValues(ctx, connection.id, writes);
  const outcomes = await writeEvents(ctx, crm, connection, writes, lastValues);
  const isRefused = outcomes.map((outcome) => outcome.status === 'error' && outcome.disconnected);
  const { access, sealedCrmToken } = crm;
  if (access.tokenType === 'private' || !isRefused.includes(true)) return { outcomes, sealedCrmToken };
  const renewed = await renewCrmAccess(ctx, connection, access.accessToken);
  if ('status' in renewed) {
    return { outcomes: outcomes.map((outcome, index) => (isRefused[index] ? renewed : outcome)), sealedCrmToken };
  }
  const refused = writes.filter((_write, index) => isRefused[index]);
  const again = [...(await writeEvents(ctx, renewed, connection, refused, lastValues))];
  return {
    outcomes: outcomes.map((outcome, index) => (isRefused[index] ? (again.shift() ?? outcome) : outcome)),
    sealedCrmToken: renewed.sealedCrmToken,
  };
}

async function writeEvents(
  ctx: Context,
  { connector, access }: OpenCrm,
  connection: WritingConnection,
  writes: readonly EventWrite[],
  lastValues: ReadonlyMap<EventWrite, LastValues>,
): Promise<readonly CrmOutcome[]> {
  const events = writes.map((write) => toCrmWrite(write, lastValues.get(write) ?? null));
  for (const { job } of writes) called.add(job);
  const { organizationId, id } = connection;
  const outcomes = await connector.writeEvents({ access, organizationId, records: ctx.crmRecords(id), events });
  // Calls that were not made any more say nothing about the CRM.
  throwIfLeaseLost();
  if (outcomes.length !== writes.length) {
    throw new Error(
      `The connector of ${connection.crm} returned ${outcomes.length} outcomes for ${writes.length} events.`,
    );
  }
  return outcomes;
}

function toCrmWrite({ job, target, plan, fields, retryOfSyncId }: EventWrite, lastValues: LastValues | null): CrmWrite {
  const { source, event, receivedAt } = target;
  return {
    plan,
    fields,
    lastValues,
    event,
    idempotencyKey: idempotencyKey(source.path, event.eventKey),
    receivedAt,
    isRepeated: called.has(job) || job.attempts > 1 || retryOfSyncId !== null || readFailures(job.state) !== null,
  };
}

/** Returns the key of the engagement at the CRM, which does not depend on our own ids. */
function idempotencyKey(path: string, eventKey: string): string {
  return createHash('sha256').update(`${path}\n${eventKey}`).digest('hex');
}

/** Decides what follows the outcomes of a call. */
function planResults(
  ctx: Context,
  writes: readonly EventWrite[],
  outcomes: readonly CrmOutcome[],
  { isProbe, cooldownProbeUntil }: { isProbe: boolean; cooldownProbeUntil: Date | null },
): WriteResult[] {
  const now = ctx.clock.now();
  let isCooldownRecorded = false;
  return writes.map((write, index) => {
    const answered = outcomes[index];
    if (!answered) throw new Error('An event has no outcome.');
    const outcome = isProbe ? withoutCooldown(answered) : answered;
    if (outcome.status === 'warning' && isNoMatchingContact(outcome)) {
      const next = planContactWait(write.job.state, { now, error: outcome.error.message });
      return next === null ? drop(write) : { write, outcome, isCall: true, next };
    }
    const cooldownUntilMs = outcome.status === 'error' ? outcome.cooldownUntilMs : undefined;
    // The first refused event already has an error row that reports the cooldown.
    if (cooldownUntilMs !== undefined && isCooldownRecorded) {
      return waitForCooldown(ctx, write, new Date(cooldownUntilMs));
    }
    isCooldownRecorded ||= cooldownUntilMs !== undefined;
    const next: NextAttempt | null = planNextAttempt(write.job.state, outcome, {
      now,
      isCooldownProbe: cooldownProbeUntil !== null,
    });
    return { write, outcome, isCall: !isQuotaWait(outcome), next };
  });
}

/** While a CRM does not work, its `Retry-After` only delays the next probe. */
function withoutCooldown(outcome: CrmOutcome): CrmOutcome {
  if (!isOutage(outcome)) return outcome;
  const { cooldownUntilMs: _cooldown, ...failed } = outcome;
  return failed;
}
