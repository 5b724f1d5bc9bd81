import { describe, expect, test } from 'vitest';
import { inParallel } from './endpoint-jobs.ts';
import { type ClaimedJob, JobReturnedError, LeaseLostError } from './queue.ts';

const jobOf = (id: number): ClaimedJob => ({
  id,
  kind: 'post',
  ref: String(id),
  fairnessKey: 'account:1/webhook:1',
  fence: 1,
  attempts: 1,
  state: {},
  createdAt: new Date(0),
});

/** Posts that end when the test says so; `stored` has the ids of the stored results in their order. */
function heldPosts(isStopping: () => boolean = () => false) {
  const posts = new Map<number, { answer: () => void; fail: (error: Error) => void }>();
  const stored: number[] = [];
  const batch = inParallel({ batchSize: 8, postsAtOnce: 4, isStopping }, async (job, mayStore) => {
    await new Promise<void>((answer, fail) => posts.set(job.id, { answer, fail }));
    await mayStore;
    stored.push(job.id);
  });
  const answer = async (id: number) => {
    posts.get(id)?.answer();
    await new Promise(setImmediate);
  };
  return { batch, posts, stored, answer };
}

describe('a batch of posts to one endpoint', () => {
  test('posts at the same time, stores each result when it ends, and the first one last', async () => {
    const { batch, posts, stored, answer } = heldPosts();
    const done = batch.handleBatch([1, 2, 3].map(jobOf));
    expect([...posts.keys()].toSorted()).toEqual([1, 2, 3]);
    await answer(1);
    expect(stored).toEqual([]);
    await answer(3);
    expect(stored).toEqual([3]);
    await answer(2);
    await done;
    expect(stored).toEqual([3, 2, 1]);
  });

  test('makes no more posts at the same time than it may, and the next when one has ended', async () => {
    const { batch, posts, stored, answer } = heldPosts();
    const done = batch.handleBatch([1, 2, 3, 4, 5, 6].map(jobOf));
    expect([...posts.keys()].toSorted()).toEqual([1, 2, 3, 4]);
    await answer(3);
    expect([...posts.keys()].toSorted()).toEqual([1, 2, 3, 4, 5]);
    for (const id of [1, 2, 4, 5]) await answer(id);
    await answer(6);
    await done;
    expect(stored).toEqual([3, 2, 4, 5, 6, 1]);
  });

  test('a process that stops makes no further post, and the jobs that wait for one go back to the queue', async () => {
    let isStopping = false;
    const { batch, posts, stored, answer } = heldPosts(() => isStopping);
    const done = Promise.allSettled([batch.handleBatch([1, 2, 3, 4, 5, 6].map(jobOf))]);
    isStopping = true;
    for (const id of [1, 2, 3, 4]) await answer(id);
    expect(await done).toEqual([{ status: 'rejected', reason: new JobReturnedError('this server stops') }]);
    expect([...posts.keys()].toSorted()).toEqual([1, 2, 3, 4]);
    expect(stored).toEqual([2, 3, 4, 1]);
  });

  test('a failure stops no other post, and is thrown at the end', async () => {
    const { batch, posts, stored, answer } = heldPosts();
    const done = Promise.allSettled([batch.handleBatch([1, 2, 3, 4].map(jobOf))]);
    posts.get(2)?.fail(new LeaseLostError(jobOf(2)));
    posts.get(3)?.fail(new Error('the database refused it'));
    await answer(1);
    expect(stored).toEqual([]);
    await answer(4);
    expect(await done).toEqual([{ status: 'rejected', reason: new Error('the database refused it') }]);
    expect(stored).toEqual([4, 1]);
  });

  test('a lost lease is thrown as such, also that of a single job', async () => {
    const { batch, posts } = heldPosts();
    const done = batch.handleBatch([jobOf(1)]);
    posts.get(1)?.fail(new LeaseLostError(jobOf(1)));
    await expect(done).rejects.toThrow(LeaseLostError);
  });
});
