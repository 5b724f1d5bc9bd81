import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Look, tailLog } from './poll-log.ts';

class Enough extends Error {}
class Passing extends Error {}

/** Runs through these looks on a clock of its own and tells what happened, in order. */
async function run(looks: readonly (Look<string> | Error)[], intervalMs = 5000) {
  const told: string[] = [];
  const wentWellAt: number[] = [];
  const lookedAt: { atMs: number; requests: number }[] = [];
  let nowMs = 0;
  const left = [...looks];
  const log = tailLog<string>({
    intervalMs,
    look: async () => {
      const next = left.shift();
      if (next === undefined) throw new Enough();
      lookedAt.push({ atMs: nowMs, requests: next instanceof Error ? 1 : next.requests });
      if (next instanceof Error) throw next;
      return next;
    },
    sleep: async (ms) => {
      nowMs += ms;
    },
    mayPass: (error) => error instanceof Passing,
    onTrouble: (error, delayMs) => told.push(`${error instanceof Error ? error.message : ''}, ${delayMs} ms`),
    onRecovery: () => told.push('recovered'),
    onLook: () => void wentWellAt.push(nowMs),
  });
  const read = async () => {
    for await (const rows of log) told.push(rows.join(' '));
  };
  const error = await read().catch((thrown: unknown) => thrown);
  return { told, lookedAt, wentWellAt, error };
}

const found = (...rows: string[]): Look<string> => ({ rows, requests: 1 });

test('rows are handed on, an empty look is not', async () => {
  const { told, lookedAt, error } = await run([found('a', 'b'), found(), found('c')]);
  expect(told).toEqual(['a b', 'c']);
  expect(lookedAt.map(({ atMs }) => atMs)).toEqual([0, 5000, 10_000]);
  expect(error).toBeInstanceOf(Enough);
});

test('each successful poll is reported', async () => {
  const { wentWellAt } = await run([found('a'), found(), new Passing('down'), found()]);
  expect(wentWellAt).toEqual([0, 5000, 15_000]);
});

test('failures that pass are told, with longer and longer waits, and their end too', async () => {
  const down = new Passing('down');
  const { told, lookedAt } = await run([found('a'), down, down, down, down, down, down, found('b'), down, found()]);
  expect(told).toEqual([
    'a',
    ...[5, 10, 20, 40, 60, 60].map((seconds) => `down, ${seconds}000 ms`),
    'recovered',
    'b',
    'down, 5000 ms',
    'recovered',
  ]);
  expect(lookedAt.map(({ atMs }) => atMs / 1000)).toEqual([0, 5, 10, 20, 40, 80, 140, 200, 205, 210]);
});

test('an interval of more than a minute is kept after failures', async () => {
  const { told } = await run([found('a'), new Passing('down')], 90_000);
  expect(told).toEqual(['a', 'down, 90000 ms']);
});

describe('ends', () => {
  test('when the first look fails, whatever the failure', async () => {
    const { told, error } = await run([new Passing('down'), found('a')]);
    expect([told, error]).toEqual([[], new Passing('down')]);
  });

  test('with what does not pass', async () => {
    const { told, error } = await run([found('a'), new Error('revoked'), found('b')]);
    expect([told, error]).toEqual([['a'], new Error('revoked')]);
  });

  test('when nobody reads any more', async () => {
    let looks = 0;
    const look = async () => {
      looks += 1;
      return found('a');
    };
    for await (const rows of tailLog<string>({ intervalMs: 1000, look, sleep: async () => {}, mayPass: () => true })) {
      expect(rows).toEqual(['a']);
      break;
    }
    expect(looks).toBe(1);
  });
});

test('a busy log takes no more than half of the rate limit', async () => {
  const looks = fc.array(
    fc.integer({ min: 1, max: 60 }).map((requests): Look<string> => ({ rows: ['a'], requests })),
    { minLength: 1, maxLength: 50 },
  );
  await fc.assert(
    fc.asyncProperty(looks, fc.integer({ min: 1000, max: 30_000 }), async (all, intervalMs) => {
      const { lookedAt } = await run(all, intervalMs);
      for (const { atMs: startMs } of lookedAt) {
        // Requests of the minute from here on, without the look that may begin at its very end.
        const inMinute = lookedAt.filter(({ atMs }) => atMs >= startMs && atMs < startMs + 60_000);
        const spent = inMinute.slice(0, -1).reduce((sum, { requests }) => sum + requests, 0);
        expect(spent).toBeLessThanOrEqual(60);
      }
    }),
  );
});
