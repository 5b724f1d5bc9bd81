/** The answer of `listReplyRelays`. */
import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { countSchema, integerIdSchema, timestampSchema } from './fields.ts';

export const relayCategorySchema = z.looseObject({ id: z.string(), name: z.string() });

export const replyRelaySchema = z.looseObject({
  id: integerIdSchema,
  connectionId: integerIdSchema,
  description: z.string(),
  ccEmail: z.string(),
  delayMinutes: countSchema,
  bodyTemplates: z.array(z.string()),
  categoryAllowlist: z.array(relayCategorySchema).max(LIMITS.relayCategoryAllowlistMax),
  sourceIds: z.array(integerIdSchema),
  createdAt: timestampSchema,
});

export const replyRelayListSchema = z.looseObject({ replyRelays: z.array(replyRelaySchema) });
