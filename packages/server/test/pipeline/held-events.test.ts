/** Events that a write policy holds until their lead answers or gets a category: what the CRM gets, when, and in which order. */
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createManualClock } from '@svc/engine/runtime/clock';
import { maintainHeldEvents } from '@svc/engine/pipeline/hold-events';
import { startMaintenance } from '@svc/engine/store/maintenance';
import { insertPolicy } from '@svc/engine/store/write-policies';
import { anyBackend } from '@svc/engine/test/backends';
import { performAdmin } from '@svc/operations/perform';
import { type WritePolicy, writePolicySchema } from '@svc/domain/policy/write-policy';
import { recordStatements } from '../support/database-probes.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';

const SOURCE = 1;
const CONNECTION = 1;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const HOLD = { holdUntil: { reply: true, categories: ['Interested', '77'] } };
const log = pino({ level: 'silent' });

describe('events of a source that holds them', () => {
  let server: TestServer;
  let posted = 0;
  /** The CRM's records of earlier tests are remembered, so each test has people of its own. */
  let tests = 0;
  const kim = () => `kim-${tests}@example.org`;
  const ada = () => `ada-${tests}@example.org`;
  beforeAll(async () => {
    server = await startTestServer(anyBackend);
  });
  afterAll(async () => {
    await server.close();
  });
  beforeEach(async () => {
    tests += 1;
    server.clock.advance(MINUTE_MS);
    server.crm.reset();
    await server.db.query('delete from jobs');
    await server.db.query('delete from held_events');
    await server.db.query('delete from released_leads');
    await server.db.query('update connections set capability_sync = true');
    await server.db.query('truncate destination_bindings, reply_relay_bindings');
    await setPolicy(null, null);
    await setPolicy(HOLD);
  });

  const setPolicy = (policy: unknown, sourceId: number | null = SOURCE) => {
    const parsed: WritePolicy | null = policy === null ? null : writePolicySchema.parse(policy);
    return server.db.transaction((tx) =>
      insertPolicy(tx, { connectionId: CONNECTION, sourceId }, parsed, server.clock.now()),
    );
  };
  const settle = () => server.running.runner.runDue();
  /** Returns an event as smartlead posts it; its subject is its name in these tests. */
  const event = (subject: string, changes: object = {}) => {
    posted += 1;
    return {
      ...{ event_type: 'EMAIL_SENT', to_email: kim(), stats_id: `${subject}-${posted}`, subject },
      ...{ campaign_id: 5, campaign_name: 'Spring' },
      ...changes,
    };
  };
  const reply = (subject: string, changes: object = {}) =>
    event(subject, { event_type: 'EMAIL_REPLY', reply_body: 'Yes!', ...changes });
  const category = (lead_category: object, changes: object = {}) =>
    event('category', { event_type: 'LEAD_CATEGORY_UPDATED', lead_category, ...changes });
  const receive = async (...bodies: object[]) => {
    for (const body of bodies) {
      expect((await server.post('/webhooks/demo-smartlead', body)).status).toBe(200);
      await settle();
    }
  };
  /** The subjects of what the CRM has, in the order in which it came. */
  const written = () =>
    server.crm
      .engagements()
      .toSorted((a, b) => Number(a.id) - Number(b.id))
      .map(({ properties }) => String(properties['hs_email_subject'] ?? 'category'));
  const held = async () => {
    const { rows } = await server.db.query<{ recipient: string; campaign: string }>(
      'select recipient, campaign from held_events order by event_id',
    );
    return rows.map(({ recipient, campaign }) => `${recipient} ${campaign}`);
  };
  const syncs = async () => {
    const { rows } = await server.db.query('select from syncs where created_at > $1', [
      new Date(server.clock.now().getTime() - MINUTE_MS),
    ]);
    return rows.length;
  };

  test('wait without sync rows and without calls, and are written in order before the reply, once', async () => {
    const first = event('one');
    await receive(first, event('two'), event('three'));
    expect(written()).toEqual([]);
    expect(await syncs()).toBe(0);
    expect(await held()).toHaveLength(3);
    const answer = reply('answer');
    await receive(answer);
    expect(written()).toEqual(['one', 'two', 'three', 'answer']);
    expect(await held()).toEqual([]);
    // The same payloads again, and a later event.
    await receive(first, answer, event('later'));
    expect(written()).toEqual(['one', 'two', 'three', 'answer', 'later']);
    expect(await syncs()).toBe(5);
  });

  test('that come in one batch with the reply are written in its order', async () => {
    for (const body of [event('one'), event('two'), reply('answer'), event('later')]) {
      await server.post('/webhooks/demo-smartlead', body);
    }
    await settle();
    expect(written()).toEqual(['one', 'two', 'answer', 'later']);
    expect(await held()).toEqual([]);
  });

  test.each([
    ['name, whatever its case', { new_id: '5', new_name: ' INTERESTED ' }, true],
    ['id', { new_id: '77', new_name: 'Meeting' }, true],
    ['another category', { new_id: '6', new_name: 'Not interested' }, false],
  ])('are released by an allowed category: %s', async (_what, given, isReleased) => {
    await receive(event('one'), category(given));
    expect(written().includes('one')).toBe(isReleased);
    expect(await held()).toHaveLength(isReleased ? 0 : 2);
  });

  test('wait for an answer in their own campaign; one without a campaign releases all of them', async () => {
    const autumn = { campaign_id: 6, campaign_name: 'Autumn' };
    await receive(event('spring'), event('autumn', autumn), reply('answer'));
    expect(written()).toEqual(['spring', 'answer']);
    expect(await held()).toEqual([`${kim()} 6`]);
    await receive(reply('somewhere', { campaign_id: null, campaign_name: null }), event('later', autumn));
    expect(written()).toEqual(['spring', 'answer', 'autumn', 'somewhere', 'later']);
  });

  test('of other leads go on waiting', async () => {
    await receive(event('kim'), event('ada', { to_email: ada() }), reply('answer'));
    expect(written()).toEqual(['kim', 'answer']);
    expect(await held()).toEqual([`${ada()} 5`]);
  });

  test('follow an earlier write of their lead that still waits for the CRM', async () => {
    await setPolicy({});
    server.crm.failNext(1, 429);
    await receive(event('before'));
    await setPolicy(HOLD);
    await receive(event('one'), reply('answer'));
    expect(written()).toEqual([]);
    server.clock.advance(10 * MINUTE_MS);
    await settle();
    server.clock.advance(10 * MINUTE_MS);
    await settle();
    expect(written()).toEqual(['before', 'one', 'answer']);
  });

  test('are held by the policy of the connection; a source can say null', async () => {
    await setPolicy(null);
    await setPolicy(HOLD, null);
    await receive(event('one'));
    expect(await held()).toHaveLength(1);
    await setPolicy({ holdUntil: null });
    await receive(event('two', { to_email: ada() }));
    expect(written()).toEqual(['two']);
  });

  test('are released by maintenance when no policy holds them any more', async () => {
    await receive(event('one'), event('two'));
    await maintainHeldEvents({ db: server.db, clock: server.clock, log });
    expect(await held()).toHaveLength(2);
    await setPolicy({});
    await maintainHeldEvents({ db: server.db, clock: server.clock, log });
    await settle();
    expect(written()).toEqual(['one', 'two']);
    expect(await held()).toEqual([]);
    // The lead was not released: a policy that holds again holds its later events.
    await setPolicy(HOLD);
    await receive(event('three'));
    expect(await held()).toHaveLength(1);
  });

  test('are dropped when they have waited as long as the policy said when they came; the events stay', async () => {
    await setPolicy({ holdUntil: { reply: true, dropAfter: '2d' } });
    await receive(event('old'));
    await setPolicy({ holdUntil: { reply: true, dropAfter: '10d' } });
    server.clock.advance(DAY_MS);
    await receive(event('young'));
    server.clock.advance(DAY_MS);
    const { rows } = await server.db.query('select from inbound_events where to_email = $1', [kim()]);
    await maintainHeldEvents({ db: server.db, clock: server.clock, log });
    expect(await held()).toHaveLength(1);
    await receive(reply('answer'));
    expect(written()).toEqual(['young', 'answer']);
    const stored = await server.db.query('select from inbound_events where to_email = $1', [kim()]);
    expect(stored.rowCount).toBe(rows.length + 1);
  });

  test('keep the month and the content of their receipts until they are released or dropped', async () => {
    await setPolicy({ holdUntil: { reply: true, dropAfter: '200d' } });
    await receive(event('old'));
    const { rows } = await server.db.query<{ id: number }>(
      'select request_id as id from inbound_events order by id desc limit 1',
    );
    const receiptId = rows[0]?.id ?? 0;
    const maintain = async (days: number) => {
      const clock = createManualClock(new Date(server.clock.now().getTime() + days * DAY_MS));
      const maintenance = startMaintenance({ db: server.db, clock, log, logDays: 35 });
      clock.advance(MINUTE_MS);
      await maintenance.stop();
    };
    const isStored = async () => {
      const found = await server.db.query('select from requests where id = $1', [receiptId]);
      const content = await server.db.query(`select from inbound_events where request_id = $1 and normalized <> '{}'`, [
        receiptId,
      ]);
      return { receipt: found.rowCount === 1, content: content.rowCount === 1 };
    };
    await maintain(100);
    expect(await isStored()).toEqual({ receipt: true, content: true });
    await server.db.query('delete from held_events');
    await maintain(100);
    expect(await isStored()).toEqual({ receipt: false, content: false });
  });

  test('neither wait nor release while syncing is switched off', async () => {
    await receive(event('one'));
    await server.db.query('update connections set capability_sync = false where id = $1', [CONNECTION]);
    await receive(reply('unheard'), event('two'));
    await server.db.query('update connections set capability_sync = true where id = $1', [CONNECTION]);
    expect(await held()).toHaveLength(1);
    await receive(reply('answer'));
    expect(written()).toEqual(['one', 'answer']);
  });

  test('that were not understood at first wait too, and a reply that is read again releases', async () => {
    const setPlatform = (platform: string) =>
      server.db.query('update sources set platform = $2 where id = $1', [SOURCE, platform]);
    await receive(event('one'));
    await setPlatform('unknown-yet');
    await receive(reply('answer'), event('ada', { to_email: ada() }));
    await setPlatform('smartlead');
    const input = { sourceId: SOURCE, since: '50s' };
    await performAdmin(server.running.ctx, 'requests/reprocess', input, 'a test');
    await settle();
    expect(written()).toEqual(['one', 'answer']);
    expect(await held()).toEqual([`${ada()} 5`]);
    await performAdmin(server.running.ctx, 'requests/reprocess', { ...input, outcomes: ['synced'] }, 'a test');
    await settle();
    expect(written()).toEqual(['one', 'answer']);
  });

  test('are forwarded at once', async () => {
    const [destination] = server.world.destinations;
    server.receiver.reset();
    await server.db.query(`insert into destination_bindings values ($1, $2, '{EMAIL_SENT}', false)`, [
      destination?.id,
      SOURCE,
    ]);
    await receive(event('one'));
    expect(server.receiver.posts()).toHaveLength(1);
    expect(await held()).toHaveLength(1);
  });

  test('of a removed source go with it', async () => {
    const added = { connectionId: CONNECTION, platform: 'smartlead' };
    const { source } = await performAdmin(server.running.ctx, 'sources/add', added, 'a test');
    await setPolicy(HOLD, source.id);
    const { pathname } = new URL(source.url);
    await server.post(pathname, event('one'));
    await server.post(pathname, reply('ada', { to_email: ada() }));
    await settle();
    const counts = async () => {
      const { rows } = await server.db.query<{ held: number; released: number }>(
        `select (select count(*)::int from held_events where source_id = $1) as held,
            (select count(*)::int from released_leads where source_id = $1) as released`,
        [source.id],
      );
      return rows[0];
    };
    expect(await counts()).toEqual({ held: 1, released: 1 });
    await performAdmin(server.running.ctx, 'sources/remove', { id: source.id, isConfirmed: true }, 'a test');
    expect(await counts()).toEqual({ held: 0, released: 0 });
  });

  test('cost sources whose policy holds nothing no statement', async () => {
    const statementsOf = async (policy: unknown) => {
      await setPolicy(policy);
      const { statements, stop } = recordStatements(server);
      await receive(event('counted', { to_email: `counted-${posted}@example.org` }));
      stop();
      return statements;
    };
    const without = await statementsOf({});
    expect(without.filter((text) => /held_events|released_leads/.test(text))).toEqual([]);
    expect((await statementsOf(HOLD)).filter((text) => /held_events|released_leads/.test(text))).toHaveLength(2);
  });
});
