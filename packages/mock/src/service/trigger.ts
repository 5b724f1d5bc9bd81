/** Emits events on request of a test. */
import { testPingEvent } from '@svc/domain/webhooks/event-types';
import { syncFailedEvent, type SyncHealthSubject, syncRecoveredEvent } from '@svc/domain/syncs/sync-health';
import type { EventRow } from '@svc/domain/world';
import type { World } from '../state/world.ts';
import { emitEvent, insertEvent, queueDelivery } from './events.ts';

export interface TriggerOptions {
  /** Added to the default data. */
  readonly data?: Readonly<Record<string, unknown>>;
  /**
   * The event's connection. Default, when neither id is given: the ids in `data`, else the first API-enabled connection with a
   * source.
   */
  readonly connectionId?: number;
  readonly sourceId?: number;
  readonly summary?: string;
}

/**
 * Emits an event of any type to its subscribed webhooks; `test.ping` goes to every webhook of the account.
 *
 * @throws RangeError when the world has no such source or connection
 */
export function trigger(
  world: World,
  type: string,
  options: TriggerOptions & { readonly now: Date; readonly dashboardUrl: string },
): EventRow {
  const { now } = options;
  const place = findPlace(world, subjectOf(options));
  const subject = {
    connectionId: place.connection.id,
    crm: place.connection.crm,
    sourceId: place.source.id,
    sourcePlatform: place.source.platform,
  };
  if (type === 'test.ping') return pingAll(world, place.connection.accountId, options);
  const described = describe(type, subject, options);
  return emitEvent(world, {
    type,
    summary: options.summary ?? described.summary,
    data: { ...described.data, ...options.data } as EventRow['data'],
    accountId: place.connection.accountId,
    connectionId: place.connection.id,
    sourceId: place.source.id,
    createdAt: now,
  });
}

/** Emits a test event to each webhook. @returns the first event */
function pingAll(
  world: World,
  accountId: number,
  { now, summary, data }: TriggerOptions & { readonly now: Date },
): EventRow {
  const webhooks = world.state.data.webhooks.filter((row) => row.accountId === accountId && row.deletedAt === null);
  const ping = (webhookId: string): EventRow => {
    const event = testPingEvent(webhookId);
    return insertEvent(world, {
      type: event.type,
      summary: summary ?? event.summary,
      data: { ...event.data, ...data } as EventRow['data'],
      accountId,
      connectionId: null,
      sourceId: null,
      createdAt: now,
    });
  };
  const events = webhooks.map(({ id: webhookId }) => {
    const event = ping(webhookId);
    queueDelivery(world, { eventId: event.id, webhookId, at: now });
    return event;
  });
  return events[0] ?? ping('oswhk_none');
}

function describe(
  type: string,
  subject: SyncHealthSubject,
  { now, dashboardUrl }: { readonly now: Date; readonly dashboardUrl: string },
): { readonly summary: string; readonly data: object } {
  switch (type) {
    case 'sync.failed':
      return syncFailedEvent(subject, { error: { message: 'Triggered by hand' }, dashboardUrl });
    case 'sync.recovered':
      return syncRecoveredEvent(subject, new Date(now.getTime() - 3_600_000));
    default:
      return { summary: `${type}, triggered by hand`, data: subject };
  }
}

interface Subject {
  readonly connectionId?: unknown;
  readonly sourceId?: unknown;
}

/** Returns the given ids, or the ids in the event's data when none is given. */
function subjectOf({ connectionId, sourceId, data = {} }: TriggerOptions): Subject {
  return connectionId === undefined && sourceId === undefined ? data : { connectionId, sourceId };
}

function findPlace(world: World, { connectionId, sourceId }: Subject) {
  const { connections, sources } = world.state.data;
  for (const source of sources) {
    const connection = connections.find(({ id }) => id === source.connectionId);
    if (connection === undefined) continue;
    const isWanted =
      (sourceId === undefined || source.id === sourceId) &&
      (connectionId === undefined ? sourceId !== undefined || connection.canUseApi : connection.id === connectionId);
    if (isWanted) return { source, connection };
  }
  throw new RangeError('The world has no such source and connection.');
}
