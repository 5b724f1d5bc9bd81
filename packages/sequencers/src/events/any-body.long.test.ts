/** Random bodies by the thousand, for each adapter and for random mappings. */
import { expect, test } from 'vitest';
import { sized } from '../../../../scripts/vitest/size.ts';
import { checkBodies, READERS } from '../../test/any-body-laws.ts';

const BODIES = sized(3_000);

test.each(READERS)(`${BODIES} random bodies: no throw, nothing read or made too often: %s`, (reader) => {
  expect(checkBodies(reader, BODIES, 20261126)).toBeGreaterThan(BODIES / 10);
});
