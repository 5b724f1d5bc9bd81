import { BLOCKLIST_STATUSES } from '@svc/contract/vocabulary';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import {
  assertResyncAllowed,
  type BlocklistState,
  entriesPushed,
  entriesRefused,
  type FetchMode,
  fetchFailed,
  fetchFinished,
  fetchStarted,
  isIdle,
  mayPush,
  pauseBlocklist,
  pushFailed,
  pushFinished,
  type ResyncFacts,
  resyncBlocklist,
  roundStarted,
  topUpStarted,
} from './blocklist.ts';

type StateData = Omit<BlocklistState, 'lastFetchedAt' | 'lastAttemptedAt'> & {
  lastFetchedAt: string | null;
  lastAttemptedAt: string | null;
};
const toDate = (instant: string | null) => (instant === null ? null : new Date(instant));
const toState = (data: StateData): BlocklistState => ({
  ...data,
  lastFetchedAt: toDate(data.lastFetchedAt),
  lastAttemptedAt: toDate(data.lastAttemptedAt),
});

interface StateInput {
  state: StateData;
}
interface ReportData {
  run: number;
  at: string;
}
type FetchedData = ReportData & { entryCount: number; mode: FetchMode };
type FailureData = ReportData & { error: string };
const toReport = <Data extends ReportData>(data: Data) => ({ ...data, at: new Date(data.at) });

/** The steps of the vectors' sequences, by function name. */
const STEPS = {
  pauseBlocklist,
  resyncBlocklist,
  fetchStarted: (state: BlocklistState, data: ReportData) => fetchStarted(state, toReport(data)),
  fetchFinished: (state: BlocklistState, data: FetchedData) => fetchFinished(state, toReport(data)),
  entriesPushed: (state: BlocklistState, data: ReportData & { pushedCount: number }) =>
    entriesPushed(state, toReport(data)),
  pushFinished: (state: BlocklistState, data: ReportData) => pushFinished(state, toReport(data)),
  pushFailed: (state: BlocklistState, data: FailureData) => pushFailed(state, toReport(data)),
};
type StepData = FetchedData & FailureData & { step: keyof typeof STEPS; pushedCount: number };

testRuleCases('blocklist', ({ rule }) => {
  rule<StateInput>('pauseBlocklist', ({ state }) => pauseBlocklist(toState(state)));
  rule<StateInput>('resyncBlocklist', ({ state }) => resyncBlocklist(toState(state)));
  rule<ResyncFacts>('assertResyncAllowed', assertResyncAllowed);
  rule<StateInput & ReportData>('fetchStarted', ({ state, ...report }) => STEPS.fetchStarted(toState(state), report));
  rule<StateInput & { at: string }>('topUpStarted', ({ state, at }) =>
    topUpStarted(toState(state), { at: new Date(at) }),
  );
  rule<StateInput & { fetched: FetchedData }>('fetchFinished', ({ state, fetched }) =>
    STEPS.fetchFinished(toState(state), fetched),
  );
  rule<{ state: Pick<BlocklistState, 'run' | 'status' | 'isEnabled'>; run: number }>('mayPush', ({ state, run }) =>
    mayPush(state, run),
  );
  rule<StateInput & ReportData & { pushedCount: number }>('entriesPushed', ({ state, ...report }) =>
    STEPS.entriesPushed(toState(state), report),
  );
  rule<StateInput & ReportData>('pushFinished', ({ state, ...report }) => STEPS.pushFinished(toState(state), report));
  rule<StateInput & { failure: FailureData }>('fetchFailed', ({ state, failure }) =>
    fetchFailed(toState(state), toReport(failure)),
  );
  rule<StateInput & { failure: FailureData }>('pushFailed', ({ state, failure }) =>
    STEPS.pushFailed(toState(state), failure),
  );
  rule<StateInput & { steps: StepData[] }>('sequence', ({ state, steps }) =>
    steps.reduce((before, { step, ...data }) => STEPS[step](before, data), toState(state)),
  );
});

const NEW_LIST: BlocklistState = {
  run: 0,
  status: 'CREATED',
  isEnabled: true,
  syncedCount: 0,
  pendingCount: 0,
  lastFetchedAt: null,
  lastError: null,
  lastAttemptedAt: null,
};
const run = 0;
const at = new Date('2026-01-31T09:30:00Z');

