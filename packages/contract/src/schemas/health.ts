/** Specification, "Discovery and health", which does not fix the bodies. */
import * as z from 'zod';

const checkResultSchema = z.enum(['ok', 'error']);

export const healthLiveSchema = z.looseObject({ status: z.literal('ok') });
export const healthReadySchema = z.looseObject({
  status: checkResultSchema,
  checks: z.record(z.string(), checkResultSchema),
});
