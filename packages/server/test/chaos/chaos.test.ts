/** A short chaos run of two processes on one database, and the proof that its checks notice what they are for. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { runChaos } from './chaos.ts';
import { type ChaosCluster, startCluster } from './cluster.ts';
import { findLosses } from './conservation.ts';
import { findRefused } from './effects.ts';

const databaseUrl = inject('databaseUrl');
const EVERYTHING = 'api,inbound,worker';

describe.skipIf(databaseUrl === null)('chaos of two processes', () => {
  let cluster: ChaosCluster;
  const cleanUps: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    cleanUps.push(() => database.drop());
    // A lease takes 1.5 s.
    cluster = await startCluster({ roles: [EVERYTHING, EVERYTHING], databaseUrl: database.url, rate: 10 });
    cleanUps.push(() => cluster.close());
  }, 60_000);
  afterAll(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });

  test('events survive a fault of both processes and failing CRMs', async () => {
    const lines: string[] = [];
    const problems = await runChaos(cluster, { seed: 3, events: 40, rounds: 1, log: (line) => lines.push(line) });
    expect(problems.length === 0 ? [] : lines.join('\n')).toEqual([]);
  }, 120_000);

  test('the checks name an event that was lost, one that was written twice, one that was not forwarded, a wrong order, and wrong counts', async () => {
    const { events, db, outside } = cluster;
    const [lost] = events;
    // Events that their CRM refused at first may be late.
    const refused = await findRefused(db);
    await db.query('delete from requests where id = any($1::bigint[])', [lost?.acknowledged]);
    // Events that were taken over may be there twice.
    await db.query('truncate chaos_takeovers');
    const twice = outside.pipedrive.state().activities[0];
    await fetch(`${outside.pipedrive.url}/api/v2/activities`, {
      method: 'POST',
      headers: { 'x-api-token': 'token-3', 'content-type': 'application/json' },
      body: JSON.stringify({ subject: twice?.subject, type: 'email', participants: twice?.participants }),
    });
    const payloadOf = (post: string) => Number(/^\/\d+ (\d+)$/.exec(post)?.[1]);
    const isForwarded = (post: string) => payloadOf(post) > 0 && !lost?.acknowledged.includes(payloadOf(post));
    const forwarded = [...outside.received.keys()].find(isForwarded) ?? '';
    outside.received.delete(forwarded);

    // While no process counts, and without marks after which one would count anew.
    await db.transaction(async (tx) => {
      await tx.query(`select from hour_count_state where log = 'syncs' for update`);
      await tx.query(`delete from changed_hours where log = 'syncs'`);
      await tx.query(`update hour_counts set success = success + 1 where log = 'syncs' and success > 0`);
    });

    const [, late] = events.flatMap((earlier) =>
      events.flatMap((later) => {
        const isPair = earlier.source === later.source && earlier.email === later.email;
        const isKept = !refused.has(earlier.key) && !refused.has(later.key);
        return isPair && isKept && earlier.acknowledgedAtMs < later.postedAtMs ? [earlier, later] : [];
      }),
    );
    // As if the later one had been acknowledged first.
    if (late) late.acknowledgedAtMs = -Infinity;

    const problems = await findLosses(cluster);
    const having = (text: string) => problems.filter((problem) => problem.includes(text));
    expect(having('acknowledged events without their receipt')).toEqual([
      expect.stringContaining(`"key":"${lost?.key}"`),
    ]);
    expect(having('in the wrong order')).toContainEqual(expect.stringContaining(`{"earlier":"${late?.key}",`));
    const key = /seed-\d+-event-\d+/.exec(twice?.subject ?? '')?.[0];
    expect(having('engagements of PIPEDRIVE are there more than once')).toEqual([
      expect.stringContaining(`"${key}",2`),
    ]);
    expect(having('the metrics with all hours counted')).toHaveLength(1);
    expect(having('that no destination received')).toEqual([
      expect.stringContaining(`"payload":${payloadOf(forwarded)},`),
    ]);
  }, 60_000);
});
