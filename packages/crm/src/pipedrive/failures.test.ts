import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type PipedriveSimulator, startPipedriveSimulator } from '@svc/simulators';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { PIPEDRIVE_FACTS } from '../../test/vendors/pipedrive.ts';
import { createWriter, type EventChanges, of, START, TOKEN, type Writer } from '../../test/support/pipedrive.ts';
import type { CrmOutcome } from '../port/types.ts';

let simulator: PipedriveSimulator;
let writer: Writer;
const now = () => START;
const onExchange = checkExchanges(PIPEDRIVE_FACTS);
beforeAll(async () => {
  const users = ['owner@example.com', 'rep@example.com'];
  simulator = await startPipedriveSimulator({ tokens: [TOKEN], onExchange, users, now });
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.reset();
  writer = createWriter(simulator, { now });
});

const HOUR_MS = 3_600_000;
const calls = () => simulator.requests().map(({ method, path }) => `${method} ${path.split('?')[0]}`);

describe('what follows from a refusal', () => {
  test.each([
    ['401', 401, { retry: 'never', disconnected: true, error: { code: 'disconnected' } }],
    ['400', 400, { retry: 'never', disconnected: false, error: { code: 'refused' } }],
    ['404', 404, { retry: 'never', error: { code: 'refused' } }],
    ['415, a feature that is off', 415, { retry: 'never', error: { code: 'refused' } }],
    ['422', 422, { retry: 'never', error: { code: 'refused' } }],
    ['403', 403, { retry: 'never', error: { code: 'forbidden' } }],
    ['402, a company that has not paid', 402, { retry: { afterMs: 6 * HOUR_MS }, error: { code: 'payment_required' } }],
    ['the page of Cloudflare', 'cloudflare', { retry: { afterMs: HOUR_MS / 4 }, error: { code: 'rate_limited' } }],
    ['the daily limit', 'daily', { retry: { afterMs: HOUR_MS }, error: { code: 'daily_limit_reached' } }],
    ['a burst', 'burst', { retry: { afterMs: 2_000 }, error: { code: 'rate_limited' } }],
    ['500', 500, { retry: { afterMs: null }, isUnavailable: true, error: { code: 'unavailable' } }],
    ['a page of a gateway', 'html', { retry: { afterMs: null }, isUnavailable: true }],
    ['no answer', 'reset', { retry: { afterMs: null }, isUnavailable: true, error: { code: 'network' } }],
  ] as const)('%s', async (_, fault, expected) => {
    simulator.failNext(1, fault);
    const [outcome] = await writer.write({});
    expect(outcome).toMatchObject({ status: 'error', ...expected });
    const { retry } = expected;
    const waitMs = retry === 'never' || retry.afterMs === null ? 0 : retry.afterMs;
    const cooldown = outcome?.status === 'error' ? outcome.cooldownUntilMs : null;
    expect(cooldown).toBe(waitMs > 60_000 ? START.getTime() + waitMs : undefined);
  });

  test('a limit of the plan names itself', async () => {
    const outcome = await withServer(
      (_request, response) =>
        void response
          .writeHead(403, { 'Content-Type': 'application/json', 'x-correlation-id': 'c-1' })
          .end(JSON.stringify({ success: false, error: 'Over the limit', code: 'feature_capping_contacts' })),
    );
    expect(outcome).toMatchObject({
      retry: 'never',
      error: { code: 'feature_missing', category: 'feature_capping_contacts', correlationId: 'c-1' },
    });
  });

  test('no error contains the token or payload even when Pipedrive repeats them', async () => {
    const error = `Refused ${TOKEN} for KIM@fjord.example.org: Hello Kim, Route planning`;
    const outcome = await withServer(
      (_request, response) =>
        void response
          .writeHead(400, { 'Content-Type': 'application/json' })
          .end(JSON.stringify({ success: false, error })),
    );
    expect(outcome).toMatchObject({ status: 'error', error: { message: expect.stringContaining('Refused') } });
    for (const secret of [TOKEN, 'kim@fjord', 'Hello Kim', 'Route planning']) {
      expect(JSON.stringify(outcome).toLowerCase()).not.toContain(secret.toLowerCase());
    }
  });

  test('an answer that is no success without saying so is not believed', async () => {
    const outcome = await withServer((_request, response) => void response.end('{"success":false}'));
    expect(outcome).toMatchObject({ status: 'error', isUnavailable: true, error: { code: 'unexpected_answer' } });
  });
});

