/** Answers of `getHealthLive` and `getHealthReady`. */
import * as z from 'zod';

const checkResultSchema = z.enum(['ok', 'error']);

export const healthLiveSchema = z.looseObject({ status: z.literal('ok') });
export const healthReadySchema = z.looseObject({
  status: checkResultSchema,
  checks: z.record(z.string(), checkResultSchema),
});
