/** Deliveries of webhooks, and the JSON body that is posted to a webhook. */
import * as z from 'zod';
import { WEBHOOK_DELIVERY_STATUSES } from '../vocabulary.ts';
import {
  anyObjectSchema,
  countSchema,
  crmSchema,
  eventIdSchema,
  eventTypeSchema,
  integerIdSchema,
  platformSchema,
  timestampSchema,
  webhookDeliveryIdSchema,
  webhookIdSchema,
} from './fields.ts';
import { pageSchema } from './page.ts';

export const webhookDeliveryStatusSchema = z.enum(WEBHOOK_DELIVERY_STATUSES);

export const webhookDeliverySchema = z.looseObject({
  id: webhookDeliveryIdSchema,
  endpointId: webhookIdSchema,
  status: webhookDeliveryStatusSchema,
  attemptCount: countSchema,
  lastAttemptAt: timestampSchema.nullable(),
  lastHttpStatus: z.int().min(100).max(999).nullable(),
  lastError: z.string().nullable(),
  replayOfDeliveryId: webhookDeliveryIdSchema.nullable(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

export const webhookDeliveryPageSchema = pageSchema(webhookDeliverySchema);

const subjectFields = {
  connectionId: integerIdSchema,
  crm: crmSchema,
  sourceId: integerIdSchema,
  sourcePlatform: platformSchema,
};

export const syncFailedDataSchema = z.looseObject({ ...subjectFields, reason: z.string(), remediation: z.string() });
export const syncRecoveredDataSchema = z.looseObject({ ...subjectFields, failedSince: timestampSchema });
export const testPingDataSchema = anyObjectSchema;

const envelopeFields = { id: eventIdSchema, created: timestampSchema, summary: z.string() };

/** A delivery of any type. */
export const webhookEnvelopeSchema = z.looseObject({ ...envelopeFields, type: eventTypeSchema, data: anyObjectSchema });

export const syncFailedEnvelopeSchema = z.looseObject({
  ...envelopeFields,
  type: z.literal('sync.failed'),
  data: syncFailedDataSchema,
});
export const syncRecoveredEnvelopeSchema = z.looseObject({
  ...envelopeFields,
  type: z.literal('sync.recovered'),
  data: syncRecoveredDataSchema,
});
export const testPingEnvelopeSchema = z.looseObject({
  ...envelopeFields,
  type: z.literal('test.ping'),
  data: testPingDataSchema,
});

/** A delivery of a known type, discriminated by `type`. */
export const knownWebhookEnvelopeSchema = z.discriminatedUnion('type', [
  syncFailedEnvelopeSchema,
  syncRecoveredEnvelopeSchema,
  testPingEnvelopeSchema,
]);