describe('the rest of a batch', () => {
  const batch = Array.from({ length: 12 }, (_, index) => of(`n${index}`));

  test.each(['daily', 'burst', 'cloudflare', 401, 402] as const)('is not tried after %s', async (fault) => {
    simulator.failNext(50, fault, { skip: 2 });
    const outcomes = await writer.write(...batch);
    expect(outcomes).toHaveLength(12);
    expect(outcomes.every(({ status }) => status === 'error')).toBe(true);
    // The calls that were on their way.
    expect(simulator.requests().length).toBeLessThanOrEqual(2 + 4);
  });

  test('is not tried when Pipedrive does not work', async () => {
    simulator.failNext(50, 503);
    const outcomes = await writer.write(...batch);
    expect(outcomes.every((outcome) => outcome.status === 'error' && outcome.isUnavailable)).toBe(true);
    expect(simulator.requests().length).toBeLessThan(8);
  });

  test('is written after a single failure, but for later events of the same person', async () => {
    simulator.failNext(1, 503, { match: /POST .*activities/ });
    const outcomes = await writer.write(of('kim'), of('kim', { key: 'k2' }), of('lou'), of('per'));
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['error', 'error', 'success', 'success']);
    expect(outcomes[0]?.status).toBe(outcomes[1]?.status);
  });

  test('is written after a refused event, in the order of each person', async () => {
    simulator.failNext(1, 400, { match: /POST .*notes/ });
    const outcomes = await writer.write(
      of('kim', { eventType: 'EMAIL_OPEN' }),
      of('kim', { key: 'k2', subject: 'one' }),
      of('kim', { key: 'k3', subject: 'two' }),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['error', 'success', 'success']);
    expect(simulator.state().activities.map(({ subject }) => subject)).toEqual(['one', 'two']);
  });

  test('costs no look when it is tried again', async () => {
    simulator.failNext(50, 'daily', { skip: 3 });
    await writer.write(...batch);
    simulator.reset();
    const outcomes = await writer.write(...batch.map((changes) => ({ ...changes, isRepeated: true })));
    expect(outcomes.every(({ status }) => status === 'success')).toBe(true);
    expect(calls()).not.toContain('GET /api/v2/activities');
    expect(calls()).not.toContain('GET /api/v2/persons');
  });

  test('a quota that refuses is asked no more, and nothing is looked for later', async () => {
    const error = { code: 'rate_limited', message: 'wait', httpStatus: null };
    let left = 1;
    const quota = {
      take: async () => (left-- > 0 ? null : { untilMs: START.getTime() + 5_000, error }),
      report: async () => {},
    };
    const records = writer.records;
    const outcomes = await createWriter(simulator, { now, records, access: { quota } }).write({}, { key: 'k2' });
    expect(outcomes).toMatchObject([{ retry: { afterMs: 5_000 } }, { retry: { afterMs: 5_000 } }]);
    await writer.write({ isRepeated: true });
    expect(calls()).toEqual([
      'GET /api/v2/persons/search',
      'GET /api/v2/persons/search',
      'POST /api/v2/persons',
      'GET /api/v1/activityTypes',
      'POST /api/v2/activities',
    ]);
  });
});

