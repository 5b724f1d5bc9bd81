/** SDK methods that make several calls, against the mock. */
import { getEventListeners } from 'node:events';
import {
  AbortError,
  type CallOptions,
  ConfigurationError,
  ConflictError,
  createClient,
  NotFoundError,
  PermissionError,
  ServerError,
} from '@svc/sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMock, type Mock } from '../src/index.ts';
import { NOW } from './support/sdk-client.ts';

let mock: Mock;
beforeEach(() => {
  mock = createMock({ now: NOW });
});
afterEach(async () => {
  await mock.close();
});

function connect(key: string = mock.keys.osapi_demo_write) {
  return createClient({
    baseUrl: 'http://svc.test',
    apiKey: key,
    fetch: mock.fetch,
    now: () => mock.clock.now.getTime(),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      await mock.clock.advance(ms);
    },
  });
}

describe('resyncAndWait', () => {
  /** A list without a resync in progress. */
  const ID = 1;

  test('synced: resyncs and polls until the list is SYNCED', async () => {
    const seen: string[] = [];
    const { outcome, blocklist } = await connect().blocklists.resyncAndWait(ID, {
      pollMs: 1_000,
      onProgress: ({ status }) => seen.push(status),
    });
    expect({ outcome, status: blocklist?.status, lastError: blocklist?.lastError }).toEqual({
      outcome: 'synced',
      status: 'SYNCED',
      lastError: null,
    });
    expect([...new Set(seen)]).toEqual(['FETCHING', 'SYNCING', 'SYNCED']);
    expect(mock.verify({ operation: 'resyncBlocklist', times: 1 })).toHaveLength(1);
  });

  test('failed: a list that ends with lastError', async () => {
    mock.configure({
      crmFailures: [{ status: 'error', error: { code: 'down', message: 'HubSpot is down', httpStatus: 403 } }],
    });
    const { outcome, blocklist } = await connect().blocklists.resyncAndWait(ID);
    expect(outcome).toBe('failed');
    expect(blocklist?.lastError).toMatch(/\S/);
  });

  test('paused: somebody pauses the list meanwhile', async () => {
    const client = connect();
    const { outcome, blocklist } = await client.blocklists.resyncAndWait(ID, {
      pollMs: 500,
      onProgress: ({ status, isEnabled }) => {
        if (status === 'FETCHING' && isEnabled) void client.blocklists.pause(ID);
      },
    });
    expect(outcome).toBe('paused');
    expect(blocklist?.isEnabled).toBe(false);
  });

  test('timeout: stops waiting while the resync goes on', async () => {
    mock.configure({ blocklistFetchMs: 3_600_000 });
    const { outcome, blocklist } = await connect().blocklists.resyncAndWait(ID, { timeoutMs: 60_000 });
    expect(outcome).toBe('timeout');
    expect(blocklist?.status).toBe('FETCHING');
    expect(mock.clock.now.getTime() - Date.parse(NOW)).toBe(60_000);
  });

  test('a resync in progress: waits for it, or skips the list', async () => {
    mock.configure({ blocklistFetchMs: 10_000 });
    const client = connect();
    await client.blocklists.resync(ID);
    expect(await client.blocklists.resyncAndWait(ID, { ifInProgress: 'skip' })).toEqual({
      outcome: 'in-progress',
      blocklist: null,
    });
    expect((await client.blocklists.resyncAndWait(ID)).outcome).toBe('synced');
  });

  test('a top-up in progress: waits for its end, then requests the resync again', async () => {
    await mock.db.blocklists.update((q) => q.where({ id: ID }), {
      data: (row) => {
        row.status = 'SYNCING_NEW_CONTACTS';
      },
    });
    const body = { statusCode: 409, message: 'Blocklist resync already in progress', error: 'Conflict' };
    mock.faults.add({ operations: ['resyncBlocklist'], times: 2, effect: { kind: 'status', status: 409, body } });
    const seen: string[] = [];
    const { outcome } = await connect().blocklists.resyncAndWait(ID, {
      pollMs: 1_000,
      onProgress: ({ status }) => seen.push(status),
    });
    expect(outcome).toBe('synced');
    expect(mock.verify({ operation: 'resyncBlocklist', times: 3 })).toHaveLength(3);
    expect([...new Set(seen)]).toEqual(['SYNCING_NEW_CONTACTS', 'FETCHING', 'SYNCING', 'SYNCED']);
  });

  test('throws before any poll when the list cannot be resynced', async () => {
    const withoutSource = mock.db.blocklists.findMany({ where: { crmListId: null } })[0]?.id ?? 0;
    await expect(connect().blocklists.resyncAndWait(withoutSource)).rejects.toThrow(ConflictError);
    await expect(connect().blocklists.resyncAndWait(999_999)).rejects.toThrow(NotFoundError);
    await expect(connect(mock.keys.osapi_demo_read).blocklists.resyncAndWait(ID)).rejects.toThrow(PermissionError);
    mock.verify({ operation: 'listBlocklists', times: 0 });
  });

  test('the signal ends the wait; invalid options are refused before any request', async () => {
    const stop = new AbortController();
    const waiting = connect().blocklists.resyncAndWait(ID, { signal: stop.signal, onProgress: () => stop.abort() });
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    mock.journal.clear();
    // A timer of 2 ** 31 ms or more would fire at once.
    for (const options of [
      { timeoutMs: -1 },
      { pollMs: 0 },
      { pollMs: 2 ** 31 },
      { pollMs: Number.POSITIVE_INFINITY },
    ]) {
      await expect(connect().blocklists.resyncAndWait(ID, options)).rejects.toMatchObject({
        name: 'ConfigurationError',
      });
    }
    expect(mock.journal.all()).toEqual([]);
  });
});

