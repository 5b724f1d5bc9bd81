/** The rows of every table as both backends return them, with the columns of the migrations. */
import type { BlocklistStatus, DeliveryStatus, SyncStatus, WebhookDeliveryStatus } from '@svc/contract/vocabulary';
import type * as World from '@svc/domain/world';
import type { Generated, GeneratedAlways } from 'kysely';
import type { ColumnsOf } from './columns.ts';

type Json = unknown;

export interface AccountRow {
  id: Generated<number>;
  email: string;
  can_use_webhooks: boolean;
  created_at: Date;
}

export interface ConnectionRow {
  id: Generated<number>;
  account_id: number;
  crm: string;
  organization_id: string;
  organization_domain: string;
  can_use_api: boolean;
  capability_sync: boolean;
  capability_destinations: boolean;
  capability_blocklists: boolean;
  /** Encrypted; null when the CRM is disconnected. */
  crm_token: string | null;
  recorded_error: string | null;
  /** No call of the connection can succeed before; null: no cooldown. */
  crm_parked_until: Generated<Date | null>;
  created_at: Date;
}

export interface ApiKeyRow {
  id: Generated<number>;
  account_id: number;
  token_hash: Buffer;
  name: string;
  scopes: string[];
  connection_scope: 'account' | 'connection';
  connection_id: number | null;
  created_at: Date;
  revoked_at: Date | null;
  rotated_at: Date | null;
  /** Null: valid until it is revoked or rotated. */
  expires_at: Date | null;
  /** Null: never used. */
  last_used_at: Generated<Date | null>;
}

type WorldSource = World.SourceRow;
type SourceFields = Omit<WorldSource, 'id' | 'config'> & WorldSource['config'];

/** All fields of a source in a world, with those of its `config`. */
export interface SourceRow extends ColumnsOf<SourceFields> {
  id: Generated<number>;
}

export interface DestinationRow {
  id: Generated<number>;
  connection_id: number;
  url: string;
  description: string;
  created_at: Date;
}

export interface DestinationBindingRow {
  destination_id: number;
  source_id: number;
  event_types: string[];
  is_delayed: boolean;
}

export interface ReplyRelayRow {
  id: Generated<number>;
  connection_id: number;
  description: string;
  cc_email: string;
  delay_minutes: number;
  body_templates: string[];
  category_allowlist: Json;
  created_at: Date;
}

export interface ReplyRelayBindingRow {
  source_id: number;
  reply_relay_id: number;
}

export interface BlocklistRow {
  id: Generated<number>;
  connection_id: number;
  list_name: string;
  crm: string | null;
  crm_list_id: string | null;
  platform: string;
  block_type: string;
  status: BlocklistStatus;
  is_enabled: boolean;
  run: Generated<number>;
  client_id: string | null;
  /** Encrypted; null when the list has none. */
  sequencer_token: string | null;
  entries_generation: Generated<number>;
  synced_count: number;
  pending_count: number;
  last_fetched_at: Date | null;
  last_error: string | null;
  last_attempted_at: Date | null;
  created_at: Date;
}

export interface BlocklistEntryRow {
  blocklist_id: number;
  generation: number;
  value: string;
  pushed_at: Date | null;
  /** When the sequencer refused it; null if it did not. */
  refused_at: Generated<Date | null>;
}

export interface RequestRow {
  id: Generated<number>;
  account_id: number;
  connection_id: number | null;
  source_id: number | null;
  path: string;
  headers: Json;
  body: Buffer | null;
  body_sha256: string | null;
  outcome: 'synced' | 'duplicate' | 'unparsed' | 'ignored' | null;
  outcome_reason: string | null;
  created_at: Date;
}

export interface InboundEventRow {
  id: Generated<number>;
  request_id: number;
  source_id: number;
  connection_id: number;
  event_key: string;
  event_type: string;
  to_email: string;
  platform: string;
  normalized: Json;
  created_at: Date;
}

export interface SyncRow {
  id: Generated<number>;
  account_id: number;
  connection_id: number;
  source_id: number | null;
  payload_id: number | null;
  inbound_event_id: number | null;
  retry_of_sync_id: number | null;
  status: SyncStatus;
  event_type: string;
  to_email: string;
  platform: string;
  error: Json;
  created_at: Date;
}

export interface DeliveryRow {
  id: Generated<number>;
  account_id: number;
  connection_id: number;
  destination_id: number;
  destination_url: string;
  status: DeliveryStatus;
  http_status: number | null;
  is_http_status_inferred: boolean;
  source_id: number | null;
  event_type: string | null;
  to_email: string | null;
  payload_id: number | null;
  error: string | null;
  created_at: Date;
}

export interface CategorySignalRow {
  id: Generated<number>;
  account_id: number;
  connection_id: number;
  identity: string;
  category_name: string;
  at: Date;
}

export interface SyncHealthRow {
  source_id: number;
  connection_id: number;
  consecutive_failures: number;
  failing_since: Date | null;
}

export interface WebhookRow {
  id: string;
  account_id: number;
  url: string;
  description: string;
  enabled_events: string[];
  is_active: boolean;
  auto_disabled_at: Date | null;
  consecutive_dead_count: number;
  /** Encrypted. */
  secret: string;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
}

export interface EventRow {
  id: string;
  account_id: number;
  connection_id: number | null;
  source_id: number | null;
  type: string;
  summary: string;
  data: Json;
  created_at: Date;
  is_delivered: Generated<boolean>;
  owner_id: GeneratedAlways<number>;
}

export interface WebhookDeliveryRow {
  id: string;
  event_id: string;
  webhook_id: string;
  status: WebhookDeliveryStatus;
  attempt_count: number;
  last_attempt_at: Date | null;
  last_http_status: number | null;
  last_error: string | null;
  next_attempt_at: Date | null;
  replay_of_delivery_id: string | null;
  created_at: Date;
  updated_at: Date;
}

export interface JobRow {
  id: Generated<number>;
  kind: string;
  ref: string;
  fairness_key: string;
  due_at: Date;
  is_leased: Generated<boolean>;
  fence: Generated<number>;
  attempts: Generated<number>;
  state: Generated<Json>;
  last_error: string | null;
  created_at: Date;
}

export interface AuditLogRow {
  id: Generated<number>;
  at: Date;
  /** The user who ran the command, or `socket`. */
  actor: string;
  operation: string;
  /** Without secrets; null when the input was invalid. */
  input: Json;
  /** `done`, or the code of the refusal; null while the call runs, and when it was interrupted. */
  outcome: string | null;
}

export interface Tables {
  accounts: AccountRow;
  connections: ConnectionRow;
  api_keys: ApiKeyRow;
  sources: SourceRow;
  destinations: DestinationRow;
  destination_bindings: DestinationBindingRow;
  reply_relays: ReplyRelayRow;
  reply_relay_bindings: ReplyRelayBindingRow;
  blocklists: BlocklistRow;
  blocklist_entries: BlocklistEntryRow;
  requests: RequestRow;
  inbound_events: InboundEventRow;
  syncs: SyncRow;
  deliveries: DeliveryRow;
  category_signals: CategorySignalRow;
  sync_health: SyncHealthRow;
  webhooks: WebhookRow;
  events: EventRow;
  webhook_deliveries: WebhookDeliveryRow;
  jobs: JobRow;
  audit_log: AuditLogRow;
  service_meta: { key: string; value: string };
}
