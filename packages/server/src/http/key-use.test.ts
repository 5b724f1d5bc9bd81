import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createManualClock } from '@svc/engine/runtime/clock';
import type { Database } from '@svc/engine/store/database/db';
import { createKeyUse } from './key-use.ts';

const MINUTE_MS = 60_000;

test('writes failed uses with the next ones, and never writes concurrently', async () => {
  const clock = createManualClock(new Date('2026-03-01T12:00:00.000Z'));
  const writes: { ids: number[]; done: PromiseWithResolvers<void> }[] = [];
  const query = async (_statement: unknown, [ids]: [number[]]) => {
    const done = Promise.withResolvers<void>();
    writes.push({ ids, done });
    await done.promise;
  };
  const keyUse = createKeyUse({ db: { query } as unknown as Database, clock, log: pino({ level: 'silent' }) });
  keyUse.note(1);
  clock.advance(MINUTE_MS);
  keyUse.note(2);
  clock.advance(MINUTE_MS);
  await expect.poll(() => writes.map(({ ids }) => ids)).toEqual([[1]]);
  writes[0]?.done.reject(new Error('away'));
  await expect.poll(() => writes.map(({ ids }) => ids)).toEqual([[1], [2]]);
  writes[1]?.done.resolve();
  const stopped = keyUse.stop();
  await expect.poll(() => writes.map(({ ids }) => ids)).toEqual([[1], [2], [1]]);
  writes[2]?.done.resolve();
  await stopped;
});
