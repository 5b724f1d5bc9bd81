/** Webhooks, and the bodies that create and change them. */
import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { SUBSCRIBABLE_EVENT_TYPES } from '../vocabulary.ts';
import { eventIdSchema, eventTypeSchema, timestampSchema, webhookIdSchema, webhookSecretSchema } from './fields.ts';

const urlSchema = z.string().max(LIMITS.webhookUrlMaxLength);
const descriptionSchema = z.string().max(LIMITS.webhookDescriptionMaxLength);

export const webhookEndpointSchema = z.looseObject({
  id: webhookIdSchema,
  url: urlSchema,
  description: descriptionSchema,
  enabledEvents: z.array(eventTypeSchema),
  isActive: z.boolean(),
  autoDisabledAt: timestampSchema.nullable(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

export const webhookEndpointWithSecretSchema = webhookEndpointSchema.extend({ secret: webhookSecretSchema });

export const webhookListSchema = z.looseObject({ webhooks: z.array(webhookEndpointSchema) });

export const testEventQueuedSchema = z.looseObject({ eventId: eventIdSchema });

export const subscribableEventTypeSchema = z.enum(SUBSCRIBABLE_EVENT_TYPES);

const httpsUrlSchema = urlSchema.regex(/^https:\/\//i);

/** Body of `POST /webhooks`. Does not check whether the URL may be called. */
export const createWebhookBodySchema = z.looseObject({
  url: httpsUrlSchema,
  description: descriptionSchema.exactOptional(),
  enabledEvents: z.array(subscribableEventTypeSchema).exactOptional(),
});

/** Body of `PATCH /webhooks/:id`. `{}` changes nothing. */
export const updateWebhookBodySchema = z.looseObject({
  url: httpsUrlSchema.exactOptional(),
  description: descriptionSchema.exactOptional(),
  enabledEvents: z.array(subscribableEventTypeSchema).exactOptional(),
  isActive: z.boolean().exactOptional(),
});
