import { createMock, type Mock } from '@svc/mock';
import type { PlatformEvent } from '@svc/contract/types';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createClient } from '../client.ts';
import { createNewRows, type NewRows } from './new-rows.ts';
import type { WindowRow } from './windows.ts';

const NOW = '2026-01-15T12:00:00.000Z';
let mock: Mock;

beforeEach(() => {
  mock = createMock({ now: NOW });
});
afterEach(() => mock.close());

function client() {
  return createClient({ baseUrl: 'http://mock.test', apiKey: 'osapi_demo_write', fetch: mock.fetch, maxRetries: 0 });
}

function newEvents(sinceMs: number | null) {
  return rowsOnly(createNewRows(() => client().events.list({ pageSize: 2 }).pages(), sinceMs));
}

/** Drops the number of requests. */
function rowsOnly<Row>(newRows: NewRows<Row>) {
  return { poll: async () => (await newRows.poll()).rows };
}

const ids = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id);

test('without a start, rows that exist already are not new', async () => {
  const events = newEvents(null);
  expect(await events.poll()).toEqual([]);
  const first = mock.trigger('sync.failed').eventId;
  await mock.clock.advance('5s');
  const second = mock.trigger('sync.recovered').eventId;
  expect(ids(await events.poll())).toEqual([first, second]);
  expect(await events.poll()).toEqual([]);
});

test('with a start, rows come oldest first and each once', async () => {
  const from = '2026-01-12T12:00:00.000Z';
  const events = newEvents(Date.parse(from));
  const expected = mock.db.events
    .findMany(
      { where: ({ createdAt, accountId }) => accountId === 1 && createdAt >= new Date(from) },
      { orderBy: 'oldest' },
    )
    .map(({ id }) => id);
  const found = ids(await events.poll());
  expect(found.length).toBeGreaterThan(3);
  expect(expected).toEqual(expect.arrayContaining(found));
  expect(found[0]).toBe('osevt_demo0041');
  expect(await events.poll()).toEqual([]);
});

test('an event that becomes visible late is returned, and no event twice', async () => {
  const events = newEvents(null);
  await events.poll();
  await mock.clock.advance('50s');
  const early = mock.trigger('sync.failed').eventId;
  expect(ids(await events.poll())).toEqual([early]);
  const late = await mock.db.events.create({ type: 'sync.recovered', createdAt: new Date(Date.parse(NOW) + 20_000) });
  expect(ids(await events.poll())).toEqual([late.id]);
  await mock.clock.advance('10m');
  expect(await events.poll()).toEqual([]);
});

test('after a poll that fails half-way, the next one returns its rows', async () => {
  const events = newEvents(Date.parse('2026-01-12T12:00:00.000Z'));
  mock.faults.add({ operations: ['listEvents'], nth: 2, times: 1, effect: { kind: 'status', status: 503 } });
  await expect(events.poll()).rejects.toMatchObject({ status: 503 });
  expect(ids(await events.poll())).toContain('osevt_demo0041');
});

test('returns the number of requests of a poll', async () => {
  const events = createNewRows(() => client().events.list({ pageSize: 2 }).pages(), null);
  expect(await events.poll()).toEqual({ rows: [], requests: 1 });
  for (let count = 0; count < 5; count += 1) mock.trigger('sync.failed');
  const { rows, requests } = await events.poll();
  // The third page ends with the newest old row; the minute before that row is read again.
  expect([rows.length, requests]).toEqual([5, 4]);
});

test('the start may be 0 or missing', async () => {
  const from: number[] = [];
  async function* none(fromMs: number) {
    from.push(fromMs);
    yield { data: [] as WindowRow[] };
  }
  await createNewRows(none, 0).poll();
  await createNewRows(none, null).poll();
  expect(from).toEqual([0, Number.NEGATIVE_INFINITY]);
});

test('an empty log has no new rows', async () => {
  async function* none(): AsyncGenerator<{ data: WindowRow[] }> {
    yield { data: [] };
  }
  const events = createNewRows(none, null);
  const nothing = { rows: [], requests: 1 };
  expect([await events.poll(), await events.poll()]).toEqual([nothing, nothing]);
});

test('the first event of an empty log is new', async () => {
  const rows: PlatformEvent[] = [];
  async function* log() {
    yield { data: rows };
  }
  const events = rowsOnly(createNewRows(log, null));
  await events.poll();
  const subject = { connectionId: null, sourceId: null, delivered: false };
  rows.push({ id: 'osevt_1', type: 'test.ping', summary: '', data: {}, ...subject, createdAt: NOW });
  expect(ids(await events.poll())).toEqual(['osevt_1']);
});

