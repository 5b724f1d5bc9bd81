import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresBackend } from '../../test/support/backends.ts';
import { createRecordingRunner } from '../../test/support/recording-runner.ts';
import { createManualClock } from '../runtime/clock.ts';
import type { Database } from '../store/database/db.ts';
import { createJobNotifier, listenForJobs } from './job-notices.ts';
import { enqueue } from './queue.ts';

const log = pino({ level: 'silent' });

describe.skipIf(!postgresBackend.isAvailable)('notices of new jobs', () => {
  let db: Database;
  beforeAll(async () => {
    db = await postgresBackend.open();
  });
  afterAll(() => db.close());
  const clock = createManualClock(new Date('2026-03-01T12:00:00.000Z'));

  test('a worker whose clock stands still runs a job that was enqueued elsewhere', async () => {
    const { runner, ran } = createRecordingRunner({ db, clock });
    await listenForJobs(db, runner);
    runner.start();
    const times = { dueAt: clock.now(), createdAt: clock.now() };
    await enqueue(db, { kind: 'work', ref: 'from elsewhere', fairnessKey: 'k', ...times });
    createJobNotifier({ db, clock, log })('work');
    await expect.poll(() => ran).toEqual(['from elsewhere']);
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
