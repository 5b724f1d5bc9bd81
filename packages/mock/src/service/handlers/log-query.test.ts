import { encodeCursor } from '@svc/domain/requests/cursor';
import { compareNewestFirst } from '@svc/domain/requests/page';
import { expect, test } from 'vitest';
import { createDemoWorld, DEMO, MONTH, read, readAll } from '../../../test/support/demo.ts';

const world = createDemoWorld();
const capped = createDemoWorld({ settings: { scanCap: 40 } });

test.each([
  ['syncs', `/api/v1/syncs?${MONTH}&status=error`],
  ['requests', `/api/v1/requests?${MONTH}&sourceId=1`],
  ['deliveries', `/api/v1/deliveries?${MONTH}&status=error`],
  ['events', '/api/v1/events?delivered=false'],
])('a scan cap makes short and empty pages of %s that together are the whole list', (_name, target) => {
  expect(readAll(capped, target, 25)).toEqual(readAll(world, target, 25));
});

test('a scan cap ends a page at a row that the key sees', () => {
  const tight = createDemoWorld({ settings: { scanCap: 1 } });
  const first = read(tight, `/api/v1/syncs?${MONTH}&status=error`);
  const [newest] = DEMO.syncs
    .filter(({ connectionId }) => [1, 2, 3].includes(connectionId))
    .toSorted(compareNewestFirst);
  if (newest === undefined) throw new Error('the demo world has syncs');
  const data = newest.status === 'error' ? [expect.objectContaining({ id: newest.id })] : [];
  const nextCursor = encodeCursor({ rows: 'sync', createdAt: newest.createdAt, id: newest.id });
  expect(first).toEqual({ data, hasMore: true, nextCursor });
});

test('a page with a scan cap does not exceed the limit', () => {
  expect(read(capped, `/api/v1/syncs?${MONTH}&limit=40`).data).toHaveLength(40);
  expect(read(capped, `/api/v1/syncs?${MONTH}&limit=39`).data).toHaveLength(39);
  expect(read(capped, `/api/v1/syncs?${MONTH}&limit=500`).data).toHaveLength(40);
});
