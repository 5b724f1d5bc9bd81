/** Requests: the posts of a source as they were received. */
import * as z from 'zod';
import { integerIdSchema, timestampSchema } from './fields.ts';
import { pageSchema } from './page.ts';

export const requestReceiptSchema = z.looseObject({
  id: integerIdSchema,
  sourceId: integerIdSchema.nullable(),
  connectionId: integerIdSchema.nullable(),
  path: z.string(),
  createdAt: timestampSchema,
});

export const requestPageSchema = pageSchema(requestReceiptSchema);
