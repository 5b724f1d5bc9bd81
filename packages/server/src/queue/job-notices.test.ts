import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import { createManualClock } from '../runtime/clock.ts';
import type { Database } from '../store/database/db.ts';
import { createJobNotifier, listenForJobs } from './job-notices.ts';
import { enqueue, finish } from './queue.ts';
import { createJobRunner } from './runner.ts';

const log = pino({ level: 'silent' });
const postgres = backends.find(({ name }) => name === 'postgres');

describe.skipIf(!postgres?.isAvailable)('notices of new jobs', () => {
  let db: Database;
  beforeAll(async () => {
    if (postgres) db = await postgres.open();
  });
  afterAll(() => db.close());
  const clock = createManualClock(new Date('2026-03-01T12:00:00.000Z'));

  test('a worker whose clock stands still runs a job that was enqueued elsewhere', async () => {
    const ran: string[] = [];
    const runner = createJobRunner({
      db,
      clock,
      log,
      handlers: {
        work: async (job) => {
          ran.push(job.ref);
          await finish(db, job);
        },
      },
    });
    await listenForJobs(db, runner);
    runner.start();
    const times = { dueAt: clock.now(), createdAt: clock.now() };
    await enqueue(db, { kind: 'work', ref: 'from elsewhere', fairnessKey: 'k', ...times });
    createJobNotifier({ db, clock, log })('work');
    await expect.poll(() => ran, { timeout: 5_000 }).toEqual(['from elsewhere']);
    await runner.stop();
  });

  test('one statement notifies of all jobs of a short time, outside of the transaction of the caller', async () => {
    const statements: unknown[] = [];
    const recording: Database = {
      ...db,
      query: (statement, values) => {
        statements.push(values?.[0]);
        return db.query(statement, values);
      },
    };
    const gap = createManualClock(new Date());
    const notify = createJobNotifier({ db: recording, clock: gap, log });
    await db.transaction(async () => notify('a'));
    for (const kind of ['b', 'c', 'b', undefined]) notify(kind);
    expect(statements).toEqual([['a']]);
    await expect
      .poll(() => {
        gap.advance(10);
        return statements;
      })
      .toEqual([['a'], ['b', 'c', '']]);
  });

  test('a database that does not answer stops neither the caller nor later notices', async () => {
    let asked = 0;
    const broken: Database = {
      ...db,
      query: () => {
        asked += 1;
        return Promise.reject(new Error('away'));
      },
    };
    const gap = createManualClock(new Date());
    const notify = createJobNotifier({ db: broken, clock: gap, log });
    notify('a');
    await expect
      .poll(() => {
        gap.advance(10);
        notify('b');
        return asked;
      })
      .toBeGreaterThan(1);
  });
});
