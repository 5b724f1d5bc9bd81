/** A world's rows as the tables store them: columns by name, secrets encrypted, keys hashed. */
import { createHash } from 'node:crypto';
import type { MaterializedWorld } from '@svc/domain/world';
import { hashApiKey, type SecretBox } from '../secrets/secret-box.ts';
import type { Tables } from '../store/database/tables.ts';
import { blocklistMembers } from '@svc/domain/world/blocklist-members';

/** In an order in which every referenced row comes first. */
export const WORLD_TABLES = [
  'accounts',
  'connections',
  'api_keys',
  'sources',
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
] as const satisfies readonly (keyof Tables)[];
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
    accounts: world.accounts.map((row) => ({
      id: row.id,
      email: row.email,
      can_use_webhooks: row.canUseWebhooks,
      created_at: row.createdAt,
    })),
    connections: world.connections.map((row) => ({
      id: row.id,
      account_id: row.accountId,
      crm: row.crm,
      organization_id: row.organizationId,
      organization_domain: row.organizationDomain,
      can_use_api: row.canUseApi,
      capability_sync: row.capabilities.sync,
      capability_destinations: row.capabilities.destinations,
      capability_blocklists: row.capabilities.blocklists,
      crm_token: row.crmToken === null ? null : secrets.encrypt(row.crmToken, { kind: 'CRM token', id: row.id }),
      recorded_error: row.recordedError,
      created_at: row.createdAt,
    })),
    api_keys: world.apiKeys.map((row) => ({
      id: row.id,
      account_id: row.accountId,
      token_hash: `\\x${hashApiKey(row.token).toString('hex')}`,
      name: row.name,
      scopes: row.scopes,
      connection_scope: row.connectionScope,
      connection_id: row.connectionId,
      created_at: row.createdAt,
      revoked_at: row.revokedAt,
      rotated_at: row.rotatedAt,
    })),
    sources: world.sources.map((row) => ({
      id: row.id,
      connection_id: row.connectionId,
      platform: row.platform,
      path: row.path,
      create_or_update_company: row.config.createOrUpdateCompany,
      create_or_update_task: row.config.createOrUpdateTask,
      assign_contact_owner: row.config.assignContactOwner,
      salesforce_object_type: row.config.salesforceObjectType,
      created_at: row.createdAt,
    })),
    destinations: world.destinations.map((row) => ({
      id: row.id,
      connection_id: row.connectionId,
      url: row.url,
      description: row.description,
      created_at: row.createdAt,
    })),
    destination_bindings: world.destinations.flatMap((row) =>
      row.bindings.map((binding) => ({
        destination_id: row.id,
        source_id: binding.sourceId,
        event_types: binding.eventTypes,
        is_delayed: binding.isDelayed,
      })),
    ),
    reply_relays: world.replyRelays.map((row) => ({
      id: row.id,
      connection_id: row.connectionId,
      description: row.description,
      cc_email: row.ccEmail,
      delay_minutes: row.delayMinutes,
      body_templates: row.bodyTemplates,
      category_allowlist: row.categoryAllowlist,
      created_at: row.createdAt,
    })),
    reply_relay_bindings: world.replyRelays.flatMap((row) =>
      row.sourceIds.map((sourceId) => ({ source_id: sourceId, reply_relay_id: row.id })),
    ),
    blocklists: world.blocklists.map((row) => ({
      id: row.id,
      connection_id: row.connectionId,
      list_name: row.listName,
      crm: row.crm,
      crm_list_id: row.crmListId,
      platform: row.platform,
      block_type: row.blockType,
      status: row.status,
      is_enabled: row.isEnabled,
      client_id: row.clientId,
      sequencer_token: secrets.encrypt(WORLD_SEQUENCER_TOKEN, { kind: 'sequencer token', id: row.id }),
      synced_count: row.syncedCount,
      pending_count: row.pendingCount,
      last_fetched_at: row.lastFetchedAt,
      last_error: row.lastError,
      last_attempted_at: row.lastAttemptedAt,
      created_at: row.createdAt,
    })),
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
    requests: world.requests.map(({ body, ...row }) => ({
      id: row.id,
      account_id: row.accountId,
      connection_id: row.connectionId,
      source_id: row.sourceId,
      path: row.path,
      headers: {},
      ...storedBody(body),
      outcome: row.outcome,
      created_at: row.createdAt,
    })),
    syncs: world.syncs.map((row) => ({
      id: row.id,
      account_id: row.accountId,
      connection_id: row.connectionId,
      source_id: row.sourceId,
      payload_id: row.payloadId,
      status: row.status,
      event_type: row.eventType,
      to_email: row.toEmail,
      platform: row.platform,
      error: row.error,
      created_at: row.createdAt,
    })),
    deliveries: world.deliveries.map((row) => ({
      id: row.id,
      account_id: row.accountId,
      connection_id: row.connectionId,
      destination_id: row.destinationId,
      destination_url: row.destinationUrl,
      status: row.status,
      http_status: row.httpStatus,
      is_http_status_inferred: row.isHttpStatusInferred,
      source_id: row.sourceId,
      event_type: row.eventType,
      to_email: row.toEmail,
      payload_id: row.payloadId,
      error: row.error,
      created_at: row.createdAt,
    })),
    category_signals: world.categorySignals.map((row, index) => ({
      id: index + 1,
      account_id: row.accountId,
      connection_id: row.connectionId,
      identity: row.identity,
      category_name: row.categoryName,
      at: row.at,
    })),
    sync_health: world.syncHealth.map((row) => ({
      source_id: row.sourceId,
      connection_id: row.connectionId,
      consecutive_failures: row.consecutiveFailures,
      failing_since: row.failingSince,
    })),
    webhooks: world.webhooks.map((row) => ({
      id: row.id,
      account_id: row.accountId,
      url: row.url,
      description: row.description,
      enabled_events: row.enabledEvents,
      is_active: row.isActive,
      auto_disabled_at: row.autoDisabledAt,
      consecutive_dead_count: row.consecutiveDeadCount,
      secret: secrets.encrypt(row.secret, { kind: 'webhook signing secret', id: row.id }),
      created_at: row.createdAt,
      updated_at: row.updatedAt,
      deleted_at: row.deletedAt,
    })),
    events: world.events.map((row) => ({
      id: row.id,
      account_id: row.accountId,
      connection_id: row.connectionId,
      source_id: row.sourceId,
      type: row.type,
      summary: row.summary,
      data: row.data,
      is_delivered: deliveredEvents.has(row.id),
      created_at: row.createdAt,
    })),
    webhook_deliveries: world.webhookDeliveries.map((row) => ({
      id: row.id,
      event_id: row.eventId,
      webhook_id: row.webhookId,
      status: row.status,
      attempt_count: row.attemptCount,
      last_attempt_at: row.lastAttemptAt,
      last_http_status: row.lastHttpStatus,
      last_error: row.lastError,
      next_attempt_at: row.nextAttemptAt,
      replay_of_delivery_id: row.replayOfDeliveryId,
      created_at: row.createdAt,
      updated_at: row.updatedAt,
    })),
  };
}
