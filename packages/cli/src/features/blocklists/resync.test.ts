import { createMock, type Mock } from '@svc/mock';
import { createClient } from '@svc/sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pickBlocklists } from './pick.ts';
import {
  exitCodeOfResync,
  leftPaused,
  type ResyncPlan,
  resyncBlocklists,
  type ResyncState,
  startingState,
} from './resync.ts';

let mock: Mock;
/** What was told, as `id phase status`, without repeats. */
let told: string[];
let troubles: string[];

beforeEach(() => {
  mock = createMock({ now: '2026-01-15T12:00:00.000Z' });
  told = [];
  troubles = [];
});
afterEach(() => mock.close());

const sdk = () =>
  createClient({ baseUrl: 'http://mock.test', apiKey: 'osapi_demo_write', fetch: mock.fetch, maxRetries: 0 });

interface Options {
  readonly wait?: boolean;
  readonly timeoutMs?: number;
  readonly skipsInProgress?: boolean;
  /** Before each look but the first. */
  readonly meanwhile?: (look: number) => unknown;
}

async function resync(ids: readonly number[], options: Options = {}): Promise<readonly ResyncState[]> {
  const client = sdk();
  let looks = 0;
  const plan: ResyncPlan = {
    wait: options.wait === false ? null : { timeoutMs: options.timeoutMs ?? 60_000, pollMs: 1000 },
    skipsInProgress: options.skipsInProgress ?? false,
    now: () => mock.clock.now.getTime(),
    async sleep(ms) {
      await mock.clock.advance(ms);
      looks += 1;
      await options.meanwhile?.(looks);
    },
    onChange(states, trouble) {
      for (const { id, phase, blocklist } of states) told.push(`${id} ${phase} ${blocklist?.status}`);
      if (trouble !== null) troubles.push(trouble);
    },
  };
  const lists = await pickBlocklists(client, { ids, all: false });
  return resyncBlocklists(
    client,
    lists.map(({ id, blocklist }) => startingState(id, blocklist)),
    plan,
  );
}

const outcomes = (states: readonly ResyncState[]) => states.map(({ id, outcome }) => [id, outcome]);
const changes = () => told.filter((line, index) => line !== told[index - 1]);

test('a resync is seen through, from FETCHING to SYNCED', async () => {
  const states = await resync([1]);
  expect(outcomes(states)).toEqual([[1, 'synced']]);
  expect(states[0]?.blocklist).toMatchObject({ syncedCount: 1840, pendingCount: 0, lastError: null });
  expect(changes()).toEqual(['1 starting SYNCED', '1 waiting FETCHING', '1 waiting SYNCING', '1 ended SYNCED']);
});

test('several are waited for with one request for each look', async () => {
  await resync([1, 4, 8]);
  const calls = mock.journal.all().map(({ operationId }) => operationId);
  expect(calls.filter((id) => id === 'resyncBlocklist')).toHaveLength(3);
  // One to pick them, one at once, one for each of the five seconds that fetch and push take.
  expect(calls.filter((id) => id === 'listBlocklists')).toHaveLength(7);
});

describe('while something is under way already', () => {
  test('a resync that is under way is waited for, and not begun again', async () => {
    await sdk().blocklists.resync(1);
    expect(outcomes(await resync([1]))).toEqual([[1, 'synced']]);
    mock.verify({ operation: 'resyncBlocklist', times: 2 });
  });

  test('a top-up is not taken for a resync: it is let end, then the resync begins', async () => {
    await mock.clock.advance('24h');
    const first = (await sdk().blocklists.list()).blocklists.find(({ status }) => status === 'SYNCING_NEW_CONTACTS');
    const id = first?.id ?? 0;
    mock.journal.clear();
    const [state] = await resync([id]);
    expect([state?.outcome, changes()[0]]).toEqual(['synced', `${id} starting SYNCING_NEW_CONTACTS`]);
    expect(changes()).toContain(`${id} waiting FETCHING`);
  });

  test('without waiting it is a conflict, or let be', async () => {
    await sdk().blocklists.resync(1);
    const conflict = await resync([1], { wait: false });
    expect(outcomes(conflict)).toEqual([[1, 'in-progress']]);
    expect([exitCodeOfResync(conflict, false), exitCodeOfResync(conflict, true)]).toEqual([6, 0]);
  });

  test('--skip-in-progress does not wait for it either', async () => {
    await sdk().blocklists.resync(1);
    expect(outcomes(await resync([1, 4], { skipsInProgress: true }))).toEqual([
      [1, 'in-progress'],
      [4, 'synced'],
    ]);
  });
});

