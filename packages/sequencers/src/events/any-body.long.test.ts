/** 100,000 random bodies, each read by all adapters and by a random mapping. */
import { expect, test } from 'vitest';
import { checkBodies } from '../../test/any-body-laws.ts';
import { PLATFORMS } from '../../test/any-body.ts';

const RUNS = 20;

test.each(Array.from({ length: RUNS }, (_, run) => run))('no reader throws or reads too much: run %i', (run) => {
  const { bodies, events } = checkBodies(5_000, 20261123 + run);
  expect(bodies).toBe(5_000);
  // Each reader got bodies that it reads.
  expect(Object.keys(events).toSorted()).toEqual([...PLATFORMS, 'a-platform-of-your-own'].toSorted());
});