describe('repeats', () => {
  const source = { createOrUpdateCompany: true, createOrUpdateTask: true, assignContactOwner: true };
  const reply: EventChanges = {
    eventType: 'EMAIL_REPLY',
    source,
    contact: { profileUrl: 'https://www.linkedin.com/in/kim-berg' },
  };
  const open: EventChanges = { key: 'k2', eventType: 'EMAIL_OPEN' };

  test('what was lost is found in the list although search lags behind', async () => {
    simulator.freezeSearch(true);
    simulator.failNext(1, 'lost-answer', { match: /POST .*persons$/ });
    expect(await writer.write({})).toMatchObject([{ status: 'error', error: { code: 'network' } }]);
    simulator.failNext(1, 'lost-answer', { match: /POST .*activities/ });
    expect(await writer.write({ isRepeated: true })).toMatchObject([{ status: 'error' }]);
    simulator.failNext(1, 'lost-answer', { match: /POST .*notes/ });
    expect(await writer.write({ isRepeated: true }, open)).toMatchObject([{ status: 'success' }, { status: 'error' }]);
    expect(await writer.write(open)).toMatchObject([{ status: 'success' }]);
    expect(simulator.state().counts).toMatchObject({ persons: 1, activities: 1, notes: 1 });
  });

  test.each([500, 408, 'html', 'reset', 'lost-answer', 'truncated'] as const)(
    '%s in any call is a retryable error, and the retry gives the same result',
    async (fault) => {
      let attempts = 0;
      for (let place = 0; ; place += 1) {
        simulator.reset();
        simulator.freezeSearch(true);
        writer = createWriter(simulator, { now });
        // Only the call at this position fails.
        simulator.failNext(1, fault, { skip: place });
        const [outcome] = await writer.write(reply);
        if (simulator.requests().length <= place) break;
        attempts += 1;
        expect(outcome).toMatchObject({ status: 'error', disconnected: false, retry: { afterMs: null } });
        // Another process, with the remembered records.
        const other = createWriter(simulator, { now, records: writer.records });
        expect(await other.write({ ...reply, isRepeated: true })).toMatchObject([{ status: 'success' }]);
        const { persons, personFields, organizationFields, organizations, activities } = simulator.state();
        expect([persons, personFields, organizationFields, organizations].map(({ length }) => length)).toEqual([
          1, 1, 1, 1,
        ]);
        expect(activities.map(({ type }) => type)).toEqual(['email', 'task']);
        expect(persons).toMatchObject([{ owner_id: 502, org_id: organizations[0]?.id }]);
      }
      expect(attempts).toBeGreaterThan(9);
    },
  );

  test('a killed process leaves nothing that is doubled', async () => {
    // The process ends after the call, before the id is stored.
    const records = { ...writer.records, write: writer.records.write };
    let isDead = false;
    const dying = {
      ...records,
      write: async (written: Parameters<typeof records.write>[0]) => {
        if (isDead || written.some(({ recordType, recordId }) => recordType === 'note' && recordId !== 'pending')) {
          isDead = true;
          throw new Error('killed');
        }
        await records.write(written);
      },
    };
    const first = createWriter(simulator, { now, records: dying });
    expect(await first.write({}, open)).toMatchObject([
      { status: 'success' },
      { status: 'error', retry: { afterMs: null }, error: { code: 'records_unavailable' } },
    ]);
    expect(await writer.write({ isRepeated: true }, { ...open, isRepeated: true })).toMatchObject([
      { status: 'success' },
      { status: 'success' },
    ]);
    expect(simulator.state().counts).toMatchObject({ persons: 1, activities: 1, notes: 1 });
  });

  test('any faults, repeats and restarts: everything is written in the end, and nothing twice', async () => {
    const kinds = ['EMAIL_SENT', 'EMAIL_REPLY', 'EMAIL_OPEN', 'MESSAGE_SENT'];
    const urls = ['https://www.linkedin.com/in/a', 'https://www.linkedin.com/in/b'];
    const anyEvent = fc.record({
      name: fc.constantFrom('a', 'b', 'c', null),
      kind: fc.constantFrom(...kinds),
      url: fc.constantFrom(0, 1),
    });
    const faults = [null, null, null, null, 503, 'reset', 'lost-answer', 'truncated', 'burst'] as const;
    const anyFault = fc.constantFrom(...faults);
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyEvent, { minLength: 1, maxLength: 8 }),
        fc.array(anyFault, { maxLength: 40 }),
        fc.boolean(),
        async (events, planned, isFrozen) => {
          simulator.reset();
          simulator.freezeSearch(isFrozen);
          let skip = 0;
          for (const fault of planned) {
            if (fault !== null) simulator.failNext(1, fault, { skip });
            skip = fault === null ? skip + 1 : 0;
          }
          const { records } = createWriter(simulator, { now });
          let waiting = events.map(({ name, kind, url }, index): EventChanges => {
            const profileUrl = name === null ? (urls[url] ?? null) : null;
            const toEmail = profileUrl ?? `${name}@fjord.example.org`;
            const contact = profileUrl === null ? {} : { email: null, profileUrl };
            return { key: `k${index}`, eventType: kind, toEmail, contact, source: { createOrUpdateTask: true } };
          });
          for (let round = 0; waiting.length > 0; round += 1) {
            expect(round).toBeLessThan(60);
            const outcomes: readonly CrmOutcome[] = await createWriter(simulator, { now, records }).write(...waiting);
            waiting = waiting
              .filter((_, index) => outcomes[index]?.status === 'error')
              .map((changes) => ({ ...changes, isRepeated: true }));
          }
          const { persons, activities, notes } = simulator.state();
          const contacts = new Set(events.map(({ name, url }) => name ?? url));
          expect(persons).toHaveLength(contacts.size);
          const count = (...wanted: string[]) => events.filter(({ kind }) => wanted.includes(kind)).length;
          expect(activities.filter(({ type }) => type === 'email')).toHaveLength(count('EMAIL_SENT', 'EMAIL_REPLY'));
          expect(activities.filter(({ type }) => type === 'task')).toHaveLength(count('EMAIL_REPLY'));
          expect(notes).toHaveLength(count('EMAIL_OPEN', 'MESSAGE_SENT'));
        },
      ),
      { numRuns: 40 },
    );
  });
});

async function withServer(listener: RequestListener): Promise<CrmOutcome | undefined> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  try {
    const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    return (await createWriter(simulator, { now, baseUrl }).write({}))[0];
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('a clock ahead of Pipedrive', () => {
  test.each(['persons', 'activities', 'notes'])('by ten minutes, a lost answer of %s doubles nothing', async (path) => {
    const ahead = createWriter(simulator, { now: () => new Date(START.getTime() + HOUR_MS / 6) });
    simulator.failNext(1, 'lost-answer', { match: new RegExp(`POST .*${path}`) });
    const event = path === 'notes' ? { eventType: 'EMAIL_OPEN' } : {};
    expect(await ahead.write(event)).toMatchObject([{ status: 'error' }]);
    expect(await ahead.write({ ...event, isRepeated: true })).toMatchObject([{ status: 'success' }]);
    const { persons, activities, notes } = simulator.state().counts;
    expect([persons, activities + notes]).toEqual([1, 1]);
  });
});
