/** More random worlds, and longer lives in them, than `differential.test.ts` has time for. `SVC_DIFFERENTIAL_SEED` repeats a run. */
import { afterAll, expect, test } from 'vitest';
import { sized } from '../../../scripts/vitest/size.ts';
import { checkRandomWorld } from './differential/check.ts';

const given = process.env['SVC_DIFFERENTIAL_SEED'];
const SEED = given === undefined || given === '' ? (Date.now() ^ process.pid) & 0x7fff_ffff : Number(given);
/** Beyond those of the other run. */
const FIRST = 100;
const STEPS_PER_WORLD = 1_000;
let requestCount = 0;

afterAll(() => {
  console.info(`differential: ${requestCount} requests, SVC_DIFFERENTIAL_SEED=${SEED}`);
});

test.each(Array.from({ length: sized(20) }, (_, index) => FIRST + index))(
  'the mock and the server answer the same in random world %i',
  async (index) => {
    const result = await checkRandomWorld(SEED, index, sized(STEPS_PER_WORLD));
    requestCount += result.requestCount;
    expect(result.requestCount).toBeGreaterThan(0);
  },
  10 * 60_000,
);
