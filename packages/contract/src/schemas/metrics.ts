/** Answers of the operations whose path ends in `/metrics`. */
import * as z from 'zod';
import { countSchema, timestampSchema } from './fields.ts';

export const requestMetricsSchema = z.looseObject({ count: countSchema });
export const syncMetricsSchema = z.looseObject({ success: countSchema, warning: countSchema, error: countSchema });
export const deliveryMetricsSchema = z.looseObject({ success: countSchema, error: countSchema, http2xx: countSchema });

export const accountMetricsSchema = z.looseObject({
  from: timestampSchema,
  to: timestampSchema,
  requests: requestMetricsSchema,
  syncs: syncMetricsSchema,
  destinationDeliveries: deliveryMetricsSchema,
});
