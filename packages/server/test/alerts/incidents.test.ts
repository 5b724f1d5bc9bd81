/** Incidents: each topic begins and ends with one message, also when processes die, look together, or a condition flaps. */
import type { AlertTopic } from '@svc/domain/alerts/alert';
import { watchIncidents } from '@svc/engine/alerts/watch-incidents';
import { anyBackend } from '@svc/engine/test/backends';
import { performAdmin } from '@svc/operations/perform';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/harness.ts';

const MINUTE_MS = 60_000;
const SOURCE = 900;

const requestsAt = (at: string, outcome: string, count: number) =>
  `insert into requests (account_id, connection_id, source_id, path, outcome, created_at)
    select 1, 1, ${SOURCE}, 'alerts', '${outcome}', ${at} from generate_series(1, ${count})`;

/** SQL that makes the condition of a topic true, and false again. `NOW` stands for the time. */
const CASES: Readonly<
  Record<Exclude<AlertTopic, 'interested-reply'>, { begin: string[]; end: string[]; title: string }>
> = {
  'crm-disconnected': {
    begin: ['update connections set crm_token = null where id = 1'],
    end: [`update connections set crm_token = 'sealed' where id = 1`],
    title: 'HUBSPOT connection 1 is disconnected, so its events are not written',
  },
  'source-failing': {
    begin: [`insert into sync_health values (${SOURCE}, 1, 3, NOW)`],
    end: [`update sync_health set consecutive_failures = 0, failing_since = null where source_id = ${SOURCE}`],
    title: `Syncs from smartlead source ${SOURCE} to HUBSPOT are failing`,
  },
  'source-silent': {
    begin: [
      requestsAt(`NOW::timestamptz - interval '31 hours'`, 'synced', 1),
      `insert into hour_counts select 'requests', 1, hour, ${SOURCE}, 1, 0, 0, 0, 0
          from generate_series(date_trunc('hour', NOW::timestamptz - interval '10 days'), NOW::timestamptz - interval '31 hours', '20 hours') as hour`,
    ],
    end: [requestsAt(`NOW::timestamptz`, 'synced', 1)],
    title: `smartlead source ${SOURCE} has gone silent`,
  },
  'receipts-not-understood': {
    begin: [requestsAt(`NOW::timestamptz - interval '5 minutes'`, 'unparsed', 5)],
    end: [
      `update requests set outcome = 'synced' where source_id = ${SOURCE}`,
      requestsAt(`NOW::timestamptz + interval '11 minutes'`, 'synced', 1),
    ],
    title: `Posts of smartlead source ${SOURCE} are not understood`,
  },
  'blocklist-stuck': {
    begin: [
      `insert into blocklists (id, connection_id, list_name, platform, block_type, status, is_enabled, last_error, created_at)
          values (${SOURCE}, 1, 'list', 'smartlead', 'ADDRESS', 'CREATED', true, 'text', NOW)`,
      'update connections set capability_blocklists = true where id = 1',
    ],
    end: [`update blocklists set last_error = null where id = ${SOURCE}`],
    title: `Block list ${SOURCE} of smartlead is stuck`,
  },
  'daily-limit-near': {
    begin: [
      `insert into crm_quotas (connection_id, version, state)
          values (1, 1, '{"day": {"limit": 1000, "used": 901, "isTold": true, "startedMs": 0, "stop": null}}')`,
    ],
    end: ['delete from crm_quotas'],
    title: 'HUBSPOT connection 1 has used 90 % of its calls for the day',
  },
  'wiring-drift': {
    begin: [
      `insert into sequencer_keys (id, account_id, name, platform, created_at) values (${SOURCE}, 1, 'key', 'smartlead', NOW) on conflict do nothing`,
      `insert into source_wirings (source_id, sequencer_key_id, url, webhook_ids, connected_at, checked_at, error)
          values (${SOURCE}, ${SOURCE}, 'https://sync.example.com/webhooks/alerts', '{1}', NOW, NOW, 'text')`,
    ],
    end: [`update source_wirings set error = null`],
    title: `The webhook of smartlead source ${SOURCE} at its sequencer is not as it was registered`,
  },
};

