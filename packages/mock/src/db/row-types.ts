/**
 * The rows of a world as a test reads and writes them, by kind. They are the rows that the handlers work on; `row-types.test.ts`
 * compares the two in both directions. Spelled out, so that the published types need no schema library.
 */
import type {
  ApiKeyScope,
  BlocklistStatus,
  BlockType,
  ConnectionScope,
  DeliveryStatus,
  SubscribableEventType,
  SyncStatus,
  WebhookDeliveryStatus,
} from '@svc/contract/vocabulary';

export interface AccountRow {
  id: number;
  email: string;
  canUseWebhooks: boolean;
  createdAt: Date;
}

export interface ApiKeyRow {
  id: number;
  accountId: number;
  /** The whole key, `osapi_` included. */
  token: string;
  name: string;
  /** Always holds `read`. */
  scopes: ApiKeyScope[];
  connectionScope: ConnectionScope;
  /** Set exactly when `connectionScope` is `connection`. */
  connectionId: number | null;
  createdAt: Date;
  revokedAt: Date | null;
  /** When another token took its place. */
  rotatedAt: Date | null;
}

export interface ConnectionRow {
  id: number;
  accountId: number;
  /** `HUBSPOT`, `SALESFORCE`, ... */
  crm: string;
  organizationId: string;
  organizationDomain: string;
  /** False: it does not exist for the API. */
  canUseApi: boolean;
  capabilities: { sync: boolean; destinations: boolean; blocklists: boolean };
  /** Null: disconnected. */
  crmToken: string | null;
  /** What makes its component `error`. */
  recordedError: string | null;
  createdAt: Date;
}

export interface SourceRow {
  id: number;
  connectionId: number;
  /** `smartlead`, `instantly`, ... */
  platform: string;
  /** Ingress code, or `hubId/ownerId`: what its URL ends with. */
  path: string;
  config: {
    createOrUpdateCompany: boolean;
    createOrUpdateTask: boolean;
    assignContactOwner: boolean;
    salesforceObjectType: string | null;
  };
  createdAt: Date;
}

export interface DestinationRow {
  id: number;
  connectionId: number;
  url: string;
  description: string;
  createdAt: Date;
  bindings: { sourceId: number; eventTypes: string[]; isDelayed: boolean }[];
}

export interface ReplyRelayRow {
  id: number;
  connectionId: number;
  description: string;
  ccEmail: string;
  delayMinutes: number;
  bodyTemplates: string[];
  /** Empty: every reply. */
  categoryAllowlist: { id: string; name: string }[];
  /** A source has one relay at most. */
  sourceIds: number[];
  createdAt: Date;
}

export interface BlocklistRow {
  id: number;
  connectionId: number;
  listName: string;
  /** The list at the CRM; null: there is no CRM source to resync from. */
  crmListId: string | null;
  crm: string | null;
  platform: string;
  blockType: BlockType;
  status: BlocklistStatus;
  isEnabled: boolean;
  clientId: string | null;
  /** Entries that the sequencer has. */
  syncedCount: number;
  /** Entries still to be pushed. */
  pendingCount: number;
  lastFetchedAt: Date | null;
  lastError: string | null;
  lastAttemptedAt: Date | null;
  createdAt: Date;
  /** One more after each resync. */
  run: number;
}

export interface WebhookRow {
  id: string;
  accountId: number;
  url: string;
  description: string;
  /** Empty: all. */
  enabledEvents: SubscribableEventType[];
  isActive: boolean;
  autoDisabledAt: Date | null;
  consecutiveDeadCount: number;
  secret: string;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
}

export interface RequestRow {
  id: number;
  accountId: number;
  /** Null together with `sourceId`: the source is gone. */
  connectionId: number | null;
  sourceId: number | null;
  path: string;
  outcome: 'synced' | 'duplicate' | 'unparsed' | 'ignored';
  /** The JSON that was posted; null: not kept any more. */
  body: Record<string, unknown> | null;
  createdAt: Date;
  /** What was posted to the mock, to the letter. */
  readonly received?: { readonly text: string; readonly contentType: string | null };
}

export interface SyncRow {
  id: number;
  accountId: number;
  connectionId: number;
  sourceId: number | null;
  /** The request it came from. Null, like a null `sourceId`: it cannot be retried. */
  payloadId: number | null;
  status: SyncStatus;
  eventType: string;
  /** An email address, or a profile URL. */
  toEmail: string;
  platform: string;
  error: Record<string, unknown> | null;
  /** A retry writes the event as this row names it. Absent, as in world files: it is read from the received payload again. */
  isEventKnown?: boolean;
  createdAt: Date;
}

export interface DeliveryRow {
  id: number;
  accountId: number;
  connectionId: number;
  destinationId: number;
  destinationUrl: string;
  status: DeliveryStatus;
  /** Null: no answer. */
  httpStatus: number | null;
  /** Whether `httpStatus` was derived from the outcome. */
  isHttpStatusInferred: boolean;
  sourceId: number | null;
  eventType: string | null;
  toEmail: string | null;
  /** The request that was forwarded. Null: it cannot be replayed. */
  payloadId: number | null;
  error: string | null;
  createdAt: Date;
}

export interface EventRow {
  id: string;
  accountId: number;
  type: string;
  summary: string;
  data: Record<string, unknown>;
  /** Null: an event of the account itself. */
  connectionId: number | null;
  sourceId: number | null;
  createdAt: Date;
}

export interface WebhookDeliveryRow {
  id: string;
  eventId: string;
  webhookId: string;
  status: WebhookDeliveryStatus;
  attemptCount: number;
  lastAttemptAt: Date | null;
  lastHttpStatus: number | null;
  lastError: string | null;
  /** Set exactly while PENDING: when the next attempt is made. */
  nextAttemptAt: Date | null;
  replayOfDeliveryId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Every kind of row, by its name in `mock.db`. */
export interface DbRows {
  accounts: AccountRow;
  apiKeys: ApiKeyRow;
  connections: ConnectionRow;
  sources: SourceRow;
  destinations: DestinationRow;
  replyRelays: ReplyRelayRow;
  blocklists: BlocklistRow;
  webhooks: WebhookRow;
  requests: RequestRow;
  syncs: SyncRow;
  deliveries: DeliveryRow;
  events: EventRow;
  webhookDeliveries: WebhookDeliveryRow;
}

export type DbKind = keyof DbRows;
