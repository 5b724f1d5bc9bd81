/** Schemas of log rows: requests, syncs, deliveries, category signals, sync health, events, webhook deliveries. */
import { LIMITS } from '@svc/contract/limits';
import { DELIVERY_STATUSES, SYNC_STATUSES, WEBHOOK_DELIVERY_STATUSES } from '@svc/contract/vocabulary';
import * as z from 'zod';
import { isIdentityKey } from '../contacts/contact-identity.ts';
import {
  count,
  eventId,
  id,
  instantSchema,
  jsonObject,
  jsonObjectWithInstants,
  platform,
  sequencerEventType,
  text,
  webhookDeliveryId,
  webhookId,
} from './fields.ts';

/** The outcomes of an inbound receipt. `synced`: at least one sync was attempted. */
export const REQUEST_OUTCOMES = ['synced', 'duplicate', 'unparsed', 'ignored'] as const;
export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number];

export const worldRequestSchema = z.strictObject({
  id,
  accountId: id,
  /** Null, like `sourceId`, when the source was deleted. */
  connectionId: id.nullable(),
  sourceId: id.nullable(),
  path: text,
  outcome: z.enum(REQUEST_OUTCOMES),
  /** The posted JSON; null when it is no longer stored. */
  body: jsonObjectWithInstants.nullable(),
  createdAt: instantSchema,
});

export const worldSyncSchema = z.strictObject({
  id,
  accountId: id,
  connectionId: id,
  sourceId: id.nullable(),
  /** The id of its request. Null, like a null `sourceId`, makes a retry impossible. */
  payloadId: id.nullable(),
  status: z.enum(SYNC_STATUSES),
  eventType: sequencerEventType,
  /** An email address, or a profile URL for social-only events. */
  toEmail: text,
  platform,
  error: jsonObject.nullable(),
  createdAt: instantSchema,
});

export const worldDeliverySchema = z.strictObject({
  id,
  accountId: id,
  connectionId: id,
  destinationId: id,
  /** The destination's URL at the time of the delivery. */
  destinationUrl: z.url(),
  status: z.enum(DELIVERY_STATUSES),
  /** Null when no answer was recorded. */
  httpStatus: z.int().min(100).max(599).nullable(),
  /** A legacy row whose HTTP status was derived from its outcome. */
  isHttpStatusInferred: z.boolean(),
  sourceId: id.nullable(),
  eventType: sequencerEventType.nullable(),
  toEmail: text.nullable(),
  payloadId: id.nullable(),
  error: text.nullable(),
  createdAt: instantSchema,
});

export const worldCategorySignalSchema = z.strictObject({
  accountId: id,
  connectionId: id,
  /** The contact's key (`identityKey`): its email address or canonical profile URL, in lower case. */
  identity: text.refine(isIdentityKey, 'must be an email address or a canonical profile URL, in lower case'),
  categoryName: text,
  at: instantSchema,
});

export const worldSyncHealthSchema = z.strictObject({
  sourceId: id,
  connectionId: id,
  consecutiveFailures: count,
  /** Set from the failure that raised the alert until the next success. */
  failingSince: instantSchema.nullable(),
});

export const worldEventSchema = z.strictObject({
  id: eventId,
  accountId: id,
  type: text,
  summary: text,
  data: jsonObjectWithInstants,
  /** Null for an event of the account itself. */
  connectionId: id.nullable(),
  sourceId: id.nullable(),
  createdAt: instantSchema,
});

export const worldWebhookDeliverySchema = z.strictObject({
  id: webhookDeliveryId,
  eventId,
  webhookId,
  status: z.enum(WEBHOOK_DELIVERY_STATUSES),
  attemptCount: z.int().min(0).max(LIMITS.webhookAttemptsMax),
  lastAttemptAt: instantSchema.nullable(),
  lastHttpStatus: z.int().min(100).max(599).nullable(),
  lastError: text.nullable(),
  /** Set exactly while PENDING. */
  nextAttemptAt: instantSchema.nullable(),
  replayOfDeliveryId: webhookDeliveryId.nullable(),
  createdAt: instantSchema,
  updatedAt: instantSchema,
});