describe('what it can end with', () => {
  test('failed, when the CRM does not give the list', async () => {
    mock.configure({ crmFailures: [{ status: 'error', error: { httpStatus: 403, message: 'missing scope' } }] });
    const states = await resync([1]);
    expect(outcomes(states)).toEqual([[1, 'failed']]);
    expect(states[0]?.blocklist?.lastError).toContain('missing scope');
    expect(exitCodeOfResync(states, false)).toBe(9);
  });

  test('paused, by somebody else', async () => {
    const meanwhile = (look: number) => look === 1 && sdk().blocklists.pause(1);
    const states = await resync([1], { meanwhile });
    expect([outcomes(states), exitCodeOfResync(states, false)]).toEqual([[[1, 'paused']], 9]);
  });

  test('timeout, after the last look', async () => {
    const states = await resync([1], { timeoutMs: 1500 });
    expect([outcomes(states), exitCodeOfResync(states, false)]).toEqual([[[1, 'timeout']], 11]);
    expect(mock.clock.now.toISOString()).toBe('2026-01-15T12:00:01.500Z');
  });

  test('refused, with the reason', async () => {
    const states = await resync([6, 9, 99]);
    expect(outcomes(states)).toEqual([
      [6, 'refused'],
      [9, 'refused'],
      [99, 'refused'],
    ]);
    expect(states.map(({ error }) => [error?.exitCode, error?.message])).toEqual([
      [6, 'Blocklist has no CRM source to resync from'],
      [5, 'Block lists are not enabled for this connection'],
      [3, 'Blocklist 99 not found'],
    ]);
  });

  test('refused, when it is gone while it is waited for', async () => {
    const meanwhile = (look: number) => look === 1 && mock.db.blocklists.delete({ where: { id: 1 } });
    const states = await resync([1], { meanwhile });
    expect(states[0]).toMatchObject({ outcome: 'refused', error: { exitCode: 3, message: 'Blocklist 1 is gone' } });
  });
});

describe('a service that is away', () => {
  test('while it is waited for: it is waited for too', async () => {
    const meanwhile = (look: number) => {
      if (look === 1)
        mock.faults.add({ operations: ['listBlocklists'], times: 2, effect: { kind: 'status', status: 503 } });
    };
    expect(outcomes(await resync([1], { meanwhile }))).toEqual([[1, 'synced']]);
    expect(troubles).toHaveLength(2);
  });

  test('when it is asked: it is asked again', async () => {
    mock.faults.add({ operations: ['resyncBlocklist'], times: 1, effect: { kind: 'status', status: 500 } });
    expect(outcomes(await resync([1]))).toEqual([[1, 'synced']]);
  });

  test('for all of the time: what was never accepted has not timed out', async () => {
    mock.faults.add({ operations: ['resyncBlocklist'], effect: { kind: 'status', status: 500 } });
    const states = await resync([1], { timeoutMs: 3000 });
    expect([outcomes(states), exitCodeOfResync(states, false)]).toEqual([[[1, 'refused']], 8]);
  });

  test('without waiting it is refused at once', async () => {
    mock.faults.add({ operations: ['resyncBlocklist'], times: 1, effect: { kind: 'status', status: 500 } });
    const states = await resync([1, 4], { wait: false });
    expect(outcomes(states)).toEqual([
      [1, 'refused'],
      [4, 'queued'],
    ]);
    expect(exitCodeOfResync(states, false)).toBe(10);
  });

  test('a key that is void meanwhile ends it', async () => {
    const meanwhile = () =>
      mock.faults.add({ operations: ['listBlocklists'], effect: { kind: 'status', status: 401 } });
    await expect(resync([1], { meanwhile })).rejects.toMatchObject({ status: 401 });
  });
});

test('a list that is left paused is no failure, and nothing is asked for it', async () => {
  const client = sdk();
  const paused = (await client.blocklists.list()).blocklists.find(({ isEnabled }) => !isEnabled);
  if (paused === undefined) throw new Error('the demo world has no paused list');
  const plan = { wait: null, skipsInProgress: false, now: () => 0, sleep: async () => {}, onChange() {} };
  const states = await resyncBlocklists(client, [leftPaused(paused)], plan);
  expect([outcomes(states), exitCodeOfResync(states, false)]).toEqual([[[7, 'left-paused']], 0]);
  mock.verify({ operation: 'resyncBlocklist', times: 0 });
});
