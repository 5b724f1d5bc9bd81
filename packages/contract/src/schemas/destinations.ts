/** Answers of `listDestinations` and `getDestination`. */
import * as z from 'zod';
import { integerIdSchema, sequencerEventTypeSchema, timestampSchema } from './fields.ts';

export const destinationSchema = z.looseObject({
  id: integerIdSchema,
  url: z.string(),
  description: z.string(),
  connectionId: integerIdSchema,
  eventTypes: z.array(sequencerEventTypeSchema),
  isDelayed: z.boolean(),
  sourceIds: z.array(integerIdSchema),
  createdAt: timestampSchema,
});

export const destinationListSchema = z.looseObject({ destinations: z.array(destinationSchema) });