describe('incidents', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyBackend);
    await server.db.query(`insert into sources (id, connection_id, platform, path, created_at)
      values (${SOURCE}, 1, 'smartlead', 'alerts', '2026-01-01')`);
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    server.receiver.reset();
    for (const text of [
      ...['delete from jobs', 'delete from alert_channels', 'delete from alert_incidents', 'delete from crm_quotas'],
      ...['delete from sync_health', 'delete from source_wirings', `delete from blocklists where id = ${SOURCE}`],
      ...[`delete from requests where source_id = ${SOURCE}`, `delete from hour_counts where part_id = ${SOURCE}`],
      `update connections set crm_token = coalesce(crm_token, 'sealed')`,
    ]) {
      await server.db.query(text);
    }
    const url = 'https://hooks.example.com/alerts';
    await performAdmin(server.running.ctx, 'alerts/add', { accountId: 1, kind: 'webhook', url }, 'a test');
  });

  const sql = async (texts: readonly string[]) => {
    const now = `'${server.clock.now().toISOString()}'`;
    for (const text of texts) await server.db.query(text.replaceAll('NOW', now));
  };
  const look = async () => {
    await watchIncidents(server.running.ctx);
    await server.running.runner.runDue();
  };
  /** The messages of a topic so far, by their types. */
  const told = (topic: AlertTopic) =>
    server.receiver
      .posts()
      .map(({ body }) => JSON.parse(body) as { type: string; summary: string; data: { topic: string } })
      .filter(({ data }) => data.topic === topic);
  const typesOf = (topic: AlertTopic) => told(topic).map(({ type }) => type);

  test.each(Object.entries(CASES))(
    '%s: one message when it begins, one when it ends',
    async (name, { begin, end, title }) => {
      const topic = name as AlertTopic;
      await sql(begin);
      await look();
      await look();
      expect(told(topic).map(({ summary }) => summary)).toEqual([title]);
      const { incidents } = await performAdmin(server.running.ctx, 'alerts/list', { accountId: 1 }, 'a test');
      expect(incidents).toContainEqual(expect.objectContaining({ topic, summary: title }));
      await sql(end);
      await look();
      server.clock.advance(11 * MINUTE_MS);
      await look();
      await look();
      expect(typesOf(topic)).toEqual(['alert.opened', 'alert.recovered']);
      const after = await performAdmin(server.running.ctx, 'alerts/list', { accountId: 1 }, 'a test');
      const closed = { topic, summary: title, closedAt: server.clock.now().toISOString() };
      expect(after.closed).toContainEqual(expect.objectContaining(closed));
      expect(after.incidents).not.toContainEqual(expect.objectContaining({ summary: title }));
    },
  );

  test('a condition that flaps within ten minutes is one incident', async () => {
    const { begin, end } = CASES['crm-disconnected'];
    for (let round = 0; round < 3; round += 1) {
      await sql(begin);
      await look();
      await sql(end);
      await look();
      server.clock.advance(9 * MINUTE_MS);
    }
    expect(typesOf('crm-disconnected')).toEqual(['alert.opened']);
    server.clock.advance(2 * MINUTE_MS);
    await look();
    expect(typesOf('crm-disconnected')).toEqual(['alert.opened', 'alert.recovered']);
  });

  test('a watch that dies before its commit tells nothing; the next one tells once, also beside another', async () => {
    const { ctx } = server.running;
    await sql(CASES['crm-disconnected'].begin);
    const transaction: typeof ctx.db.transaction = (work, options) =>
      ctx.db.transaction(async (tx) => {
        await work(tx);
        throw new Error('killed');
      }, options);
    await expect(watchIncidents({ ...ctx, db: { ...ctx.db, transaction } })).rejects.toThrow('killed');
    await Promise.all([watchIncidents(ctx), watchIncidents(ctx)]);
    await look();
    expect(typesOf('crm-disconnected')).toEqual(['alert.opened']);
  });

  test('a new channel is not told of what began before, and another account not at all', async () => {
    await sql(CASES['crm-disconnected'].begin);
    await look();
    const url = 'https://late.example.com/alerts';
    const { account } = await performAdmin(server.running.ctx, 'accounts/create', { email: 'b@example.com' }, 'a test');
    for (const place of [{ isInstallation: true }, { accountId: account.id }]) {
      await performAdmin(server.running.ctx, 'alerts/add', { ...place, kind: 'webhook', url }, 'a test');
    }
    await look();
    await sql(CASES['wiring-drift'].begin);
    await look();
    const late = server.receiver.posts().filter(({ host }) => host === 'late.example.com');
    expect(late.map(({ body }) => JSON.parse(body).data.topic)).toEqual(['wiring-drift']);
  });

  test('the end waits behind a beginning that could not be sent yet', async () => {
    const { begin, end } = CASES['crm-disconnected'];
    server.receiver.answerNext(500);
    await sql(begin);
    await look();
    await sql(end);
    await look();
    server.clock.advance(11 * MINUTE_MS);
    await look();
    server.clock.advance(2 * MINUTE_MS);
    await look();
    expect(typesOf('crm-disconnected')).toEqual(['alert.opened', 'alert.opened', 'alert.recovered']);
  });

  test('an interested reply causes one message, without who replied, however often it is posted', async () => {
    const post = {
      ...{ event_type: 'LEAD_CATEGORY_UPDATED', sl_lead_email: 'lead@example.org', to_email: 'lead@example.org' },
      ...{
        lead_category: { new_name: 'Interested', new_id: 1 },
        campaign_id: 1,
        event_timestamp: '2026-03-31T11:00:00Z',
      },
    };
    await server.post('/webhooks/demo-smartlead', post);
    await server.post('/webhooks/demo-smartlead', post);
    await server.running.runner.runDue();
    await look();
    expect(typesOf('interested-reply')).toEqual(['alert.opened']);
    const bodies = server.receiver.posts().map(({ body }) => body);
    expect(bodies.filter((body) => body.includes('interested-reply')).join()).not.toContain('lead@example.org');
    const { incidents } = await performAdmin(server.running.ctx, 'alerts/list', {}, 'a test');
    expect(incidents.filter(({ topic }) => topic === 'interested-reply')).toEqual([]);
  });

  test('a removed source ends its incidents without a message', async () => {
    await sql(CASES['source-failing'].begin);
    await look();
    const { source } = await performAdmin(
      server.running.ctx,
      'sources/add',
      { connectionId: 1, platform: 'smartlead' },
      'a test',
    );
    await server.db.query(`update alert_incidents set source_id = $1 where source_id = ${SOURCE}`, [source.id]);
    await performAdmin(server.running.ctx, 'sources/remove', { id: source.id, isConfirmed: true }, 'a test');
    expect((await server.db.query(`select from alert_incidents where topic = 'source-failing'`)).rowCount).toBe(0);
  });
});