test('goes through first fetch, push and top-up', () => {
  const fetching = fetchStarted(NEW_LIST, { run, at });
  const syncing = fetchFinished(fetching, { run, at, entryCount: 2, mode: 'full' });
  const synced = pushFinished(entriesPushed(syncing, { run, at, pushedCount: 2 }), { run, at });
  const toppingUp = topUpStarted(synced, { at });
  const toppedUp = toppingUp && fetchFinished(toppingUp, { run, at, entryCount: 1, mode: 'top-up' });
  const done = toppedUp && pushFinished(entriesPushed(toppedUp, { run, at, pushedCount: 1 }), { run, at });
  const statuses = [fetching, syncing, synced, toppingUp, toppedUp, done].map((state) => state?.status);
  expect(statuses).toEqual(['FETCHING', 'SYNCING', 'SYNCED', 'SYNCING_NEW_CONTACTS', 'SYNCING_NEW_CONTACTS', 'SYNCED']);
  expect(done).toMatchObject({ syncedCount: 3, pendingCount: 0, lastError: null });
});

test('refused entries are no longer pending, and the list is SYNCED with an error text', () => {
  const later = new Date(at.getTime() + 1);
  const syncing: BlocklistState = { ...NEW_LIST, status: 'SYNCING', pendingCount: 3 };
  const refused = entriesRefused(syncing, { run, at: later, refusedCount: 1 });
  expect(refused).toEqual({ ...syncing, pendingCount: 2, lastAttemptedAt: later });
  const pushed = entriesPushed(refused, { run, at, pushedCount: 2 });
  expect(pushFinished(pushed, { run, at, error: '1 refused' })).toMatchObject({
    status: 'SYNCED',
    syncedCount: 2,
    pendingCount: 0,
    lastError: '1 refused',
  });
  expect(pushFinished(pushed, { run, at }).lastError).toBeNull();
  expect(entriesRefused(refused, { run, at, refusedCount: -1 }).pendingCount).toBe(3);
  expect(entriesRefused(syncing, { run, at, refusedCount: 5 }).pendingCount).toBe(0);
  expect(entriesRefused(syncing, { run: run + 1, at, refusedCount: 1 })).toBe(syncing);
});

test('roundStarted: a top-up, a full fetch when nothing was pushed, null when the list is not idle', () => {
  const synced: BlocklistState = { ...NEW_LIST, status: 'SYNCED', syncedCount: 2 };
  expect(roundStarted(synced, { at })).toMatchObject({
    mode: 'top-up',
    state: { status: 'SYNCING_NEW_CONTACTS', lastAttemptedAt: at },
  });
  expect(roundStarted(NEW_LIST, { at })).toEqual({ mode: 'full', state: NEW_LIST });
  for (const status of BLOCKLIST_STATUSES) {
    expect(isIdle({ status, isEnabled: true })).toBe(status === 'SYNCED' || status === 'CREATED');
    expect(isIdle({ status, isEnabled: false })).toBe(false);
    if (!isIdle({ status, isEnabled: true })) expect(roundStarted({ ...NEW_LIST, status }, { at })).toBeNull();
    expect(roundStarted({ ...NEW_LIST, status, isEnabled: false }, { at })).toBeNull();
  }
});

test('a list paused during a fetch keeps its status, pushes nothing, and starts over with a resync', () => {
  const paused = pauseBlocklist(fetchStarted(NEW_LIST, { run, at }));
  const fetched = fetchFinished(paused, { run, at, entryCount: 5, mode: 'full' });
  expect(fetched).toMatchObject({ status: 'SYNCING_NEW_CONTACTS', isEnabled: false, pendingCount: 5, syncedCount: 0 });
  expect(mayPush(fetched, run)).toBe(false);
  expect(resyncBlocklist(fetched)).toMatchObject({ run: 1, status: 'FETCHING', isEnabled: true, lastFetchedAt: null });
});

test('no step of the pipeline changes the status of a paused list or enables it', () => {
  const step = fc.constantFrom<(state: BlocklistState) => BlocklistState>(
    pauseBlocklist,
    (state) => fetchStarted(state, { run, at }),
    (state) => topUpStarted(state, { at }) ?? state,
    (state) => fetchFinished(state, { run, at, entryCount: 3, mode: 'full' }),
    (state) => fetchFinished(state, { run, at, entryCount: 3, mode: 'top-up' }),
    (state) => entriesPushed(state, { run, at, pushedCount: 2 }),
    (state) => pushFinished(state, { run, at }),
    (state) => fetchFailed(state, { run, at, error: 'boom' }),
    (state) => pushFailed(state, { run, at, error: 'boom' }),
  );
  fc.assert(
    fc.property(fc.array(step), fc.array(step), (before, after) => {
      const paused = pauseBlocklist(before.reduce((state, next) => next(state), NEW_LIST));
      expect(['FETCHING', 'SYNCING']).not.toContain(paused.status);
      const later = after.reduce((state, next) => next(state), paused);
      expect([later.status, later.isEnabled]).toEqual([paused.status, false]);
      expect(later.pendingCount).toBeGreaterThanOrEqual(0);
    }),
  );
});
