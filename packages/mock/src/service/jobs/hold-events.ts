/** Events that the write policy of their source holds until their lead answers or gets a category. */
import { dropsAt, holdEvents } from '@svc/domain/policy/hold';
import { mergePolicies } from '@svc/domain/policy/plan-write';
import type { ConnectionRow, SourceRow } from '@svc/domain/world';
import type { HeldEventRow, ReceivedEvent } from '../../state/world-data.ts';
import { updateData } from '../../state/world.ts';
import type { WorldRun } from './job-run.ts';

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
