/** Block lists, and the answers of their two actions, resync and pause. */
import * as z from 'zod';
import { BLOCK_TYPES, BLOCKLIST_STATUSES } from '../vocabulary.ts';
import { countSchema, crmSchema, integerIdSchema, platformSchema, timestampSchema } from './fields.ts';

export const blocklistStatusSchema = z.enum(BLOCKLIST_STATUSES);
export const blockTypeSchema = z.enum(BLOCK_TYPES);

export const blocklistSchema = z.looseObject({
  id: integerIdSchema,
  connectionId: integerIdSchema,
  listName: z.string(),
  crm: crmSchema.nullable(),
  platform: platformSchema,
  blockType: blockTypeSchema,
  status: blocklistStatusSchema,
  isEnabled: z.boolean(),
  clientId: z.string().nullable(),
  syncedCount: countSchema,
  pendingCount: countSchema,
  lastFetchedAt: timestampSchema.nullable(),
  lastError: z.string().nullable(),
  lastAttemptedAt: timestampSchema.nullable(),
  createdAt: timestampSchema,
});

export const blocklistListSchema = z.looseObject({ blocklists: z.array(blocklistSchema) });

export const blocklistPausedSchema = z.looseObject({
  id: integerIdSchema,
  isEnabled: z.literal(false),
  status: blocklistStatusSchema,
});

export const blocklistResyncQueuedSchema = z.looseObject({
  id: integerIdSchema,
  queued: z.literal(true),
  isEnabled: z.literal(true),
  status: z.literal('FETCHING'),
});
