/** Syncs, and the answer of `retrySync`. */
import * as z from 'zod';
import { SYNC_STATUSES } from '../vocabulary.ts';
import {
  anyObjectSchema,
  integerIdSchema,
  platformSchema,
  sequencerEventTypeSchema,
  timestampSchema,
} from './fields.ts';
import { pageSchema } from './page.ts';

export const syncStatusSchema = z.enum(SYNC_STATUSES);

export const syncSchema = z.looseObject({
  id: integerIdSchema,
  status: syncStatusSchema,
  connectionId: integerIdSchema,
  sourceId: integerIdSchema.nullable(),
  eventType: sequencerEventTypeSchema,
  toEmail: z.string(),
  platform: platformSchema,
  payloadId: integerIdSchema.nullable(),
  error: anyObjectSchema.nullable(),
  createdAt: timestampSchema,
});

export const syncPageSchema = pageSchema(syncSchema);

export const retryQueuedSchema = z.looseObject({ queued: z.literal(true), syncId: integerIdSchema });
