import { deliverySchema, requestReceiptSchema, syncSchema } from '@svc/contract/schemas';
import { expect, test } from 'vitest';
import { columnKind } from './column-kinds.ts';

interface Field {
  safeParse(value: unknown): { success: boolean };
}

/** By what the contract takes there. */
function kindOf(field: Field): string {
  const takes = (value: unknown) => field.safeParse(value).success;
  if (takes({ any: 'thing' })) return 'json';
  if (takes(200)) return 'integer';
  return takes('2026-01-31T08:00:00.000Z') && !takes('x') ? 'timestamp' : 'text';
}

test.each([
  ['syncs export', syncSchema],
  ['requests export', requestReceiptSchema],
  ['deliveries export', deliverySchema],
])('%s: the kinds are those of the contract', (command, schema) => {
  const fields: Readonly<Record<string, Field>> = schema.shape;
  expect(Object.keys(fields).length).toBeGreaterThan(4);
  for (const [name, field] of Object.entries(fields)) {
    expect([name, columnKind(command, name)]).toEqual([name, kindOf(field)]);
  }
});

test('what is inside of a field may be anything', () => {
  expect(columnKind('syncs export', 'error.code')).toBe('json');
});
