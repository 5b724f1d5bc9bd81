import { expect, test } from 'vitest';
import { DatabaseUnavailableError } from '../store/database/db.ts';
import { runTogether } from './job-batches.ts';
import type { ClaimedJob } from './queue.ts';

const jobs = ['a', 'b', 'c'].map(
  (ref, id): ClaimedJob => ({
    ...{ id, kind: 'work', ref, fairnessKey: 'k', fence: 1, attempts: 1, state: {}, createdAt: new Date(0) },
  }),
);

/** Runs the jobs; together they fail, and alone as told. Returns those that were tried alone. */
async function run(failures: Record<string, Error>): Promise<{ alone: string[]; error: unknown }> {
  const alone: string[] = [];
  const error = await runTogether(jobs, async (batch) => {
    if (batch.length > 1) throw new Error('together');
    for (const { ref } of batch) {
      alone.push(ref);
      const failure = failures[ref];
      if (failure) throw failure;
    }
  }).catch((thrown: unknown) => thrown);
  return { alone, error };
}

test('a job that fails alone does not fail the others', async () => {
  expect(await run({ a: new Error('bad') })).toEqual({ alone: ['a', 'b', 'c'], error: new Error('bad') });
});

test('a job that the database did not answer is not overtaken by those behind it', async () => {
  const failure = new DatabaseUnavailableError('away');
  expect(await run({ b: failure })).toEqual({ alone: ['a', 'b'], error: failure });
});
