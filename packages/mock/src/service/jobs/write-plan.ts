/** What the write policies of a world let its events write. The mock shows syncs, so it knows of a plan whether there is one and whether it creates. */
import { NO_MATCHING_CONTACT } from '@svc/domain/policy/missing-contact';
import {
  type EventCategory,
  mergePolicies,
  type PlannedEvent,
  planWrite,
  type WritePlan,
} from '@svc/domain/policy/plan-write';
import type { ConnectionRow, SourceRow } from '@svc/domain/world';
import { allRows } from '../../state/log.ts';
import type { World } from '../../state/world.ts';

interface Write {
  readonly source: SourceRow;
  readonly connection: ConnectionRow;
  readonly toEmail: string;
  readonly event: PlannedEvent;
}

/** Returns what a plan depends on, without the content of the event. */
export function plannedEvent({ eventType, fromEmail, campaign, category, sequenceNumber }: PlannedEvent): PlannedEvent {
  return { eventType, fromEmail, campaign, category, sequenceNumber };
}

export function planOf(world: World, write: Write): WritePlan {
  const { source, connection, event } = write;
  const policy = mergePolicies(source.policy, connection.policy);
  const latest = typeof policy.create === 'object' ? latestCategory(world, write) : null;
  return planWrite({ ...source.config, writeStateFields: false }, policy, event, latest);
}

/** Returns the category that the lead has now. */
function latestCategory({ state }: World, { source, connection, toEmail }: Write): EventCategory | null {
  const [latest] = state.data.categorySignals
    .filter(
      ({ connectionId, identity, platform }) =>
        connectionId === connection.id &&
        identity === toEmail.toLowerCase() &&
        (platform == null || platform === source.platform),
    )
    .toReversed()
    .toSorted((a, b) => b.at.getTime() - a.at.getTime());
  return latest === undefined ? null : { id: latest.categoryId ?? null, name: latest.categoryName };
}

/** Whether the simulated CRM has the contact: an earlier sync of the connection has written to it. */
export function isKnownContact({ state }: World, { connection, toEmail }: Write): boolean {
  const recipient = toEmail.toLowerCase();
  return allRows(state.data.syncs).some(
    (sync) =>
      sync.connectionId === connection.id &&
      sync.toEmail.toLowerCase() === recipient &&
      (sync.status === 'success' || (sync.status === 'warning' && sync.error?.['code'] !== NO_MATCHING_CONTACT.code)),
  );
}
