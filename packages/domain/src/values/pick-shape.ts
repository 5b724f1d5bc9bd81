import * as z from 'zod';

/** Returns the fields of a value that its schema names, in the order of the schema, also in nested objects and arrays. */
export function pickShape(schema: z.core.$ZodType, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (schema instanceof z.ZodNullable) return pickShape(schema.unwrap(), value);
  if (schema instanceof z.ZodArray && Array.isArray(value)) return value.map((item) => pickShape(schema.element, item));
  if (!(schema instanceof z.ZodObject)) return value;
  const fields = Object.entries(schema.shape).filter(([name]) => name in value);
  return Object.fromEntries(fields.map(([name, field]) => [name, pickShape(field, Reflect.get(value, name))]));
}
