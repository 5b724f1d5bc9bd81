/** A world's rows as the tables store them, with secrets encrypted and keys hashed. */
import { createHash } from 'node:crypto';
import type { MaterializedWorld } from '@svc/domain/world';
import { hashApiKey, type SecretBox } from '../secrets/secret-box.ts';
import { toColumns } from '../store/database/rows.ts';
import { blocklistMembers } from '@svc/domain/world/blocklist-members';

/** In an order in which every referenced row comes first. */
export const WORLD_TABLES = [
  'accounts',
  'connections',
  'api_keys',
  'sources',
  'source_mappings',
  'write_policies',
  'destinations',
  'destination_bindings',
  'reply_relays',
  'reply_relay_bindings',
  'blocklists',
  'blocklist_entries',
  'requests',
  'syncs',
  'deliveries',
  'category_signals',
  'sync_health',
  'webhooks',
  'events',
  'webhook_deliveries',
] as const;
export type WorldTable = (typeof WORLD_TABLES)[number];

/** The sequencer token of every block list of a world, which are pushed to a simulator. */
const WORLD_SEQUENCER_TOKEN = 'demo-sequencer-token';

export type Row = Record<string, unknown>;

/** Returns a body as receipts store it. The hash identifies events without an id of their own. */
function storedBody(body: Row | null): Row {
  if (body === null) return { body: null, body_sha256: null };
  const bytes = Buffer.from(JSON.stringify(body));
  return { body: `\\x${bytes.toString('hex')}`, body_sha256: createHash('sha256').update(bytes).digest('hex') };
}

export function rowsOfWorld(world: MaterializedWorld, secrets: SecretBox): Record<WorldTable, Row[]> {
  const succeeded = world.webhookDeliveries.filter((delivery) => delivery.status === 'SUCCEEDED');
  const deliveredEvents = new Set(succeeded.map((delivery) => delivery.eventId));
  return {
    accounts: world.accounts.map(toColumns),
    connections: world.connections.map(({ capabilities, crmToken, policy: _policy, ...row }) =>
      toColumns({
        ...row,
        capabilitySync: capabilities.sync,
        capabilityDestinations: capabilities.destinations,
        capabilityBlocklists: capabilities.blocklists,
        crmToken: crmToken === null ? null : secrets.encrypt(crmToken, { kind: 'CRM token', id: row.id }),
      }),
    ),
    api_keys: world.apiKeys.map(({ token, ...row }) =>
      toColumns({ ...row, tokenHash: `\\x${hashApiKey(token).toString('hex')}` }),
    ),
    sources: world.sources.map(({ config, mapping: _mapping, policy: _policy, secrets: own, ...row }) => {
      const text = JSON.stringify(own.map((secret) => ({ ...secret, validUntil: null })));
      const sealed = own.length === 0 ? null : secrets.encrypt(text, { kind: 'source secret', id: row.id });
      return toColumns({ ...row, ...config, requiresSecret: sealed !== null, secrets: sealed });
    }),
    source_mappings: world.sources.flatMap(({ id: sourceId, mapping, createdAt }) =>
      mapping === null ? [] : [toColumns({ sourceId, version: 1, mapping, createdAt })],
    ),
    write_policies: [
      ...world.connections.map(({ id, ...row }) => ({ connectionId: id, sourceId: null, ...row })),
      ...world.sources.map(({ id, ...row }) => ({ sourceId: id, ...row })),
    ].flatMap(({ connectionId, sourceId, policy, createdAt }) =>
      policy === null ? [] : [toColumns({ connectionId, sourceId, version: 1, policy, createdAt })],
    ),
    destinations: world.destinations.map(({ bindings: _bindings, ...row }) => toColumns(row)),
    destination_bindings: world.destinations.flatMap(({ id: destinationId, bindings }) =>
      bindings.map((binding) => toColumns({ destinationId, ...binding })),
    ),
    reply_relays: world.replyRelays.map(({ sourceIds: _sourceIds, ...row }) => toColumns(row)),
    reply_relay_bindings: world.replyRelays.flatMap(({ id: replyRelayId, sourceIds }) =>
      sourceIds.map((sourceId) => toColumns({ sourceId, replyRelayId })),
    ),
    blocklists: world.blocklists.map(({ hasActiveFetchJob: _hasActiveFetchJob, ...row }) => {
      const sequencerToken = secrets.encrypt(WORLD_SEQUENCER_TOKEN, { kind: 'sequencer token', id: row.id });
      return toColumns({ ...row, sequencerToken });
    }),
    blocklist_entries: world.blocklists.flatMap((row) =>
      blocklistMembers(row)
        .slice(0, row.syncedCount + row.pendingCount)
        .map((value, index) => ({
          blocklist_id: row.id,
          generation: 0,
          value,
          pushed_at: index < row.syncedCount ? (row.lastAttemptedAt ?? row.createdAt) : null,
        })),
    ),
    requests: world.requests.map(({ body, ...row }) => ({ ...toColumns(row), headers: {}, ...storedBody(body) })),
    syncs: world.syncs.map(toColumns),
    deliveries: world.deliveries.map(toColumns),
    category_signals: world.categorySignals.map((row, index) => toColumns({ id: index + 1, ...row })),
    sync_health: world.syncHealth.map(toColumns),
    webhooks: world.webhooks.map((row) =>
      toColumns({ ...row, secret: secrets.encrypt(row.secret, { kind: 'webhook signing secret', id: row.id }) }),
    ),
    events: world.events.map((row) => toColumns({ ...row, isDelivered: deliveredEvents.has(row.id) })),
    webhook_deliveries: world.webhookDeliveries.map(toColumns),
  };
}
