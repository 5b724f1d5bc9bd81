import { expect, test } from 'vitest';
import { type EachProgress, runEach } from './run-each.ts';

const refusal = (status: number) => Object.assign(new Error(`status ${status}`), { status });

test('refusals of one row do not end the others', async () => {
  let last: EachProgress | undefined;
  const call = async (id: number) => {
    if (id === 2) throw refusal(409);
  };
  await runEach([1, 2, 3], call, { signal: new AbortController().signal, onProgress: (each) => (last = each) });
  expect(last).toEqual({ done: 2, total: 3, refused: [{ id: 2, message: 'status 409' }] });
});

test('an error that concerns all rows ends them', async () => {
  const called: number[] = [];
  const call = async (id: number) => {
    called.push(id);
    throw refusal(403);
  };
  const run = runEach([1, 2], call, { signal: new AbortController().signal, onProgress: () => {} });
  await expect(run).rejects.toThrow('status 403');
  expect(called).toEqual([1]);
});

test('nothing is called after a stop', async () => {
  const stop = new AbortController();
  const called: number[] = [];
  const call = async (id: number) => void called.push(id);
  await runEach([1, 2, 3], call, { signal: stop.signal, onProgress: ({ done }) => done === 2 && stop.abort() });
  expect(called).toEqual([1, 2]);
});
