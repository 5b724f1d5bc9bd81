/** What must hold after a chaos run: checks of what the service has stored. Each returns what is wrong, and names the events. */
import { countClosedHours } from '@svc/engine/store/count-hours';
import type { Database } from '@svc/engine/store/database/db';
import { outcomeSql } from '@svc/engine/store/receipts';
import { until } from '../support/cluster/until.ts';
import {
  findWrongBlocklists,
  findWrongCrmRecords,
  findWrongDeliveries,
  findWrongMails,
  findWrongOrder,
  findWrongWebhooks,
} from './effects.ts';
import type { ChaosCluster } from './cluster.ts';
import type { SentEvent } from './traffic.ts';
import { some } from './problems.ts';
import { API_KEY } from './world.ts';

/** Returns every broken law; none when all hold. */
export async function findLosses(cluster: ChaosCluster): Promise<string[]> {
  const checks = [
    ...[findLostReceipts, findWrongSyncs, findWrongMetrics, findLeftJobs],
    ...[
      findWrongCrmRecords,
      findWrongOrder,
      findWrongDeliveries,
      findWrongMails,
      findWrongBlocklists,
      findWrongWebhooks,
    ],
  ];
  const problems: string[] = [];
  for (const check of checks) {
    // A check that cannot be made must not hide what the others found.
    const found = await check(cluster).catch((error: unknown) => [`${check.name} failed: ${String(error)}`]);
    problems.push(...found);
  }
  return problems;
}

/** Every acknowledged post is a receipt; there are no more receipts of an event than posts of it; one of them is the event. */
async function findLostReceipts({ db, events }: ChaosCluster): Promise<string[]> {
  const { rows } = await db.query<{ id: number; key: string; outcome: string | null }>(
    `select id, convert_from(body, 'UTF8')::jsonb->>'stats_id' as key, ${outcomeSql('requests')} as outcome from requests`,
  );
  const byKey = Map.groupBy(rows, ({ key }) => key);
  const receiptsOf = ({ key }: SentEvent) => byKey.get(key) ?? [];
  const isLost = (event: SentEvent) => {
    const ids = receiptsOf(event).map(({ id }) => id);
    return event.acknowledged.length === 0 || event.acknowledged.some((id) => !ids.includes(id));
  };
  const isWrong = (event: SentEvent) => {
    const receipts = receiptsOf(event);
    return receipts.length > event.attempts || receipts.filter(({ outcome }) => outcome === 'synced').length !== 1;
  };
  const known = new Set(events.map(({ key }) => key));
  const facts = (event: SentEvent) => ({ ...event, receipts: receiptsOf(event) });
  return [
    ...some('acknowledged events without their receipt', events.filter(isLost).map(facts)),
    ...some('events with more receipts than posts, or not exactly one that counts', events.filter(isWrong).map(facts)),
    ...some(
      'receipts without an outcome, or that nobody posted',
      rows.filter(({ key, outcome }) => outcome === null || !known.has(key)),
    ),
  ];
}

/** Every event is stored once, and has one first sync, one success, and nothing after it. */
async function findWrongSyncs({ db, events }: ChaosCluster): Promise<string[]> {
  const { rows } = await db.query<{ key: string; firsts: number; statuses: string[]; error: string | null }>(
    `select convert_from(r.body, 'UTF8')::jsonb->>'stats_id' as key,
        count(s.id) filter (where s.retry_of_sync_id is null)::int as firsts,
        coalesce(array_agg(s.status order by s.id) filter (where s.id is not null), '{}') as statuses, max(s.error::text) as error
      from inbound_events e join requests r on r.id = e.request_id left join syncs s on s.inbound_event_id = e.id
      group by e.id, r.body`,
  );
  const byKey = Map.groupBy(rows, ({ key }) => key);
  const isRight = ({ key }: SentEvent) => {
    const [stored, ...more] = byKey.get(key) ?? [];
    if (stored === undefined || more.length > 0 || stored.firsts !== 1) return false;
    return stored.statuses.at(-1) === 'success' && stored.statuses.slice(0, -1).every((status) => status === 'error');
  };
  return some(
    'events that are not stored and written exactly once',
    events.filter((event) => !isRight(event)).map((event) => ({ ...event, stored: byKey.get(event.key) })),
  );
}

/** The metrics of the API equal the rows, also once the hours of all rows are counted. */
async function findWrongMetrics({ db, clock, having }: ChaosCluster): Promise<string[]> {
  // Whole hours around all rows: the rest of an hour would be counted from its rows.
  const [from, to] = [clock.epochMs - 7_200_000, clock.now().getTime() + 120_000].map((ms) =>
    new Date(ms).toISOString(),
  );
  const query = new URLSearchParams({ from: from ?? '', to: to ?? '' });
  const { rows } = await db.query<{ counted: object }>(
    `select json_build_object('requests', json_build_object('count', (select count(*) from requests)),
        'syncs', (select json_build_object('success', count(*) filter (where status = 'success'),
          'warning', count(*) filter (where status = 'warning'), 'error', count(*) filter (where status = 'error')) from syncs),
        'destinationDeliveries', (select json_build_object('success', count(*) filter (where status = 'success'),
          'error', count(*) filter (where status = 'error'),
          'http2xx', count(*) filter (where http_status between 200 and 299)) from deliveries)) as counted`,
  );
  const counted = JSON.stringify(rows[0]?.counted);
  const problems: string[] = [];
  for (const when of ['as the workers have counted', 'with all hours counted']) {
    const answer = await fetch(`${having('api')[0]?.url}/api/v1/account/metrics?${query}`, {
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    const { from: _from, to: _to, ...metrics } = JSON.parse(await answer.text());
    const shown = JSON.stringify(metrics);
    if (shown !== counted) problems.push(`the metrics ${when} are ${shown}, the rows ${counted}`);
    await countAllHours(db, clock.now());
  }
  return problems;
}

/** Counting waits for transactions that are open anywhere on the database server. */
async function countAllHours(db: Database, now: Date): Promise<void> {
  const lastHour = `select max(date_trunc('hour', created_at, 'UTC')) from (select created_at from requests
    union all select created_at from syncs union all select created_at from deliveries) rows`;
  await until('all hours are counted', async () => {
    await countClosedHours(db, now);
    const { rows } = await db.query<{ isCounted: boolean }>(
      `select bool_and(counted_until is not null and counted_until > (${lastHour})) as "isCounted" from hour_count_state`,
    );
    return rows[0]?.isCounted === true;
  });
}

/** No job is left but the next rounds of block lists. */
async function findLeftJobs({ db }: ChaosCluster): Promise<string[]> {
  const { rows } = await db.query<{ kind: string }>(
    `select kind, ref, due_at, is_leased, attempts, failures, last_error from jobs where kind <> 'top-up-blocklist'`,
  );
  return some('jobs are left', rows);
}
