import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type SalesforceSimulator, startSalesforceSimulator } from '@svc/simulators';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { about, toWrite } from '../../test/support/salesforce.ts';
import type { CrmConnector, CrmOutcome, CrmWrite } from '../port/types.ts';
import { createSalesforceConnector, type SalesforceConnectorOptions } from './connector.ts';

const TOKEN = '00D000000000001!not-a-real-token';
const NOW = new Date('2026-03-01T12:00:00.000Z');
const HOUR_MS = 60 * 60 * 1000;

let simulator: SalesforceSimulator;
let connector: CrmConnector;
let records = memoryRecords();
beforeAll(async () => {
  simulator = await startSalesforceSimulator({ tokens: [TOKEN], users: [{ email: 'rep@example.com' }] });
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.reset();
  records = memoryRecords();
  connector = connect();
});

function connect(options: Partial<SalesforceConnectorOptions> = {}): CrmConnector {
  return createSalesforceConnector({ fetch, timeoutMs: 60_000, now: () => NOW, ...options });
}

const writeAll = (events: readonly CrmWrite[], apiUrl: string | null = simulator.url, token = TOKEN) =>
  connector.writeEvents({
    access: accessTo(token, { apiUrl }),
    organizationId: simulator.organizationId,
    records,
    events,
  });
async function write(...args: Parameters<typeof toWrite>): Promise<CrmOutcome | undefined> {
  return (await writeAll([toWrite(...args)]))[0];
}
const lou = () => toWrite(about('lou'), { idempotencyKey: '12:lou' });

test.each([{}, { hasCallObject: false }])(
  'an event whose answer was lost is found after somebody has made the field for its key: %j',
  async (org) => {
    const source = { createOrUpdateTask: true };
    simulator.configure({ ...org, hasEventKeyField: false });
    simulator.failNext(1, 'lost-answer', { match: /POST .*sobjects$/, skip: 1 });
    expect(await write({ eventType: 'EMAIL_REPLY' }, { source })).toMatchObject({ status: 'error' });
    simulator.configure({ ...org, hasEventKeyField: true });
    connector = connect();
    expect(await write({ eventType: 'EMAIL_REPLY' }, { source, isRepeated: true })).toMatchObject({
      status: 'success',
    });
    expect(simulator.records('Task')).toHaveLength(2);
  },
);