describe('retryAll', () => {
  const RANGE = { from: '2026-04-01T00:00:00Z', to: '2026-04-02T00:00:00Z' };

  /** Creates the only syncs of one day, by hour. @returns their ids */
  async function day(...syncs: { hour: number; event: string; status: 'success' | 'error'; sourceId?: number }[]) {
    mock.clock.freeze('2026-04-02T00:00:00Z');
    const payloads = new Map<string, number>();
    const ids: number[] = [];
    for (const { hour, event, status, sourceId = 1 } of syncs) {
      const createdAt = new Date(Date.parse(RANGE.from) + hour * 3_600_000);
      const known = payloads.get(event);
      const payloadId = known ?? (await mock.db.requests.create({ sourceId, createdAt })).id;
      payloads.set(event, payloadId);
      const row = await mock.db.syncs.create({
        sourceId,
        status,
        payloadId,
        createdAt,
        toEmail: `${event}@example.com`,
      });
      ids.push(row.id);
    }
    return ids;
  }

  test('retries the newest failure of each event, unless a later sync succeeded or the CRM supports no retries', async () => {
    const unsupported = mock.db.connections.findMany({ where: { crm: 'PIPEDRIVE' } })[0]?.id;
    const pipedrive = mock.db.sources.findMany({ where: { connectionId: unsupported ?? 0 } })[0]?.id ?? 0;
    await mock.db.connections.update(
      { where: { id: unsupported ?? 0 } },
      {
        data: (row) => {
          row.canUseApi = true;
        },
      },
    );
    const [older = 0, newer = 0, failed = 0, , single = 0, other = 0] = await day(
      { hour: 1, event: 'twice', status: 'error' },
      { hour: 2, event: 'twice', status: 'error' },
      { hour: 3, event: 'healed', status: 'error' },
      { hour: 4, event: 'healed', status: 'success' },
      { hour: 5, event: 'single', status: 'error' },
      { hour: 6, event: 'other-crm', status: 'error', sourceId: pipedrive },
    );
    const plan = await connect().syncs.retryAll({ ...RANGE, dryRun: true });
    expect(plan).toEqual({
      found: 5,
      queued: [single, newer],
      skipped: [
        { id: other, reason: 'crm' },
        { id: failed, reason: 'recovered' },
        { id: older, reason: 'superseded' },
      ],
      refused: [],
    });
    mock.verify({ operation: 'retrySync', times: 0 });

    const progress: number[] = [];
    const reported: number[] = [];
    const done = await connect().syncs.retryAll({
      ...RANGE,
      onQueued: ({ id }) => reported.push(id),
      onProgress: ({ found }) => progress.push(found),
    });
    expect(reported).toEqual(plan.queued);
    expect(done).toEqual(plan);
    expect(progress).toEqual([1, 2, 3, 4, 5]);
    mock.verify({ operation: 'retrySync', times: 2 });

    const all = await connect().syncs.retryAll({ ...RANGE, includesRecovered: true, dryRun: true });
    expect(all.queued).toEqual([single, failed, newer]);
  });

  test('an end in the past: of what came later only a success counts', async () => {
    const [healed = 0, again = 0, single = 0] = await day(
      { hour: 1, event: 'healed', status: 'error' },
      { hour: 2, event: 'again', status: 'error' },
      { hour: 3, event: 'single', status: 'error' },
      { hour: 4, event: 'healed', status: 'success' },
      { hour: 5, event: 'again', status: 'error' },
      { hour: 6, event: 'later', status: 'error' },
    );
    const skipped = [{ id: healed, reason: 'recovered' }];
    const before = { from: RANGE.from, to: '2026-04-01T03:00:00Z', dryRun: true };
    for (const to of [before.to, new Date(before.to), '2026-04-01T05:00:00+02']) {
      const plan = await connect().syncs.retryAll({ ...before, to });
      expect(plan).toEqual({ found: 3, queued: [single, again], skipped, refused: [] });
    }
    const all = await connect().syncs.retryAll({ ...before, includesRecovered: true });
    expect(all.queued).toEqual([single, again, healed]);
    for (const to of ['2026-02-30', '2026-03-01']) {
      await expect(connect().syncs.retryAll({ ...before, to })).rejects.toMatchObject({ name: 'BadRequestError' });
    }
  });

  test('reports refused retries and continues', async () => {
    const [first = 0, second = 0] = await day(
      { hour: 1, event: 'a', status: 'error' },
      { hour: 2, event: 'b', status: 'error' },
    );
    const body = { statusCode: 409, message: 'Sync is not eligible for retry', error: 'Conflict' };
    mock.faults.add({ operations: ['retrySync'], times: 1, effect: { kind: 'status', status: 409, body } });
    expect(await connect().syncs.retryAll(RANGE)).toMatchObject({
      queued: [first],
      refused: [{ id: second, status: 409, message: 'Sync is not eligible for retry' }],
    });
  });

  test('throws errors that end the run, with the summary so far', async () => {
    const [, second = 0] = await day(
      { hour: 1, event: 'a', status: 'error' },
      { hour: 2, event: 'b', status: 'error' },
    );
    mock.faults.add({ operations: ['retrySync'], nth: 2, effect: { kind: 'status', status: 500 } });
    await expect(connect().syncs.retryAll(RANGE)).rejects.toMatchObject({
      name: 'ServerError',
      summary: { found: 2, queued: [second], refused: [] },
    });
    mock.faults.clear();
    await expect(connect(mock.keys.osapi_demo_read).syncs.retryAll(RANGE)).rejects.toMatchObject({
      name: 'PermissionError',
      summary: { queued: [] },
    });
  });
});

