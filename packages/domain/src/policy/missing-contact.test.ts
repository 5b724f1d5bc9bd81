import { expect, test } from 'vitest';
import { nextTryForContact } from './missing-contact.ts';

test('an event whose contact is missing is tried again 30 times, a day apart', () => {
  const since = new Date('2026-03-01T00:00:00Z');
  const tries: string[] = [];
  for (let next = nextTryForContact(since, since); next !== null; next = nextTryForContact(since, next)) {
    tries.push(next.toISOString());
  }
  expect(tries).toHaveLength(30);
  expect([tries[0], tries[29]]).toEqual(['2026-03-02T00:00:00.000Z', '2026-03-31T00:00:00.000Z']);
});
