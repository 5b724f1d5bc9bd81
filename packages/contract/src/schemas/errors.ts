/** Specification, "Errors". */
import * as z from 'zod';

export const errorBodySchema = z.looseObject({
  statusCode: z.int().min(400).max(599),
  message: z.string(),
  error: z.string(),
});