describe('what an answer means', () => {
  test('a refused token: disconnected, after one call', async () => {
    const [outcome] = await writeAll([toWrite()], simulator.url, 'another');
    expect(outcome).toMatchObject({
      status: 'error',
      retry: 'never',
      disconnected: true,
      error: { code: 'disconnected', httpStatus: 401, category: 'INVALID_SESSION_ID' },
    });
  });

  test.each(['session', 'policy'] as const)(
    '%s in mid-batch: disconnected, and a repetition finishes it',
    async (fault) => {
      simulator.failNext(1, fault, { match: /POST \/.*sobjects$/, skip: 1 });
      expect(await write()).toMatchObject({ status: 'error', disconnected: true });
      expect(await write({}, { isRepeated: true })).toMatchObject({ status: 'success' });
      expect(simulator.state().counts).toMatchObject({ contacts: 1, tasks: 1 });
    },
  );

  test('no calls left for the day: a cooldown of an hour for all events, without further calls', async () => {
    await write();
    const before = simulator.requests().length;
    simulator.failNext(1, 'total-requests');
    const outcomes = await writeAll([lou(), toWrite(about('moe'), { idempotencyKey: '12:moe' })]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        status: 'error',
        error: { code: 'daily_limit_reached', httpStatus: 403, category: 'REQUEST_LIMIT_EXCEEDED' },
        retry: { afterMs: HOUR_MS },
        cooldownUntilMs: NOW.getTime() + HOUR_MS,
      });
    }
    expect(simulator.requests().length - before).toBe(1);
  });

  test('too many calls at once: a wait of seconds, no cooldown', async () => {
    simulator.failNext(1, 'concurrent-requests', { match: /composite/ });
    const outcome = await write();
    expect(outcome).toMatchObject({ status: 'error', error: { code: 'rate_limited' }, retry: { afterMs: 5_000 } });
    expect(outcome).not.toHaveProperty('cooldownUntilMs');
  });

  test.each(['html', 'reset', 'truncated', 500, 503] as const)(
    '%s: the CRM as a whole does not work',
    async (fault) => {
      simulator.failNext(1, fault, { match: /composite/ });
      expect(await write()).toMatchObject({ status: 'error', isUnavailable: true, disconnected: false });
    },
  );

  test('a locked row: only its event waits', async () => {
    const id = simulator.seed('Contact', { LastName: 'Berg', FirstName: 'Kim', Email: 'kim@fjord.example.org' });
    simulator.lock(id, true);
    const [kim, other] = await writeAll([toWrite(), lou()]);
    expect(kim).toMatchObject({ status: 'error', error: { code: 'locked' }, retry: { afterMs: 2_000 } });
    expect(kim).not.toHaveProperty('isUnavailable');
    expect(other).toMatchObject({ status: 'success' });
    simulator.lock(id, false);
    expect(await write()).toMatchObject({ status: 'success', contactId: id });
  });

  test('a locked row holds back the later events of its contact, which are not sent', async () => {
    const message = 'unable to obtain exclusive access to this record';
    const events = ['first', 'second', 'third'].map((key) => toWrite({}, { idempotencyKey: `12:${key}` }));
    simulator.failRecords(1, { objectType: 'Task', errorCode: 'UNABLE_TO_LOCK_ROW', message });
    const outcomes = await writeAll([...events, lou()]);
    const locked = { status: 'error', error: { code: 'locked' }, retry: { afterMs: 2_000 } };
    expect(outcomes).toMatchObject([locked, locked, locked, { status: 'success' }]);
    expect(simulator.records('Task')).toHaveLength(1);
    const again = await writeAll(events.map((event) => ({ ...event, isRepeated: true })));
    const ids = again.map((outcome) => (outcome.status === 'success' ? outcome.engagementId : outcome.status));
    expect(
      simulator
        .records('Task')
        .slice(1)
        .map(({ id }) => id),
    ).toEqual(ids);
  });

  test('a trigger that meets a locked row is retried, one that refuses is final', async () => {
    const cannot = 'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY';
    const message = 'TaskTrigger: System.DmlException: UNABLE_TO_LOCK_ROW, unable to obtain exclusive access';
    simulator.failRecords(1, { objectType: 'Task', errorCode: cannot, message });
    expect(await write()).toMatchObject({ status: 'error', retry: { afterMs: 2_000 } });
    simulator.failRecords(1, { objectType: 'Task', errorCode: cannot, message: 'TaskTrigger: no mails on Sundays' });
    expect(await write()).toMatchObject({
      status: 'error',
      retry: 'never',
      error: { category: cannot, message: expect.stringContaining('no mails on Sundays') },
    });
  });

  test.each([
    ['Contact', 'INSUFFICIENT_ACCESS_OR_READONLY'],
    ['Contact', 'STORAGE_LIMIT_EXCEEDED'],
    ['Task', 'INSUFFICIENT_ACCESS_OR_READONLY'],
    ['Task', 'REQUIRED_FIELD_MISSING'],
  ] as const)('%s: %s is final for its event alone', async (objectType, errorCode) => {
    simulator.failRecords(1, { objectType, errorCode });
    const outcomes = await writeAll([toWrite(), lou()]);
    expect(outcomes[0]).toMatchObject({ status: 'error', retry: 'never', error: { category: errorCode } });
    expect(outcomes[1]).toMatchObject({ status: 'success' });
  });

  test('an address that Salesforce refuses fails alone', async () => {
    const bad = { toEmail: 'kim@localhost', contact: { ...inboundEvent().contact, email: 'kim@localhost' } };
    const outcomes = await writeAll([toWrite(bad), lou()]);
    expect(outcomes).toMatchObject([
      { status: 'error', retry: 'never', error: { category: 'INVALID_EMAIL_ADDRESS' } },
      { status: 'success' },
    ]);
    expect(JSON.stringify(outcomes)).not.toContain('kim@localhost');
  });

  test('a call that is refused as a whole is halved until the bad record stands alone', async () => {
    const people = Array.from({ length: 16 }, (_, index) =>
      toWrite(about(`p${index}`), { idempotencyKey: `12:p${index}` }),
    );
    await write();
    const before = simulator.requests().length;
    // A gateway of the customer, say, that does not like one record.
    const picky: typeof fetch = async (input, init) =>
      typeof init?.body === 'string' &&
      init.body.includes('p5@fjord.example.org') &&
      init.body.startsWith('{"allOrNone":false,"records"')
        ? Response.json([{ errorCode: 'JSON_PARSER_ERROR', message: 'bad' }], { status: 400 })
        : fetch(input, init);
    connector = connect({ fetch: picky });
    const outcomes = await writeAll(people);
    expect(outcomes.map(({ status }) => status)).toEqual(people.map((_, index) => (index === 5 ? 'error' : 'success')));
    expect(simulator.requests().length - before).toBeLessThan(16);
  });

  test('hidden from every table: the whole org says no', async () => {
    simulator.configure({ hiddenObjects: ['Contact', 'Lead'] });
    expect(await write()).toMatchObject({ status: 'error', retry: 'never', error: { code: 'forbidden' } });
  });

  test('a connection without the address of its org', async () => {
    const outcomes = await writeAll([toWrite(), lou()], null);
    expect(outcomes).toMatchObject([{ error: { code: 'no_api_address' } }, { error: { code: 'no_api_address' } }]);
  });

  test('the quota refuses: no call is made', async () => {
    const untilMs = NOW.getTime() + 2 * HOUR_MS;
    const error = { code: 'daily_share_reached', message: 'wait', httpStatus: null };
    const access = accessTo(TOKEN, { apiUrl: simulator.url });
    const quota = { ...access.quota, take: async () => ({ untilMs, error }) };
    const batch = { organizationId: simulator.organizationId, records, events: [toWrite()] };
    const [outcome] = await connector.writeEvents({ ...batch, access: { ...access, quota } });
    expect(outcome).toMatchObject({ status: 'error', error, cooldownUntilMs: untilMs });
    expect(simulator.requests()).toEqual([]);
  });

  test('records that cannot be read or stored cost calls, not events', async () => {
    const broken = () => Promise.reject(new Error('the database is away'));
    const access = accessTo(TOKEN, { apiUrl: simulator.url });
    const outcomes = await connector.writeEvents({
      access,
      organizationId: simulator.organizationId,
      records: { read: broken, write: broken, delete: broken },
      events: [toWrite()],
    });
    expect(outcomes).toMatchObject([{ status: 'success' }]);
  });
});

