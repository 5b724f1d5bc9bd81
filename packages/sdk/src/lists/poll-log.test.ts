import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pollLog, type PollResult } from './poll-log.ts';

class EndOfScript extends Error {}
class TemporaryError extends Error {}

/** Runs scripted polls on a manual clock and returns what happened, in order. */
async function run(polls: readonly (PollResult<string> | Error)[], intervalMs = 5000) {
  const reports: string[] = [];
  const succeededAt: number[] = [];
  const polledAt: { atMs: number; requests: number }[] = [];
  let nowMs = 0;
  const left = [...polls];
  const log = pollLog<string>({
    intervalMs,
    poll: async () => {
      const next = left.shift();
      if (next === undefined) throw new EndOfScript();
      polledAt.push({ atMs: nowMs, requests: next instanceof Error ? 1 : next.requests });
      if (next instanceof Error) throw next;
      return next;
    },
    sleep: async (ms) => {
      nowMs += ms;
    },
    isTemporary: (error) => error instanceof TemporaryError,
    onTrouble: (error, delayMs) => reports.push(`${error instanceof Error ? error.message : ''}, ${delayMs} ms`),
    onRecovery: () => reports.push('recovered'),
    onLook: () => void succeededAt.push(nowMs),
  });
  const read = async () => {
    for await (const rows of log) reports.push(rows.join(' '));
  };
  const error = await read().catch((thrown: unknown) => thrown);
  return { reports, polledAt, succeededAt, error };
}

const found = (...rows: string[]): PollResult<string> => ({ rows, requests: 1 });

test('rows are yielded, an empty poll is not', async () => {
  const { reports, polledAt, error } = await run([found('a', 'b'), found(), found('c')]);
  expect(reports).toEqual(['a b', 'c']);
  expect(polledAt.map(({ atMs }) => atMs)).toEqual([0, 5000, 10_000]);
  expect(error).toBeInstanceOf(EndOfScript);
});

test('each successful poll is reported', async () => {
  const { succeededAt } = await run([found('a'), found(), new TemporaryError('down'), found()]);
  expect(succeededAt).toEqual([0, 5000, 15_000]);
});

test('temporary failures are reported with growing delays, and so is the recovery', async () => {
  const down = new TemporaryError('down');
  const { reports, polledAt } = await run([found('a'), down, down, down, down, down, down, found('b'), down, found()]);
  expect(reports).toEqual([
    'a',
    ...[5, 10, 20, 40, 60, 60].map((seconds) => `down, ${seconds}000 ms`),
    'recovered',
    'b',
    'down, 5000 ms',
    'recovered',
  ]);
  expect(polledAt.map(({ atMs }) => atMs / 1000)).toEqual([0, 5, 10, 20, 40, 80, 140, 200, 205, 210]);
});

test('an interval of more than a minute is kept after failures', async () => {
  const { reports } = await run([found('a'), new TemporaryError('down')], 90_000);
  expect(reports).toEqual(['a', 'down, 90000 ms']);
});

describe('the loop ends', () => {
  test('when the first poll fails, whatever the error', async () => {
    const { reports, error } = await run([new TemporaryError('down'), found('a')]);
    expect([reports, error]).toEqual([[], new TemporaryError('down')]);
  });

  test('with an error that is not temporary', async () => {
    const { reports, error } = await run([found('a'), new Error('revoked'), found('b')]);
    expect([reports, error]).toEqual([['a'], new Error('revoked')]);
  });

  test('when the caller stops reading', async () => {
    let polls = 0;
    const poll = async () => {
      polls += 1;
      return found('a');
    };
    for await (const rows of pollLog<string>({
      intervalMs: 1000,
      poll,
      sleep: async () => {},
      isTemporary: () => true,
    })) {
      expect(rows).toEqual(['a']);
      break;
    }
    expect(polls).toBe(1);
  });
});

test('polls of a busy log use no more than half of the rate limit', async () => {
  const polls = fc.array(
    fc.integer({ min: 1, max: 60 }).map((requests): PollResult<string> => ({ rows: ['a'], requests })),
    { minLength: 1, maxLength: 50 },
  );
  await fc.assert(
    fc.asyncProperty(polls, fc.integer({ min: 1000, max: 30_000 }), async (all, intervalMs) => {
      const { polledAt } = await run(all, intervalMs);
      for (const { atMs: startMs } of polledAt) {
        // Requests of the next minute, without the poll that may start at its very end.
        const inMinute = polledAt.filter(({ atMs }) => atMs >= startMs && atMs < startMs + 60_000);
        const spent = inMinute.slice(0, -1).reduce((sum, { requests }) => sum + requests, 0);
        expect(spent).toBeLessThanOrEqual(60);
      }
    }),
  );
});
