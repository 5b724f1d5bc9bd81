/**
 * Draws what of a write policy shows in the API: which events have a sync, and which wait for their lead. `create` is left out: the contacts
 * that a world's syncs speak of are known to the mock, and unknown to the simulated CRM of the server. Nothing waits so long that it is dropped.
 */
import type { WorldInput } from '@svc/domain/world';
import type { Draw } from './draw.ts';
import { EVENT_TYPES } from './random-values.ts';

type Policy = NonNullable<WorldInput['sources'][number]['policy']>;
type EventRule = NonNullable<Policy['events']>[number];

const WRITES: readonly EventRule['write'][] = [
  [],
  [],
  ['timeline'],
  ['fields'],
  ['task'],
  ['timeline', 'fields', 'task'],
];
const HOLDS: readonly Policy['holdUntil'][] = [
  { reply: true, dropAfter: '365d' },
  { categories: ['Interested', '1'], dropAfter: '365d' },
  { reply: true, categories: ['Not Interested'], dropAfter: '365d' },
  null,
];

export function randomPolicy({ maybe, number, pick }: Draw): Policy | null {
  if (maybe(55)) return null;
  const randomRule = (): EventRule => ({
    when: {
      ...(maybe(60) ? { types: [pick(EVENT_TYPES), pick(EVENT_TYPES)] } : {}),
      ...(maybe(20) ? { campaigns: ['*a*'] } : {}),
      ...(maybe(20) ? { steps: [1, 2] } : {}),
      ...(maybe(10) ? { mailboxes: ['*@*.com'] } : {}),
    },
    write: pick(WRITES),
  });
  return {
    ...(maybe(60) ? { events: Array.from({ length: 1 + number(3) }, randomRule) } : {}),
    ...(maybe(40) ? { holdUntil: pick(HOLDS) } : {}),
  };
}