describe('tail', () => {
  test('yields rows created after the first poll, oldest first and each once', async () => {
    const created = async (seconds: number) => {
      const createdAt = new Date(Date.parse(NOW) + seconds * 1000);
      return (await mock.db.syncs.create({ status: 'error', createdAt })).id;
    };
    const expected: number[] = [];
    let looks = 0;
    const onLook = () => {
      looks += 1;
    };
    const found: number[] = [];
    const onWait = async (ms: number) => {
      await mock.clock.advance(ms);
      // The second one was created before the first, and becomes visible after it.
      if (expected.length < 2) expected.push(await created(expected.length === 0 ? 4 : 2));
      await mock.db.syncs.create({ status: 'success', createdAt: mock.clock.now });
    };
    const client = createClient({
      baseUrl: 'http://svc.test',
      apiKey: mock.keys.osapi_demo_write,
      fetch: mock.fetch,
      now: () => mock.clock.now.getTime(),
      sleep: onWait,
    });
    for await (const sync of client.syncs.tail({ status: 'error', intervalMs: 5_000, onLook })) {
      found.push(sync.id);
      if (found.length === 2) break;
    }
    expect([found, looks]).toEqual([expected, 3]);
  });

  test.each(['syncs', 'requests', 'deliveries', 'events'] as const)('%s: starts at `since`', async (noun) => {
    const { value } = await connect()[noun].tail({ since: '2026-01-01T00:00:00Z' }).next();
    const { data } = (await connect()[noun].list({ from: '2026-01-01T00:00:00Z' }).pages().next()).value ?? {
      data: [],
    };
    expect(data.length).toBeGreaterThan(0);
    expect(Date.parse(value?.createdAt ?? '')).toBeLessThanOrEqual(Date.parse(data.at(-1)?.createdAt ?? ''));
  });

  test('temporary failures and recovery are reported, lasting failures are thrown', async () => {
    const told: string[] = [];
    const fail = (nth: number, status: number) =>
      mock.faults.add({ operations: ['listEvents'], nth, times: 1, effect: { kind: 'status', status } });
    fail(2, 503);
    fail(4, 403);
    const events = connect().events.tail(
      {
        onTrouble: (error, delayMs) => told.push(`${error.name} ${delayMs}`),
        onRecovery: () => told.push('recovered'),
      },
      { maxRetries: 0 },
    );
    await expect(events.next()).rejects.toBeInstanceOf(PermissionError);
    expect(told).toEqual(['ServerError 5000', 'recovered']);
  });

  test('a signal ends it while it waits', async () => {
    const controller = new AbortController();
    const options = { signal: controller.signal };
    const events = connect().events.tail({ onLook: () => controller.abort() }, options);
    await expect(events.next()).rejects.toBeInstanceOf(AbortError);
  });

  test.each([
    { since: 'yesterday' },
    { since: '2026-01-01T00:00:00' },
    { since: '2026-02-30' },
    { intervalMs: 0 },
    { intervalMs: 2 ** 31 },
  ])('refuses %j', async (params) => {
    await expect(connect().syncs.tail(params).next()).rejects.toBeInstanceOf(ConfigurationError);
    expect(mock.journal.all()).toEqual([]);
  });
});

