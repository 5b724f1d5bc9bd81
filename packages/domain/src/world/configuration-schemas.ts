/** Schemas of configured rows: accounts, keys, connections, sources, destinations, relays, block lists, webhooks. */
import { LIMITS } from '@svc/contract/limits';
import { sourceConfigSchema, sourceSchema } from '@svc/contract/schemas';
import {
  API_KEY_SCOPES,
  BLOCK_TYPES,
  BLOCKLIST_STATUSES,
  CONNECTION_SCOPES,
  PREFIXES,
  SUBSCRIBABLE_EVENT_TYPES,
} from '@svc/contract/vocabulary';
import * as z from 'zod';
import { eventMappingSchema } from '../mappings/event-mapping.ts';
import { writePolicySchema } from '../policy/write-policy.ts';
import { SECRET_CHECKS } from '../syncs/source-secret.ts';
import { SALESFORCE_OBJECT_TYPES } from '../values/salesforce-object-types.ts';
import {
  apiKeyToken,
  count,
  crm,
  id,
  instantSchema,
  nullByDefault,
  platform,
  prefixedId,
  sequencerEventType,
  text,
  webhookId,
} from './fields.ts';

export const worldAccountSchema = z.strictObject({
  id,
  email: z.email(),
  canUseWebhooks: z.boolean(),
  createdAt: instantSchema,
});

export const worldApiKeySchema = z.strictObject({
  id,
  accountId: id,
  /** The whole key in clear text, prefix included. */
  token: apiKeyToken(PREFIXES.apiKey),
  name: text,
  scopes: z
    .array(z.enum(API_KEY_SCOPES))
    .refine((scopes) => scopes.includes('read'), 'a key always holds read')
    .refine((scopes) => new Set(scopes).size === scopes.length, 'names a scope twice'),
  connectionScope: z.enum(CONNECTION_SCOPES),
  /** Set exactly when `connectionScope` is `connection`. */
  connectionId: id.nullable(),
  createdAt: instantSchema,
  revokedAt: instantSchema.nullable(),
  /** When this token was replaced by another and became invalid. */
  rotatedAt: instantSchema.nullable(),
});

export const worldConnectionSchema = z.strictObject({
  id,
  accountId: id,
  /** `HUBSPOT`, `SALESFORCE`, ... */
  crm,
  organizationId: text,
  organizationDomain: text,
  /** When false, the connection does not exist for the API. */
  canUseApi: z.boolean(),
  capabilities: z.strictObject({ sync: z.boolean(), destinations: z.boolean(), blocklists: z.boolean() }),
  /** In clear text; null means disconnected. */
  crmToken: text.nullable(),
  /** An error that makes the status `error`. */
  recordedError: text.nullable(),
  /** What of the events of its sources reaches the CRM, where their own policies do not say it. */
  policy: writePolicySchema.nullable().default(null),
  createdAt: instantSchema,
});

/** The fields of the contract that are stored with a source; the others come from its connection and bindings. */
const storedSourceSchema = sourceSchema.omit({
  url: true,
  crm: true,
  config: true,
  destinations: true,
  replyRelay: true,
});

const salesforceObjectType = text.refine(
  (value) => (SALESFORCE_OBJECT_TYPES as readonly string[]).includes(value),
  `must be ${SALESFORCE_OBJECT_TYPES.join(' or ')}`,
);

/** One way for a post to prove where it comes from (`syncs/source-secret.ts`). */
const sourceSecretSchema = z.strictObject({
  check: z.enum(SECRET_CHECKS),
  name: z.string().regex(/^[\w-]{1,100}$/, 'must be a header in lower case or a field of the body'),
  secret: text,
  toleranceSeconds: z.int().min(1).optional(),
});

export const worldSourceSchema = z.strictObject({
  ...nullByDefault(storedSourceSchema.shape),
  id,
  connectionId: id,
  /** `smartlead`, `instantly`, ... */
  platform,
  /** Reads what the platform's adapter does not, or everything when there is no adapter. */
  mapping: eventMappingSchema.nullable().default(null),
  /** What of its events reaches the CRM. */
  policy: writePolicySchema.nullable().default(null),
  /** Ingress code, or `hubId/ownerId` of a legacy source; unique over all accounts. */
  path: z.string().regex(/^[\w-]+(\/[\w-]+)?$/, 'must be an ingress code or hubId/ownerId'),
  config: z.strictObject({
    ...nullByDefault(sourceConfigSchema.shape),
    salesforceObjectType: salesforceObjectType.nullable(),
  }),
  /** Posts need one of them; empty accepts every post. */
  secrets: z.array(sourceSecretSchema).default([]),
  createdAt: instantSchema,
});

export const worldDestinationSchema = z.strictObject({
  id,
  connectionId: id,
  url: z.url(),
  description: z.string(),
  createdAt: instantSchema,
  bindings: z.array(z.strictObject({ sourceId: id, eventTypes: z.array(sequencerEventType), isDelayed: z.boolean() })),
});

export const worldReplyRelaySchema = z.strictObject({
  id,
  connectionId: id,
  description: z.string(),
  ccEmail: z.email(),
  delayMinutes: count,
  bodyTemplates: z.array(text),
  /** Empty means every reply. */
  categoryAllowlist: z.array(z.strictObject({ id: text, name: text })).max(LIMITS.relayCategoryAllowlistMax),
  /** A source has one relay at most. */
  sourceIds: z.array(id),
  createdAt: instantSchema,
});

export const worldBlocklistSchema = z.strictObject({
  id,
  connectionId: id,
  listName: text,
  /** The id of the list at the CRM; null when there is no CRM source to resync from. */
  crmListId: text.nullable(),
  /** The connection's CRM type when known. */
  crm: crm.nullable(),
  platform,
  blockType: z.enum(BLOCK_TYPES),
  status: z.enum(BLOCKLIST_STATUSES),
  isEnabled: z.boolean(),
  hasActiveFetchJob: z.boolean(),
  clientId: text.nullable(),
  syncedCount: count,
  pendingCount: count,
  lastFetchedAt: instantSchema.nullable(),
  lastError: text.nullable(),
  lastAttemptedAt: instantSchema.nullable(),
  createdAt: instantSchema,
});

export const worldWebhookSchema = z.strictObject({
  id: webhookId,
  accountId: id,
  url: z.url({ protocol: /^https$/ }).max(LIMITS.webhookUrlMaxLength),
  description: z.string().max(LIMITS.webhookDescriptionMaxLength),
  /** Empty means all subscribable event types. */
  enabledEvents: z
    .array(z.enum(SUBSCRIBABLE_EVENT_TYPES))
    .refine((events) => new Set(events).size === events.length, 'names an event type twice'),
  isActive: z.boolean(),
  autoDisabledAt: instantSchema.nullable(),
  consecutiveDeadCount: count,
  secret: prefixedId(PREFIXES.webhookSecret),
  createdAt: instantSchema,
  updatedAt: instantSchema,
  deletedAt: instantSchema.nullable(),
});
