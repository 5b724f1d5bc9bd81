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

/** Without how many requests a look took. */
function rowsOnly<Row>(news: NewRows<Row>) {
  return { look: async () => (await news.look()).rows };
}

const ids = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id);

test('without a beginning, what is there already is not new', async () => {
  const events = newEvents(null);
  expect(await events.look()).toEqual([]);
  const first = mock.trigger('sync.failed').eventId;
  await mock.clock.advance('5s');
  const second = mock.trigger('sync.recovered').eventId;
  expect(ids(await events.look())).toEqual([first, second]);
  expect(await events.look()).toEqual([]);
});

test('from a beginning on, oldest first and each once', async () => {
  const from = '2026-01-12T12:00:00.000Z';
  const events = newEvents(Date.parse(from));
  const expected = mock.db.events
    .findMany(
      { where: ({ createdAt, accountId }) => accountId === 1 && createdAt >= new Date(from) },
      { orderBy: 'oldest' },
    )
    .map(({ id }) => id);
  const found = ids(await events.look());
  expect(found.length).toBeGreaterThan(3);
  expect(expected).toEqual(expect.arrayContaining(found));
  expect(found[0]).toBe('osevt_demo0041');
  expect(await events.look()).toEqual([]);
});

test('an event that becomes visible late is not lost, and none comes twice', async () => {
  const events = newEvents(null);
  await events.look();
  await mock.clock.advance('50s');
  const early = mock.trigger('sync.failed').eventId;
  expect(ids(await events.look())).toEqual([early]);
  const late = await mock.db.events.create({ type: 'sync.recovered', createdAt: new Date(Date.parse(NOW) + 20_000) });
  expect(ids(await events.look())).toEqual([late.id]);
  await mock.clock.advance('10m');
  expect(await events.look()).toEqual([]);
});

test('a look that fails half-way takes nothing away from the next', async () => {
  const events = newEvents(Date.parse('2026-01-12T12:00:00.000Z'));
  mock.faults.add({ operations: ['listEvents'], nth: 2, times: 1, effect: { kind: 'status', status: 503 } });
  await expect(events.look()).rejects.toMatchObject({ status: 503 });
  expect(ids(await events.look())).toContain('osevt_demo0041');
});

test('tells how many requests a look took', async () => {
  const events = createNewRows(() => client().events.list({ pageSize: 2 }).pages(), null);
  expect(await events.look()).toEqual({ rows: [], requests: 1 });
  for (let count = 0; count < 5; count += 1) mock.trigger('sync.failed');
  const { rows, requests } = await events.look();
  // The third page ends with the newest that was there before, and a minute before it is looked at again.
  expect([rows.length, requests]).toEqual([5, 4]);
});

test('a beginning may be any, also that of all time', async () => {
  const from: number[] = [];
  async function* none(fromMs: number) {
    from.push(fromMs);
    yield { data: [] as WindowRow[] };
  }
  await createNewRows(none, 0).look();
  await createNewRows(none, null).look();
  expect(from).toEqual([0, Number.NEGATIVE_INFINITY]);
});

test('an empty log', async () => {
  async function* none(): AsyncGenerator<{ data: WindowRow[] }> {
    yield { data: [] };
  }
  const events = createNewRows(none, null);
  const nothing = { rows: [], requests: 1 };
  expect([await events.look(), await events.look()]).toEqual([nothing, nothing]);
});

test('the first event of an empty log is new', async () => {
  const rows: PlatformEvent[] = [];
  async function* log() {
    yield { data: rows };
  }
  const events = rowsOnly(createNewRows(log, null));
  await events.look();
  const subject = { connectionId: null, sourceId: null, delivered: false };
  rows.push({ id: 'osevt_1', type: 'test.ping', summary: '', data: {}, ...subject, createdAt: NOW });
  expect(ids(await events.look())).toEqual(['osevt_1']);
});

describe('rows become visible up to a minute after they were created, in any order', () => {
  const START_MS = Date.parse(NOW);
  // Few moments, so that rows and looks meet at the edges.
  const STEP_MS = 5000;
  const row = fc.record({
    id: fc.nat(),
    createdMs: fc.nat(60).map((steps) => START_MS - 150_000 + steps * STEP_MS),
    lagMs: fc.nat(60_000 / STEP_MS).map((steps) => steps * STEP_MS),
  });
  /** When it is looked, and whether the look fails, and behind how many rows. */
  const look = fc.record({
    afterMs: fc.integer({ min: 1, max: 18 }).map((steps) => steps * STEP_MS),
    failsBehind: fc.option(fc.nat(5), { freq: 3 }),
  });
  type Row = WindowRow & { readonly createdMs: number; readonly lagMs: number };
  const logs = fc
    .uniqueArray(row, { selector: ({ id }) => id, maxLength: 60 })
    .map((rows): Row[] => rows.map((each) => ({ ...each, createdAt: new Date(each.createdMs).toISOString() })));

  async function watch(
    rows: readonly Row[],
    looks: readonly { afterMs: number; failsBehind: number | null }[],
    sinceMs: number | null,
  ) {
    let nowMs = START_MS;
    let failsBehind: number | null = null;
    const newestFirst = [...rows].sort((one, other) => other.createdMs - one.createdMs);
    async function* openPages(fromMs: number) {
      let count = 0;
      for (const each of newestFirst) {
        if (each.createdMs + each.lagMs > nowMs || each.createdMs < fromMs) continue;
        if (count === failsBehind) throw new Error('broken off');
        count += 1;
        yield { data: [each] };
      }
    }
    const news = rowsOnly(createNewRows(openPages, sinceMs));
    const batches: (readonly Row[])[] = [await news.look()];
    // The last look is one that goes well.
    for (const next of [...looks, { afterMs: 1_000_000, failsBehind: null }]) {
      nowMs += next.afterMs;
      failsBehind = next.failsBehind;
      const found = await news.look().catch(() => null);
      if (found !== null) batches.push(found);
    }
    return batches;
  }

  test('to the millisecond: the newest row came just before an older one became visible', async () => {
    const at = (createdMs: number) => new Date(createdMs).toISOString();
    const late = { id: 1, createdMs: START_MS, lagMs: 60_000, createdAt: at(START_MS) };
    const newest = { id: 2, createdMs: START_MS + 59_999, lagMs: 0, createdAt: at(START_MS + 59_999) };
    const looks = [59_999, 1].map((afterMs) => ({ afterMs, failsBehind: null }));
    const batches = await watch([late, newest], looks, START_MS);
    expect(batches.slice(0, 3)).toEqual([[], [newest], [late]]);
  });

  test('from a moment on: each row once, none lost, oldest first', async () => {
    await fc.assert(
      fc.asyncProperty(logs, fc.array(look, { maxLength: 12 }), async (rows, looks) => {
        const sinceMs = START_MS - 100_000;
        const batches = await watch(rows, looks, sinceMs);
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

  test('from now on: what becomes visible after the first look', async () => {
    await fc.assert(
      fc.asyncProperty(logs, fc.array(look, { maxLength: 12 }), async (rows, looks) => {
        const found = (await watch(rows, looks, null)).flat().map(({ id }) => Number(id));
        const expected = rows
          .filter(({ createdMs, lagMs }) => createdMs + lagMs > START_MS)
          .map(({ id }) => Number(id));
        expect(found.toSorted((one, other) => one - other)).toEqual(expected.toSorted((one, other) => one - other));
      }),
      { numRuns: 1000 },
    );
  });
});
