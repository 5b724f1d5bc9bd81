/** Events that the write policy of their source holds until their lead answers or gets a category. */
import { dropsAt, holdEvents } from '@svc/domain/policy/hold';
import { mergePolicies } from '@svc/domain/policy/plan-write';
import type { ConnectionRow, SourceRow } from '@svc/domain/world';
import { connectionsById } from '../../state/row-indexes.ts';
import { addJob, type HeldEventRow, type ReceivedEvent } from '../../state/world-data.ts';
import { updateData, type World } from '../../state/world.ts';
import type { WorldRun } from './job-run.ts';
import { plannedEvent } from './write-plan.ts';

/**
 * Decides which of these new events wait. Returns what is written now, in this order: the new events, each behind what it releases. What
 * waited longer than the policy allowed when it came is dropped. What waits although no policy holds it any more is written first.
 */
export function holdNewEvents(
  { world, now }: WorldRun,
  { source, connection }: { source: SourceRow; connection: ConnectionRow },
  events: readonly ReceivedEvent[],
): readonly ReceivedEvent[] {
  const { heldEvents, releasedLeads } = world.state.data;
  const rule = mergePolicies(source.policy, connection.policy).holdUntil ?? null;
  const others = heldEvents.filter(({ sourceId }) => sourceId !== source.id);
  const waiting = heldEvents.filter((row) => row.sourceId === source.id && row.dropsAt > now);
  if (rule === null) {
    if (others.length < heldEvents.length) updateData(world, { heldEvents: others });
    return [...waiting.map(({ entry }) => entry), ...events];
  }
  const { writes, held, released } = holdEvents(
    rule,
    events.map((entry) => ({ entry, event: entry.event })),
    { released: releasedLeads.filter(({ sourceId }) => sourceId === source.id), waiting },
  );
  const written = events.flatMap((entry) => writes.get(entry) ?? []);
  const isWritten = new Set(written);
  const rows = held.map((row): HeldEventRow => ({ ...row, sourceId: source.id, dropsAt: dropsAt(rule, now) }));
  updateData(world, {
    heldEvents: [...others, ...waiting.filter(({ entry }) => !isWritten.has(entry)), ...rows],
    releasedLeads: [...releasedLeads, ...released.map((lead) => ({ sourceId: source.id, ...lead }))],
  });
  return written;
}

/** An event that waits, as tests see it. */
export interface HeldEvent {
  readonly sourceId: number;
  readonly requestId: number;
  readonly eventType: string;
  /** The address of the lead, in lower case, or its profile URL. */
  readonly recipient: string;
  /** Id or name of the campaign; empty without one. */
  readonly campaign: string;
  /** From when on it is never written. */
  readonly dropsAt: Date;
}

export interface HeldFilter {
  /** Default: every source. */
  readonly sourceId?: number | undefined;
  /** Address or profile URL, in any letter case. Default: every lead. */
  readonly recipient?: string | undefined;
}

/** Returns what waits, in the order in which it was received. */
export function listHeldEvents({ state }: World, now: Date): HeldEvent[] {
  return state.data.heldEvents
    .filter((row) => row.dropsAt > now)
    .map(({ sourceId, lead, entry, dropsAt: at }) => ({
      ...{ sourceId, requestId: entry.requestId, eventType: entry.event.eventType },
      ...{ recipient: lead.recipient, campaign: lead.campaign, dropsAt: at },
    }));
}

/** Writes what waits of these leads, as an operator does by hand; their later events do not wait. @returns the number of events */
export function releaseHeldEvents(world: World, now: Date, filter: HeldFilter): number {
  const taken = takeHeldEvents(world, now, (row) => fitsFilter(row, filter));
  const leads = taken.map(({ sourceId, lead }) => ({ sourceId, ...lead }));
  updateData(world, { releasedLeads: [...world.state.data.releasedLeads, ...leads] });
  writeTaken(world, now, taken);
  return taken.length;
}

/** Drops what waits of these leads. @returns the number of events */
export function dropHeldEvents(world: World, now: Date, filter: HeldFilter): number {
  return takeHeldEvents(world, now, (row) => fitsFilter(row, filter)).length;
}

/** Writes what waits although no policy holds it any more, before all else that is due. */
export function releaseEndedHolds(world: World, now: Date): void {
  const { heldEvents, sources, connections, jobs } = world.state.data;
  if (heldEvents.length === 0) return;
  const policyOf = ({ policy, connectionId }: SourceRow) =>
    mergePolicies(policy, connectionsById(connections).get(connectionId)?.policy ?? null);
  const held = new Set(sources.filter((source) => (policyOf(source).holdUntil ?? null) !== null).map(({ id }) => id));
  const taken = takeHeldEvents(world, now, ({ sourceId }) => !held.has(sourceId));
  const dueAt = new Date(Math.min(now.getTime(), jobs[0]?.dueAt.getTime() ?? Infinity) - 1);
  writeTaken(world, dueAt, taken);
}

function fitsFilter({ sourceId, lead }: HeldEventRow, filter: HeldFilter): boolean {
  return (
    (filter.sourceId ?? sourceId) === sourceId && (filter.recipient?.toLowerCase() ?? lead.recipient) === lead.recipient
  );
}

/** Removes what waits and fits. Returns it in the order in which it was received. */
function takeHeldEvents(world: World, now: Date, fits: (row: HeldEventRow) => boolean): readonly HeldEventRow[] {
  const waiting = world.state.data.heldEvents.filter(({ dropsAt: at }) => at > now);
  const taken = waiting.filter(fits);
  if (taken.length > 0) updateData(world, { heldEvents: waiting.filter((row) => !fits(row)) });
  return taken;
}

function writeTaken(world: World, dueAt: Date, taken: readonly HeldEventRow[]): void {
  for (const { sourceId, entry } of taken) {
    const { requestId, event } = entry;
    const { eventType, toEmail } = event;
    const work = { kind: 'write-crm', sourceId, requestId, eventType, toEmail, tries: null } as const;
    updateData(world, addJob(world.state.data, { ...work, event: plannedEvent(event) }, dueAt));
  }
}
