import { resolveEmbeddedInstants } from './embedded-instants.ts';
import type { Instant } from './fields.ts';
import { resolveInstant } from './instant.ts';
import type { MaterializedWorld, World } from './schema.ts';

/**
 * Returns the world as loaded at `now`: every instant of a row becomes a `Date`, and every `{ "$instant": ... }` inside a body
 * or an event's data an ISO-8601 string. Nested values without instants (bindings, errors) are shared with `world`.
 * @param world a parsed world (`parseWorld`)
 */
export function materializeWorld(world: World, now: Date): MaterializedWorld {
  const at = (instant: Instant): Date => resolveInstant(instant, now);
  const atOrNull = (instant: Instant | null): Date | null => (instant === null ? null : at(instant));
  const created = <Row extends { createdAt: Instant }>(row: Row) => ({ ...row, createdAt: at(row.createdAt) });

  return {
    version: world.version,
    name: world.name,
    accounts: world.accounts.map(created),
    apiKeys: world.apiKeys.map((row) => ({
      ...created(row),
      revokedAt: atOrNull(row.revokedAt),
      rotatedAt: atOrNull(row.rotatedAt),
    })),
    connections: world.connections.map(created),
    sources: world.sources.map(created),
    destinations: world.destinations.map(created),
    replyRelays: world.replyRelays.map(created),
    blocklists: world.blocklists.map((row) => ({
      ...created(row),
      lastFetchedAt: atOrNull(row.lastFetchedAt),
      lastAttemptedAt: atOrNull(row.lastAttemptedAt),
    })),
    requests: world.requests.map((row) => ({
      ...created(row),
      body: row.body === null ? null : resolveEmbeddedInstants(row.body, now),
    })),
    syncs: world.syncs.map(created),
    deliveries: world.deliveries.map(created),
    categorySignals: world.categorySignals.map((row) => ({ ...row, at: at(row.at) })),
    syncHealth: world.syncHealth.map((row) => ({ ...row, failingSince: atOrNull(row.failingSince) })),
    webhooks: world.webhooks.map((row) => ({
      ...created(row),
      autoDisabledAt: atOrNull(row.autoDisabledAt),
      updatedAt: at(row.updatedAt),
      deletedAt: atOrNull(row.deletedAt),
    })),
    events: world.events.map((row) => ({ ...created(row), data: resolveEmbeddedInstants(row.data, now) })),
    webhookDeliveries: world.webhookDeliveries.map((row) => ({
      ...created(row),
      lastAttemptAt: atOrNull(row.lastAttemptAt),
      nextAttemptAt: atOrNull(row.nextAttemptAt),
      updatedAt: at(row.updatedAt),
    })),
  };
}