describe('contacts.outreachMany', () => {
  async function readAll<Outcome>(outcomes: AsyncIterable<Outcome>): Promise<Outcome[]> {
    const all: Outcome[] = [];
    for await (const outcome of outcomes) all.push(outcome);
    return all;
  }
  const many = (count: number) => Array.from({ length: count }, (_unused, n) => ({ email: `kim${n}@example.org`, n }));

  test('yields outcomes in the order of the contacts, each with its input; a refused contact does not stop the others', async () => {
    const contacts = [...many(20), { email: 'nobody', n: 20 }, { profileUrls: ['linkedin.com/in/kim'], n: 21 }];
    const outcomes = await readAll(connect().contacts.outreachMany(contacts));
    expect(outcomes.map(({ contact }) => contact)).toEqual(contacts);
    expect(outcomes.map(({ error }) => error?.status ?? 200)).toEqual([...Array(20).fill(200), 400, 200]);
    expect(outcomes[0]?.answer).toMatchObject({ found: false, doNotContact: { value: false } });
  });

  test('reads only a few dozen contacts ahead of its reader', async () => {
    let taken = 0;
    let isClosed = false;
    async function* source() {
      try {
        for (const contact of many(1000)) {
          taken += 1;
          yield contact;
        }
      } finally {
        isClosed = true;
      }
    }
    for await (const { contact } of connect().contacts.outreachMany(source())) if (contact.n === 100) break;
    expect(taken).toBeLessThan(200);
    await expect.poll(() => isClosed).toBe(true);
  });

  test('yields known outcomes while its source waits', async () => {
    const known: string[] = [];
    let wake = () => {};
    async function* source() {
      for (const contact of many(3)) {
        yield contact;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    }
    for await (const { contact } of connect().contacts.outreachMany(source())) {
      known.push(contact.email);
      wake();
    }
    expect(known).toHaveLength(3);
  });

  test('the fifth 5xx in a row ends it; four do not', async () => {
    const fault = { operations: ['getContactOutreach'], effect: { kind: 'status', status: 500 } } as const;
    mock.faults.add({ ...fault, times: 4 });
    const read = (options?: CallOptions) => readAll(connect().contacts.outreachMany(many(10), options));
    const outcomes = await read({ maxRetries: 0 });
    expect(outcomes.filter(({ error }) => error instanceof ServerError)).toHaveLength(4);
    mock.faults.add(fault);
    await expect(read({ maxRetries: 0 })).rejects.toBeInstanceOf(ServerError);
  });

  test('an error that concerns all contacts ends it, and no other request is sent', async () => {
    mock.faults.add({ operations: ['getContactOutreach'], effect: { kind: 'status', status: 403 } });
    await expect(connect().contacts.outreachMany(many(30)).next()).rejects.toBeInstanceOf(PermissionError);
    expect(mock.journal.all()).toHaveLength(1);
  });

  test('a signal ends it while it waits for its source, and its listener is removed', async () => {
    async function* source() {
      await new Promise(() => {});
      yield { email: 'kim@example.org' };
    }
    const controller = new AbortController();
    const { signal } = controller;
    const next = connect().contacts.outreachMany(source(), { signal }).next();
    await expect.poll(() => getEventListeners(signal, 'abort').length).toBe(1);
    controller.abort();
    await expect(next).rejects.toBeInstanceOf(AbortError);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('a signal ends it', async () => {
    const read = readAll(connect().contacts.outreachMany(many(30), { signal: AbortSignal.abort() }));
    await expect(read).rejects.toBeInstanceOf(AbortError);
    expect(mock.journal.all()).toEqual([]);
  });
});
