/**
 * A block list with jobs of several runs that report in any order, for example a push that ends after a resync. A job checks
 * whether it may continue, works, and reports later; anything can happen in between.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type BlocklistState,
  entriesPushed,
  type FetchMode,
  fetchFailed,
  fetchFinished,
  fetchStarted,
  isCurrentRun,
  mayPush,
  pauseBlocklist,
  pushFailed,
  pushFinished,
  resyncBlocklist,
  roundStarted,
} from './blocklist.ts';

const at = new Date('2026-01-31T09:30:00Z');
const BATCH_SIZE = 2;

type Job = { readonly run: number } & (
  | { readonly doing: 'starting'; readonly mode: FetchMode }
  | { readonly doing: 'fetching'; readonly mode: FetchMode }
  /** Checks next whether it may push. */
  | { readonly doing: 'between batches' }
  /** May push; `left` entries were pending at the check. */
  | { readonly doing: 'pushing'; readonly left: number }
);

interface World {
  readonly state: BlocklistState;
  readonly jobs: readonly Job[];
}

/** The result of a job's next step. */
interface Step {
  readonly fails: boolean;
  readonly entryCount: number;
}

/** Runs the next step of a job; without `job` in the result the job is done. */
function advance(state: BlocklistState, job: Job, { fails, entryCount }: Step): { state: BlocklistState; job?: Job } {
  const { run } = job;
  const report = { run, at };
  switch (job.doing) {
    case 'starting':
      return { state: fetchStarted(state, report), job: { run, doing: 'fetching', mode: job.mode } };
    case 'fetching': {
      if (fails) return { state: fetchFailed(state, { ...report, error: 'boom' }) };
      const fetched = fetchFinished(state, { ...report, entryCount, mode: job.mode });
      return { state: fetched, job: { run, doing: 'between batches' } };
    }
    case 'between batches':
      return mayPush(state, run) ? { state, job: { run, doing: 'pushing', left: state.pendingCount } } : { state };
    case 'pushing':
      if (fails) return { state: pushFailed(state, { ...report, error: 'boom' }) };
      if (job.left === 0) return { state: pushFinished(state, report) };
      return {
        state: entriesPushed(state, { ...report, pushedCount: Math.min(job.left, BATCH_SIZE) }),
        job: { run, doing: 'between batches' },
      };
  }
}

function advanceJob({ state, jobs }: World, index: number, step: Step): World {
  const job = jobs[index];
  if (job === undefined) return { state, jobs };
  const next = advance(state, job, step);
  return { state: next.state, jobs: next.job ? jobs.with(index, next.job) : jobs.toSpliced(index, 1) };
}

/** Resyncs even while a fetch of an earlier run is active; the properties must hold then too. */
function resync({ state, jobs }: World): World {
  if (state.status === 'FETCHING' || state.status === 'SYNCING') return { state, jobs };
  const resynced = resyncBlocklist(state);
  return { state: resynced, jobs: [...jobs, { run: resynced.run, doing: 'starting', mode: 'full' }] };
}

/** Starts the next round when no job of the current run is active. */
function tick({ state, jobs }: World): World {
  if (jobs.some((job) => isCurrentRun(state, job.run))) return { state, jobs };
  const round = roundStarted(state, { at });
  if (round === null) return { state, jobs };
  return { state: round.state, jobs: [...jobs, { run: state.run, doing: 'starting', mode: round.mode }] };
}

/** Finishes every job without failures, in an order that `picks` chooses. */
function finishJobs(world: World, picks: readonly number[], entryCount: number): World {
  let current = world;
  for (let step = 0; current.jobs.length > 0; step += 1) {
    if (step > 1000) throw new Error('the jobs never end');
    const pick = picks[step % picks.length] ?? 0;
    current = advanceJob(current, pick % current.jobs.length, { fails: false, entryCount });
  }
  return current;
}

const START: World = {
  state: {
    run: 0,
    status: 'CREATED',
    isEnabled: true,
    syncedCount: 0,
    pendingCount: 0,
    lastFetchedAt: null,
    lastError: null,
    lastAttemptedAt: null,
  },
  jobs: [],
};

const action: fc.Arbitrary<(world: World) => World> = fc.oneof(
  { weight: 1, arbitrary: fc.constant((world: World) => ({ ...world, state: pauseBlocklist(world.state) })) },
  { weight: 2, arbitrary: fc.constant(resync) },
  { weight: 2, arbitrary: fc.constant(tick) },
  {
    weight: 8,
    arbitrary: fc.record({ index: fc.nat({ max: 3 }), fails: fc.boolean(), entryCount: fc.nat({ max: 7 }) }).map(
      ({ index, ...step }) =>
        (world: World) =>
          advanceJob(world, index, step),
    ),
  },
);
const history = fc.array(action, { maxLength: 60 });
const picks = fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 20 });

test('a SYNCED list has pending entries only with an error', () => {
  fc.assert(
    fc.property(history, (steps) => {
      let world = START;
      for (const step of steps) {
        world = step(world);
        const { status, pendingCount, lastError } = world.state;
        expect(status === 'SYNCED' && pendingCount > 0 && lastError === null).toBe(false);
      }
    }),
    { numRuns: 500 },
  );
});

test('an enabled list is idle once its jobs are done, and its next round succeeds', () => {
  fc.assert(
    fc.property(history, picks, (steps, order) => {
      const idle = finishJobs(
        steps.reduce((world, step) => step(world), START),
        order,
        3,
      );
      const { state } = idle;
      if (!state.isEnabled) {
        expect(['FETCHING', 'SYNCING']).not.toContain(state.status);
        return;
      }
      expect(['CREATED', 'SYNCED']).toContain(state.status);
      const next = finishJobs(tick(idle), order, 3).state;
      expect(next).toMatchObject({ status: 'SYNCED', pendingCount: 0, lastError: null });
    }),
    { numRuns: 500 },
  );
});

test('a resync counts only the entries of its own run, even if jobs of earlier runs still report', () => {
  fc.assert(
    fc.property(history, picks, (steps, order) => {
      const before = steps.reduce((world, step) => step(world), START);
      const resynced = resync({ ...before, state: pauseBlocklist(before.state) });
      const { state } = finishJobs(resynced, order, 5);
      expect(state).toMatchObject({
        run: before.state.run + 1,
        status: 'SYNCED',
        isEnabled: true,
        syncedCount: 5,
        pendingCount: 0,
        lastError: null,
      });
    }),
    { numRuns: 500 },
  );
});
