/** Schemas of rows: those of world files with `Date`s as instants. */
import { type Branding, DEFAULT_BRANDING } from '@svc/domain/pages/branding';
import { apiKeyToken, instantSchema, prefixedId } from '@svc/domain/world/fields';
import { worldSchema } from '@svc/domain/world';
import * as z from 'zod';
import type { DbKind, DbRows } from '../generated/row-types.ts';
import { memoize } from '../state/memoize.ts';

const { shape } = worldSchema;

type RowSchemas = { readonly [Kind in DbKind]: z.ZodType<DbRows[Kind], DbRows[Kind]> };

/** By kind, with the contract's prefixes. */
const ROW_SCHEMAS: RowSchemas = {
  accounts: withDates(shape.accounts.element),
  apiKeys: withDates(shape.apiKeys.element),
  connections: withDates(shape.connections.element),
  sources: withDates(shape.sources.element),
  destinations: withDates(shape.destinations.element),
  replyRelays: withDates(shape.replyRelays.element),
  // An active fetch is a job of the world, which belongs to a run.
  blocklists: withDates(shape.blocklists.element.omit({ hasActiveFetchJob: true }).extend({ run: z.int().min(0) })),
  webhooks: withDates(shape.webhooks.element),
  requests: withDates(
    shape.requests.element.extend({
      received: z.strictObject({ text: z.string(), contentType: z.string().nullable() }).optional(),
    }),
  ),
  syncs: withDates(shape.syncs.element.extend({ isEventKnown: z.boolean().optional() })),
  deliveries: withDates(shape.deliveries.element),
  events: withDates(shape.events.element),
  webhookDeliveries: withDates(shape.webhookDeliveries.element),
};

/** Returns the schemas with the mock's prefixes of keys and secrets. */
export const rowSchemasOf = memoize((branding: Branding): RowSchemas => {
  if (branding === DEFAULT_BRANDING) return ROW_SCHEMAS;
  const { keyPrefix, secretPrefix } = branding;
  return {
    ...ROW_SCHEMAS,
    apiKeys: withDates(shape.apiKeys.element.extend({ token: apiKeyToken(keyPrefix) })),
    webhooks: withDates(shape.webhooks.element.extend({ secret: prefixedId(secretPrefix) })),
  };
});

/** Replaces instants by dates. `row-schemas.test.ts` proves the resulting type. */
function withDates<Row>(schema: z.ZodObject): z.ZodType<Row, Row> {
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, withDate(field)]);
  return z.strictObject(Object.fromEntries(fields)) as unknown as z.ZodType<Row, Row>;
}

function withDate(field: z.core.$ZodType): z.core.$ZodType {
  if (field === instantSchema) return z.date();
  if (field instanceof z.ZodNullable && field.unwrap() === instantSchema) return z.date().nullable();
  return field;
}
