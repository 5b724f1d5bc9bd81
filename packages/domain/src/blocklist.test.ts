import type { BlocklistStatus } from '@svc/contract/vocabulary';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { testRuleCases } from '../test/rule-suite.ts';
import {
  assertResyncAllowed,
  type BlocklistState,
  entriesPushed,
  type FetchMode,
  fetchFailed,
  fetchFinished,
  fetchStarted,
  mayPush,
  pauseBlocklist,
  pushFailed,
  pushFinished,
  type ResyncFacts,
  resyncBlocklist,
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
interface TimedInput extends StateInput {
  at: string;
}
interface FailureInput extends StateInput {
  failure: { at: string; error: string };
}

testRuleCases('blocklist', ({ rule }) => {
  rule<StateInput>('pauseBlocklist', ({ state }) => pauseBlocklist(toState(state)));
  rule<StateInput>('resyncBlocklist', ({ state }) => resyncBlocklist(toState(state)));
  rule<ResyncFacts>('assertResyncAllowed', assertResyncAllowed);
  rule<TimedInput>('fetchStarted', ({ state, at }) => fetchStarted(toState(state), { at: new Date(at) }));
  rule<TimedInput>('topUpStarted', ({ state, at }) => topUpStarted(toState(state), { at: new Date(at) }));
  rule<StateInput & { fetched: { at: string; entryCount: number; mode: FetchMode } }>(
    'fetchFinished',
    ({ state, fetched }) => fetchFinished(toState(state), { ...fetched, at: new Date(fetched.at) }),
  );
  rule<{ status: BlocklistStatus; isEnabled: boolean }>('mayPush', mayPush);
  rule<TimedInput & { pushedCount: number }>('entriesPushed', ({ state, at, pushedCount }) =>
    entriesPushed(toState(state), { at: new Date(at), pushedCount }),
  );
  rule<TimedInput>('pushFinished', ({ state, at }) => pushFinished(toState(state), { at: new Date(at) }));
  rule<FailureInput>('fetchFailed', ({ state, failure }) =>
    fetchFailed(toState(state), { ...failure, at: new Date(failure.at) }),
  );
  rule<FailureInput>('pushFailed', ({ state, failure }) =>
    pushFailed(toState(state), { ...failure, at: new Date(failure.at) }),
  );
});

const NEW_LIST: BlocklistState = {
  status: 'CREATED',
  isEnabled: true,
  syncedCount: 0,
  pendingCount: 0,
  lastFetchedAt: null,
  lastError: null,
  lastAttemptedAt: null,
};
const at = new Date('2026-01-31T09:30:00Z');

test('the life of a list: first fetch, push, top-up', () => {
  const fetching = fetchStarted(NEW_LIST, { at });
  const syncing = fetchFinished(fetching, { at, entryCount: 2, mode: 'full' });
  const synced = pushFinished(entriesPushed(syncing, { at, pushedCount: 2 }), { at });
  const toppingUp = topUpStarted(synced, { at });
  const toppedUp = toppingUp && fetchFinished(toppingUp, { at, entryCount: 1, mode: 'top-up' });
  const done = toppedUp && pushFinished(entriesPushed(toppedUp, { at, pushedCount: 1 }), { at });
  const statuses = [fetching, syncing, synced, toppingUp, toppedUp, done].map((state) => state?.status);
  expect(statuses).toEqual(['FETCHING', 'SYNCING', 'SYNCED', 'SYNCING_NEW_CONTACTS', 'SYNCING_NEW_CONTACTS', 'SYNCED']);
  expect(done).toMatchObject({ syncedCount: 3, pendingCount: 0, lastError: null });
});

test('a list paused in mid-fetch stays put when the fetch ends, pushes nothing, and starts over by a resync', () => {
  const paused = pauseBlocklist(fetchStarted(NEW_LIST, { at }));
  const fetched = fetchFinished(paused, { at, entryCount: 5, mode: 'full' });
  expect(fetched).toMatchObject({ status: 'SYNCING_NEW_CONTACTS', isEnabled: false, pendingCount: 5, syncedCount: 0 });
  expect(mayPush(fetched)).toBe(false);
  expect(resyncBlocklist(fetched)).toMatchObject({ status: 'FETCHING', isEnabled: true, lastFetchedAt: null });
});

test('no step of the pipeline moves a paused list or switches it on', () => {
  const step = fc.constantFrom<(state: BlocklistState) => BlocklistState>(
    pauseBlocklist,
    (state) => fetchStarted(state, { at }),
    (state) => topUpStarted(state, { at }) ?? state,
    (state) => fetchFinished(state, { at, entryCount: 3, mode: 'full' }),
    (state) => fetchFinished(state, { at, entryCount: 3, mode: 'top-up' }),
    (state) => entriesPushed(state, { at, pushedCount: 2 }),
    (state) => pushFinished(state, { at }),
    (state) => fetchFailed(state, { at, error: 'boom' }),
    (state) => pushFailed(state, { at, error: 'boom' }),
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
