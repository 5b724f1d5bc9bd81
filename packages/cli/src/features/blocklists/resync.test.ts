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
/** Reported changes as `id phase status`. */
let reported: string[];
let troubles: string[];

beforeEach(() => {
  mock = createMock({ now: '2026-01-15T12:00:00.000Z' });
  reported = [];
  troubles = [];
});
afterEach(() => mock.close());

const sdk = () =>
  createClient({ baseUrl: 'http://mock.test', apiKey: 'osapi_demo_write', fetch: mock.fetch, maxRetries: 0 });

interface Options {
  readonly wait?: boolean;
  readonly timeoutMs?: number;
  readonly skipsInProgress?: boolean;
  readonly isAll?: boolean;
  /** Called after each wait with the number of waits. */
  readonly afterWait?: (waits: number) => unknown;
}

async function resync(ids: readonly number[], options: Options = {}): Promise<readonly ResyncState[]> {
  const client = sdk();
  let waits = 0;
  const plan: ResyncPlan = {
    wait: options.wait === false ? null : { timeoutMs: options.timeoutMs ?? 60_000, pollMs: 1000 },
    skipsInProgress: options.skipsInProgress ?? false,
    isAll: options.isAll ?? false,
    now: () => mock.clock.now.getTime(),
    async sleep(ms) {
      await mock.clock.advance(ms);
      waits += 1;
      await options.afterWait?.(waits);
    },
    onChange(states, trouble) {
      for (const { id, phase, blocklist } of states) reported.push(`${id} ${phase} ${blocklist?.status}`);
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

const STRICT = { wait: null, skipsInProgress: false };
const outcomes = (states: readonly ResyncState[]) => states.map(({ id, outcome }) => [id, outcome]);
const changes = () => reported.filter((line, index) => line !== reported[index - 1]);

test('waits for a resync from FETCHING to SYNCED', async () => {
  const states = await resync([1]);
  expect(outcomes(states)).toEqual([[1, 'synced']]);
  expect(states[0]?.blocklist).toMatchObject({ syncedCount: 1840, pendingCount: 0, lastError: null });
  expect(changes()).toEqual(['1 starting SYNCED', '1 waiting FETCHING', '1 waiting SYNCING', '1 ended SYNCED']);
});

test('waits for several lists with one request per poll', async () => {
  await resync([1, 4, 8]);
  const calls = mock.journal.all().map(({ operationId }) => operationId);
  expect(calls.filter((id) => id === 'resyncBlocklist')).toHaveLength(3);
  // One request to pick the lists, one at once, one for each of the five seconds that fetch and push take.
  expect(calls.filter((id) => id === 'listBlocklists')).toHaveLength(7);
});

describe('while something is already in progress', () => {
  test('waits for a running resync instead of starting another', async () => {
    await sdk().blocklists.resync(1);
    expect(outcomes(await resync([1]))).toEqual([[1, 'synced']]);
    mock.verify({ operation: 'resyncBlocklist', times: 2 });
  });

  test('waits for the end of a top-up, then starts the resync', async () => {
    await mock.clock.advance('24h');
    const first = (await sdk().blocklists.list()).blocklists.find(({ status }) => status === 'SYNCING_NEW_CONTACTS');
    const id = first?.id ?? 0;
    mock.journal.clear();
    const [state] = await resync([id]);
    expect([state?.outcome, changes()[0]]).toEqual(['synced', `${id} starting SYNCING_NEW_CONTACTS`]);
    expect(changes()).toContain(`${id} waiting FETCHING`);
  });

  test('without --wait: conflict, or skipped', async () => {
    await sdk().blocklists.resync(1);
    const conflict = await resync([1], { wait: false });
    expect(outcomes(conflict)).toEqual([[1, 'in-progress']]);
    expect([
      exitCodeOfResync(conflict, STRICT),
      exitCodeOfResync(conflict, { ...STRICT, skipsInProgress: true }),
    ]).toEqual([6, 0]);
  });

  test('--skip-in-progress does not wait', async () => {
    await sdk().blocklists.resync(1);
    expect(outcomes(await resync([1, 4], { skipsInProgress: true }))).toEqual([
      [1, 'in-progress'],
      [4, 'synced'],
    ]);
  });
});

describe('outcomes', () => {
  test('failed, if the CRM does not return the list', async () => {
    mock.configure({ crmFailures: [{ status: 'error', error: { httpStatus: 403, message: 'missing scope' } }] });
    const states = await resync([1]);
    expect(outcomes(states)).toEqual([[1, 'failed']]);
    expect(states[0]?.blocklist?.lastError).toContain('missing scope');
    expect(exitCodeOfResync(states, STRICT)).toBe(9);
  });

  test('paused, by somebody else', async () => {
    const afterWait = (waits: number) => waits === 1 && sdk().blocklists.pause(1);
    const states = await resync([1], { afterWait });
    expect([outcomes(states), exitCodeOfResync(states, STRICT)]).toEqual([[[1, 'paused']], 9]);
  });

  test('timeout, after the last request', async () => {
    const states = await resync([1], { timeoutMs: 1500 });
    expect([outcomes(states), exitCodeOfResync(states, STRICT)]).toEqual([[[1, 'timeout']], 11]);
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

  test('skipped, if all lists were chosen: no request can resync them', async () => {
    const states = await resync([1, 6, 9], { isAll: true });
    expect(outcomes(states)).toEqual([
      [1, 'synced'],
      [6, 'no-crm-source'],
      [9, 'not-enabled'],
    ]);
    expect(exitCodeOfResync(states, STRICT)).toBe(0);
  });

  test('refused, even if all lists were chosen: a key without write scope', async () => {
    const skipped = await resync([9], { isAll: true });
    mock.faults.add({ operations: ['resyncBlocklist'], effect: { kind: 'status', status: 403 } });
    const states = await resync([1], { isAll: true });
    expect([outcomes(states), exitCodeOfResync(states, STRICT)]).toEqual([[[1, 'refused']], 5]);
    // Skipped lists do not count as success.
    expect(exitCodeOfResync([...states, ...skipped], STRICT)).toBe(5);
  });

  test('refused, if the list is deleted during the wait', async () => {
    const afterWait = (waits: number) => waits === 1 && mock.db.blocklists.delete({ where: { id: 1 } });
    const states = await resync([1], { afterWait });
    expect(states[0]).toMatchObject({ outcome: 'refused', error: { exitCode: 3, message: 'Blocklist 1 is gone' } });
  });
});

describe('a failing service', () => {
  test('during the wait: keeps waiting', async () => {
    const afterWait = (waits: number) => {
      if (waits === 1)
        mock.faults.add({ operations: ['listBlocklists'], times: 2, effect: { kind: 'status', status: 503 } });
    };
    expect(outcomes(await resync([1], { afterWait }))).toEqual([[1, 'synced']]);
    expect(troubles).toHaveLength(2);
  });

  test('when a resync is started: starts it again', async () => {
    mock.faults.add({ operations: ['resyncBlocklist'], times: 1, effect: { kind: 'status', status: 500 } });
    expect(outcomes(await resync([1]))).toEqual([[1, 'synced']]);
  });

  test('until the timeout: a resync that was never accepted is refused, not timed out', async () => {
    mock.faults.add({ operations: ['resyncBlocklist'], effect: { kind: 'status', status: 500 } });
    const states = await resync([1], { timeoutMs: 3000 });
    expect([outcomes(states), exitCodeOfResync(states, STRICT)]).toEqual([[[1, 'refused']], 8]);
  });

  test('without --wait: refused at once', async () => {
    mock.faults.add({ operations: ['resyncBlocklist'], times: 1, effect: { kind: 'status', status: 500 } });
    const states = await resync([1, 4], { wait: false });
    expect(outcomes(states)).toEqual([
      [1, 'refused'],
      [4, 'queued'],
    ]);
    expect(exitCodeOfResync(states, STRICT)).toBe(10);
  });

  test('ends if the key is rejected', async () => {
    const afterWait = () =>
      mock.faults.add({ operations: ['listBlocklists'], effect: { kind: 'status', status: 401 } });
    await expect(resync([1], { afterWait })).rejects.toMatchObject({ status: 401 });
  });
});

test('a list that stays paused is not a failure and needs no request', async () => {
  const client = sdk();
  const paused = (await client.blocklists.list()).blocklists.find(({ isEnabled }) => !isEnabled);
  if (paused === undefined) throw new Error('the demo world has no paused list');
  const plan = { ...STRICT, isAll: true, now: () => 0, sleep: async () => {}, onChange() {} };
  const states = await resyncBlocklists(client, [leftPaused(paused)], plan);
  expect([outcomes(states), exitCodeOfResync(states, STRICT)]).toEqual([[[7, 'left-paused']], 0]);
  mock.verify({ operation: 'resyncBlocklist', times: 0 });
});
