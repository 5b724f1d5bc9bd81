/** Events of the platform, as `listEvents` and `getEvent` answer them. */
import * as z from 'zod';
import { EVENT_TYPES } from '../vocabulary.ts';
import { anyObjectSchema, eventIdSchema, eventTypeSchema, integerIdSchema, timestampSchema } from './fields.ts';
import { pageSchema } from './page.ts';
import { webhookDeliverySchema } from './webhook-deliveries.ts';

/** Closed: what the `type` filter of the log accepts. */
export const eventTypeFilterSchema = z.enum(EVENT_TYPES);

export const platformEventSchema = z.looseObject({
  id: eventIdSchema,
  type: eventTypeSchema,
  summary: z.string(),
  data: anyObjectSchema,
  connectionId: integerIdSchema.nullable(),
  sourceId: integerIdSchema.nullable(),
  delivered: z.boolean(),
  createdAt: timestampSchema,
});

export const platformEventWithDeliveriesSchema = platformEventSchema.extend({
  deliveries: z.array(webhookDeliverySchema),
});

export const eventPageSchema = pageSchema(platformEventSchema);
