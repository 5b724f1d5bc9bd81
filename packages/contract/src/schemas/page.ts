/** Every paged list answers with `{data, hasMore, nextCursor}`. */
import * as z from 'zod';

export function pageSchema<Row extends z.ZodType>(row: Row) {
  return z.looseObject({ data: z.array(row), hasMore: z.boolean(), nextCursor: z.string().nullable() });
}
