/** Schemas of fields that several rows of a world use. */
import { LIMITS } from '@svc/contract/limits';
import { PREFIXES } from '@svc/contract/vocabulary';
import * as z from 'zod';
import { findBrokenInstants } from './embedded-instants.ts';
import { looksLikeApiKey } from '../values/resource-ids.ts';
import { isInstant } from './instant.ts';

export const id = z.int().min(1).max(LIMITS.integerIdMax);
export const count = z.int().min(0);
export const text = z.string().min(1);
/** CRM types and platforms are open lists; only their spelling is fixed. */
export const crm = z.string().regex(/^[A-Z][A-Z0-9_]*$/, 'must be an upper-case CRM type such as HUBSPOT');
export const platform = z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be a lower-case platform such as smartlead');
export const sequencerEventType = z.string().regex(/^[A-Z][A-Z0-9_]*$/, 'must be an event type such as EMAIL_SENT');
/** Any JSON object; it is passed through. */
export const jsonObject = z.record(z.string(), z.unknown());
/** A JSON object in which `{ "$instant": "-3d4h" }` means a timestamp (embedded-instants.ts). */
export const jsonObjectWithInstants = jsonObject.superRefine((value, context) => {
  for (const path of findBrokenInstants(value)) {
    context.addIssue({ code: 'custom', path, message: 'must be the only key and hold an instant such as -3d4h' });
  }
});

type NullByDefault<Shape> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodNullable ? z.ZodDefault<Shape[Name]> : Shape[Name];
};

/** Returns the fields of a schema of the contract. Nullable ones may be left out, so that older worlds stay valid. */
export function nullByDefault<Shape extends z.ZodRawShape>(shape: Shape): NullByDefault<Shape> {
  const fields = Object.entries(shape).map(([name, field]) => [
    name,
    field instanceof z.ZodNullable ? field.default(null) : field,
  ]);
  return Object.fromEntries(fields);
}

/** ISO-8601 or a distance from now, `-3d4h` (instant.ts). */
export const instantSchema = z
  .string()
  .refine(isInstant, 'must be an ISO-8601 date-time with offset or a distance from now such as -3d4h or 0s')
  .brand<'Instant'>();
export type Instant = z.infer<typeof instantSchema>;

export function prefixedId(prefix: string) {
  return z.string().regex(new RegExp(`^${prefix}[0-9A-Za-z_-]{1,64}$`), `must be an id that begins with ${prefix}`);
}
export function apiKeyToken(prefix: string) {
  return z
    .string()
    .refine((token) => looksLikeApiKey(token, prefix), `must be ${prefix} and 4 to 128 letters, digits, - or _`);
}
export const webhookId = prefixedId(PREFIXES.webhook);
export const eventId = prefixedId(PREFIXES.event);
export const webhookDeliveryId = prefixedId(PREFIXES.webhookDelivery);