describe('rows become visible up to a minute after they were created, in any order', () => {
  const START_MS = Date.parse(NOW);
  // Few instants, so that rows and polls coincide.
  const STEP_MS = 5000;
  const row = fc.record({
    id: fc.nat(),
    createdMs: fc.nat(60).map((steps) => START_MS - 150_000 + steps * STEP_MS),
    lagMs: fc.nat(60_000 / STEP_MS).map((steps) => steps * STEP_MS),
  });
  /** The time of a poll, and after how many rows it fails. */
  const poll = fc.record({
    afterMs: fc.integer({ min: 1, max: 18 }).map((steps) => steps * STEP_MS),
    failsAfter: fc.option(fc.nat(5), { freq: 3 }),
  });
  type Row = WindowRow & { readonly createdMs: number; readonly lagMs: number };
  const logs = fc
    .uniqueArray(row, { selector: ({ id }) => id, maxLength: 60 })
    .map((rows): Row[] => rows.map((each) => ({ ...each, createdAt: new Date(each.createdMs).toISOString() })));

  async function watch(
    rows: readonly Row[],
    polls: readonly { afterMs: number; failsAfter: number | null }[],
    sinceMs: number | null,
  ) {
    let nowMs = START_MS;
    let failsAfter: number | null = null;
    const newestFirst = [...rows].sort((one, other) => other.createdMs - one.createdMs);
    async function* openPages(fromMs: number) {
      let count = 0;
      for (const each of newestFirst) {
        if (each.createdMs + each.lagMs > nowMs || each.createdMs < fromMs) continue;
        if (count === failsAfter) throw new Error('broken off');
        count += 1;
        yield { data: [each] };
      }
    }
    const newRows = rowsOnly(createNewRows(openPages, sinceMs));
    const batches: (readonly Row[])[] = [await newRows.poll()];
    // The last poll succeeds.
    for (const next of [...polls, { afterMs: 1_000_000, failsAfter: null }]) {
      nowMs += next.afterMs;
      failsAfter = next.failsAfter;
      const found = await newRows.poll().catch(() => null);
      if (found !== null) batches.push(found);
    }
    return batches;
  }

  test('a row that becomes visible 60,000 ms late, just after a newer one, is returned', async () => {
    const at = (createdMs: number) => new Date(createdMs).toISOString();
    const late = { id: 1, createdMs: START_MS, lagMs: 60_000, createdAt: at(START_MS) };
    const newest = { id: 2, createdMs: START_MS + 59_999, lagMs: 0, createdAt: at(START_MS + 59_999) };
    const polls = [59_999, 1].map((afterMs) => ({ afterMs, failsAfter: null }));
    const batches = await watch([late, newest], polls, START_MS);
    expect(batches.slice(0, 3)).toEqual([[], [newest], [late]]);
  });

  test('with a start, each row comes once, oldest first', async () => {
    await fc.assert(
      fc.asyncProperty(logs, fc.array(poll, { maxLength: 12 }), async (rows, polls) => {
        const sinceMs = START_MS - 100_000;
        const batches = await watch(rows, polls, sinceMs);
        for (const batch of batches) {
          const times = batch.map(({ createdMs }) => createdMs);
          expect(times).toEqual(times.toSorted((one, other) => one - other));
        }
        const expected = rows.filter(({ createdMs }) => createdMs >= sinceMs).map(({ id }) => Number(id));
        const found = batches.flat().map(({ id }) => Number(id));
        expect(found.toSorted((one, other) => one - other)).toEqual(expected.toSorted((one, other) => one - other));
      }),
      { numRuns: 1000 },
    );
  });

  test('without a start, rows come that become visible after the first poll', async () => {
    await fc.assert(
      fc.asyncProperty(logs, fc.array(poll, { maxLength: 12 }), async (rows, polls) => {
        const found = (await watch(rows, polls, null)).flat().map(({ id }) => Number(id));
        const expected = rows
          .filter(({ createdMs, lagMs }) => createdMs + lagMs > START_MS)
          .map(({ id }) => Number(id));
        expect(found.toSorted((one, other) => one - other)).toEqual(expected.toSorted((one, other) => one - other));
      }),
      { numRuns: 1000 },
    );
  });
});
