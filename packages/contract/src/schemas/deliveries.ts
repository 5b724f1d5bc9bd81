/** Deliveries to destinations, and the answer of `replayDelivery`. */
import * as z from 'zod';
import { DELIVERY_STATUSES } from '../vocabulary.ts';
import { integerIdSchema, sequencerEventTypeSchema, timestampSchema } from './fields.ts';
import { pageSchema } from './page.ts';

export const deliveryStatusSchema = z.enum(DELIVERY_STATUSES);

export const deliverySchema = z.looseObject({
  id: integerIdSchema,
  destinationId: integerIdSchema,
  destinationUrl: z.string(),
  status: deliveryStatusSchema,
  httpStatus: z.int().min(100).max(999).nullable(),
  connectionId: integerIdSchema,
  sourceId: integerIdSchema.nullable(),
  eventType: sequencerEventTypeSchema.nullable(),
  toEmail: z.string().nullable(),
  payloadId: integerIdSchema.nullable(),
  error: z.string().nullable(),
  createdAt: timestampSchema,
});

export const deliveryPageSchema = pageSchema(deliverySchema);

export const replayQueuedSchema = z.looseObject({
  queued: z.literal(true),
  destinationId: integerIdSchema,
  payloadId: integerIdSchema,
});