describe('in any call', () => {
  const source = { createOrUpdateCompany: true, createOrUpdateTask: true, assignContactOwner: true };
  const reply = { eventType: 'EMAIL_REPLY' };

  test.each([
    ['lost-answer', {}],
    ['reset', {}],
    ['html', {}],
    ['lost-answer', { hasEventKeyField: false }],
    ['lost-answer', { hasEventKeyField: false, hasCallObject: false }],
  ] as const)('%s is a retryable error, and the retry gives the same result (%o)', async (fault, org) => {
    let attempts = 0;
    for (let place = 0; ; place += 1) {
      simulator.reset();
      simulator.configure(org);
      records = memoryRecords();
      connector = connect();
      // Only the call at this position fails.
      simulator.failNext(1, fault, { skip: place });
      const outcome = await write(reply, { source });
      if (outcome?.status === 'success' && simulator.requests().every(({ status }) => status > 0 && status < 500))
        break;
      attempts += 1;
      expect(outcome).toMatchObject({ status: 'error', disconnected: false });
      expect(outcome?.status === 'error' && outcome.retry).not.toBe('never');
      expect(await write(reply, { source, isRepeated: true })).toMatchObject({ status: 'success' });
      expect(simulator.state().counts).toMatchObject({ contacts: 1, accounts: 1, tasks: 2, taskWrites: 2 });
    }
    expect(attempts).toBeGreaterThanOrEqual(8);
  });

  test('a timeout is retryable', async () => {
    simulator.failNext(1, 'hang', { match: /composite/ });
    connector = connect({ timeoutMs: 150 });
    expect(await write()).toMatchObject({ status: 'error', error: { code: 'timeout' }, retry: { afterMs: null } });
  });

  test('stops when its signal aborts', async () => {
    simulator.failNext(1, 'hang');
    const stop = new AbortController();
    connector = connect({ signal: stop.signal });
    const outcome = write();
    stop.abort();
    expect(await outcome).toMatchObject({ status: 'error', error: { code: 'aborted' } });
    expect(await outcome).not.toHaveProperty('isUnavailable');
  });
});

describe('secrets', () => {
  test('the token is only in the Authorization header', async () => {
    await write({ eventType: 'EMAIL_REPLY' }, { source: { createOrUpdateCompany: true, createOrUpdateTask: true } });
    for (const { authorization, path, body } of simulator.requests()) {
      expect(authorization).toBe(`Bearer ${TOKEN}`);
      expect(path + JSON.stringify(body)).not.toContain(TOKEN);
    }
  });

  test('no error contains the token or payload even when Salesforce repeats them', async () => {
    const answers: RequestListener = (_request, response) => {
      const message = `Refused ${TOKEN} for KIM@fjord.example.org: Hello Kim, Route planning`;
      response
        .writeHead(400, { 'Content-Type': 'application/json' })
        .end(JSON.stringify([{ errorCode: 'APEX_ERROR', message }]));
    };
    const outcomes = await withServer(answers, (url) => writeAll([toWrite({ bodyText: 'Hello Kim' })], url));
    expect(outcomes).toMatchObject([{ status: 'error', error: { message: expect.stringContaining('Refused') } }]);
    for (const secret of [TOKEN, 'kim@fjord', 'Hello Kim', 'Route planning'])
      expect(JSON.stringify(outcomes).toLowerCase()).not.toContain(secret.toLowerCase());
  });

  test('does not follow redirects, and takes the rest of a query only from the same org', async () => {
    let followed = 0;
    const target: RequestListener = (_request, response) => {
      followed += 1;
      response.end('{}');
    };
    await withServer(target, async (targetUrl) => {
      const redirecting: RequestListener = (_request, response) =>
        void response.writeHead(307, { Location: targetUrl }).end();
      const outcomes = await withServer(redirecting, (url) => writeAll([toWrite()], url));
      expect(outcomes).toMatchObject([{ status: 'error', error: { code: 'unexpected_answer', httpStatus: 307 } }]);
      const elsewhere: RequestListener = (request, response) => {
        const page = { done: false, nextRecordsUrl: `${targetUrl}/x`, records: [] };
        response
          .setHeader('Content-Type', 'application/json')
          .end(JSON.stringify(request.url?.includes('query') ? page : { fields: [] }));
      };
      expect(await withServer(elsewhere, (url) => writeAll([toWrite()], url))).toMatchObject([{ status: 'error' }]);
    });
    expect(followed).toBe(0);
  });
});

async function withServer<T>(listener: RequestListener, run: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  try {
    return await run(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
