import { expect, test } from 'vitest';
import { pickFields } from './pick-fields.ts';

test('takes the named fields in their order, in objects and arrays too', () => {
  const value = { extra: 1, b: [{ y: 1, x: 2, z: 3 }], a: { p: null, q: 1 }, open: { any: 'thing' }, empty: null };
  const names = ['a', 'a.p', 'b', 'b.x', 'b.y', 'open', 'open.*', 'empty', 'empty.x', 'absent'];
  expect(JSON.stringify(pickFields(names, value))).toBe(
    '{"a":{"p":null},"b":[{"x":2,"y":1}],"open":{"any":"thing"},"empty":null}',
  );
});
