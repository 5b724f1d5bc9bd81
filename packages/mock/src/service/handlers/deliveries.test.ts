import { expect, test } from 'vitest';
import { createDemoWorld, MONTH, read } from '../../../test/support/demo.ts';
import { updateData } from '../../state/world.ts';

test('a key that sees no destination gets an empty page and zeros, whatever deliveries are kept', () => {
  const world = createDemoWorld();
  const metrics = () => read(world, `/api/v1/account/metrics?${MONTH}`).destinationDeliveries;
  expect(metrics().success).toBeGreaterThan(0);
  updateData(world, { ...world.state.data, destinations: [] });
  expect(read(world, `/api/v1/deliveries?${MONTH}`)).toEqual({ data: [], hasMore: false, nextCursor: null });
  expect(metrics()).toEqual({ success: 0, error: 0, http2xx: 0 });
});
