import type { WorldInput } from '@svc/domain/world';
import type { Draw } from './draw.ts';
import { HOOKS, INSTANTS, ODD_TEXTS, PAST_INSTANTS } from './random-values.ts';

export type Row<Entity extends keyof WorldInput> = WorldInput[Entity] extends (infer Each)[] ? Each : never;

const DELIVERY_STATES = ['PENDING', 'SUCCEEDED', 'FAILED', 'DEAD'] as const;

/** Index of the account with API access but without sources. */
export const NO_SOURCES = 4;

/** Draws webhooks, events and webhook deliveries. */
export function randomPlatformRows({
  draw,
  accounts,
  connections,
  sources,
}: {
  readonly draw: Draw;
  readonly accounts: readonly Row<'accounts'>[];
  readonly connections: readonly Row<'connections'>[];
  readonly sources: readonly Row<'sources'>[];
}): Pick<WorldInput, 'webhooks' | 'events' | 'webhookDeliveries'> {
  const { maybe, number, pick } = draw;
  /** Ids whose byte order differs from their order of creation. */
  const newText = (prefix: string, index: number) => `${prefix}${pick(['A', 'a', '_', '-', 'Z', 'z', '0'])}${index}`;
  const webhooks = accounts.flatMap(({ id }, account) =>
    Array.from({ length: account === 0 ? 8 : 1 + number(4) }, (_, index): Row<'webhooks'> => {
      const isDisabled = maybe(20);
      // Only without sources: otherwise an event and the delivery that disables the webhook would race.
      const isNearLimit = account === NO_SOURCES;
      return {
        id: newText('oswhk_', account * 100 + index),
        accountId: id,
        url: pick(HOOKS),
        description: maybe(40) ? '' : pick(ODD_TEXTS),
        enabledEvents: pick([[], [], ['sync.failed'], ['sync.recovered'], ['sync.recovered', 'sync.failed']]),
        isActive: !isDisabled && maybe(85),
        autoDisabledAt: isDisabled ? pick(PAST_INSTANTS) : null,
        consecutiveDeadCount: isDisabled ? 20 : pick(isNearLimit ? [18, 19] : [0, 0, 3]),
        secret: `oswhsec_${account}x${index}`,
        createdAt: pick(INSTANTS),
        updatedAt: pick(INSTANTS),
        deletedAt: maybe(12) ? pick(PAST_INSTANTS) : null,
      };
    }),
  );
  const events = Array.from({ length: 50 }, (_, index): Row<'events'> => {
    const connection = maybe(60) ? pick(connections) : null;
    const source = sources.find(({ connectionId }) => connectionId === connection?.id && maybe(70)) ?? null;
    return {
      id: newText('osevt_', index),
      accountId: connection?.accountId ?? pick(accounts).id,
      type: pick(['sync.failed', 'sync.recovered', 'test.ping', 'something.new']),
      summary: pick(ODD_TEXTS),
      data: pick([{}, { b: 1, a: { $instant: '-2h' }, 10: 'x', 9: 'y' }, { text: '\u2028', list: [1, { z: null }] }]),
      connectionId: connection?.id ?? null,
      sourceId: source?.id ?? null,
      createdAt: pick(INSTANTS),
    };
  });
  const busy = new Set<string>();
  const webhookDeliveries: Row<'webhookDeliveries'>[] = [];
  for (let index = 0; index < 70; index += 1) {
    const webhook = pick(webhooks);
    const own = events.filter(({ accountId }) => accountId === webhook.accountId);
    if (own.length === 0) continue;
    const event = pick(own);
    // At most one pending delivery per webhook, because the order of several is not specified.
    const state = pick(DELIVERY_STATES);
    const status = state === 'PENDING' && busy.has(webhook.id) ? 'FAILED' : state;
    if (status === 'PENDING') busy.add(webhook.id);
    const attemptCount = status === 'SUCCEEDED' || status === 'DEAD' ? 1 + number(8) : number(8);
    const replayed = webhookDeliveries.find(
      (other) => other.eventId === event.id && other.webhookId === webhook.id && maybe(50),
    );
    webhookDeliveries.push({
      id: newText('oswhd_', index),
      eventId: event.id,
      webhookId: webhook.id,
      status,
      attemptCount,
      lastAttemptAt: attemptCount === 0 ? null : pick(PAST_INSTANTS),
      lastHttpStatus: attemptCount === 0 || maybe(30) ? null : pick([200, 302, 404, 500]),
      lastError: maybe(50) ? null : pick(ODD_TEXTS),
      nextAttemptAt: status === 'PENDING' ? pick(['-1h', '0s', '+10m', '+3h']) : null,
      replayOfDeliveryId: replayed?.id ?? null,
      createdAt: pick(INSTANTS),
      updatedAt: pick(INSTANTS),
    });
  }
  return { webhooks, events, webhookDeliveries };
}
