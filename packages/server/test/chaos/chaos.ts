/**
 * A chaos run: events are posted to several servers while processes, links, clocks, databases and CRMs fail by a schedule that the seed
 * draws. Afterwards everything is healed, and what must hold is checked (`conservation.ts`).
 *
 * The schedule of a seed is always the same; how it interleaves with the work is not, so a failure may need several repetitions.
 */
import { setTimeout } from 'node:timers/promises';
import type { ServerNode } from '../support/cluster/servers.ts';
import { until } from '../support/cluster/until.ts';
import { type ChaosCluster, type ClusterOptions, startCluster } from './cluster.ts';
import { findLosses } from './conservation.ts';
import { drawRound, heal } from './faults.ts';
import { createRandom } from './random.ts';
import { startReader, startTraffic } from './traffic.ts';
import { API_KEY } from './world.ts';

export interface ChaosOptions {
  seed: number;
  /** Number of events that are posted. */
  events: number;
  /** Rounds of faults: of two servers and of the database at the same time. */
  rounds: number;
  /** Writes one line for each step. */
  log: (line: string) => void;
}

/** Longest time that the jobs may take once everything is healed, and what each event adds to it. */
const DRAIN_MS = 120_000;
const DRAIN_EVENT_MS = 40;
/** How far clocks are moved at a time, for waits after failures. */
const MOVE_MAX_MS = 3_600_000;
/** An hour is closed when it and five minutes are over. */
const CLOSED_MS = 70 * 60_000;
/** After so many moves, the jobs that still wait are shown. */
const MANY_MOVES = 30;

/** Runs several seeds on one installation, a new one after each failure. Returns the seeds that failed. */
export async function runSeeds(
  seeds: readonly number[],
  options: Omit<ChaosOptions, 'seed'>,
  clusterOptions: ClusterOptions = {},
): Promise<number[]> {
  const failed: number[] = [];
  let cluster: ChaosCluster | null = null;
  try {
    for (const seed of seeds) {
      cluster ??= await startCluster(clusterOptions);
      const problems = await runChaos(cluster, { ...options, seed });
      if (problems.length === 0) continue;
      failed.push(seed);
      const { events, rounds, log } = options;
      log(`Repeat it: npm run chaos -- --seed ${seed} --events ${events} --rounds ${rounds}`);
      await cluster.close();
      cluster = null;
    }
  } finally {
    await cluster?.close();
  }
  return failed;
}

/** @returns what is wrong; nothing when everything that must hold holds */
export async function runChaos(cluster: ChaosCluster, options: ChaosOptions): Promise<string[]> {
  const { seed, events: count, rounds } = options;
  const { outside, clock, having, servers } = cluster;
  const random = createRandom(seed);
  const startedAt = Date.now();
  const say = (line: string) => options.log(`seed ${seed} ${((Date.now() - startedAt) / 1_000).toFixed(1)} s  ${line}`);
  const drawn = Array.from({ length: rounds }, () => drawRound(random, cluster));
  outside.startFaults(random.fork());
  await orderWork(having('api'));
  const reader = startReader(having('api'), () => clock.now());
  const traffic = startTraffic(having('inbound'), { random: random.fork(), count, prefix: `seed-${seed}` });
  cluster.events.push(...traffic.events);
  for (const [round, faults] of drawn.entries()) {
    const wanted = Math.floor((count * round) / rounds);
    await until(`${wanted} events are acknowledged`, () => traffic.acknowledged() >= wanted, { timeoutMs: 600_000 });
    await Promise.all(
      faults.map(({ name, run }) => {
        say(name);
        return run();
      }),
    );
  }
  await heal(cluster);
  await traffic.done;
  const answers = await reader.stop();
  outside.endFaults();
  say(`${count} events acknowledged; answers of inbound ${show(traffic.statuses)}, of the API ${show(answers)}`);
  await drain(cluster, { timeoutMs: DRAIN_MS + count * DRAIN_EVENT_MS, say });
  const problems = [
    ...(await findLosses(cluster)),
    ...unexpected('inbound', [0, 200, 503], traffic.statuses),
    ...unexpected('the API', [0, 200, 500, 503], answers),
  ];
  for (const problem of problems) say(problem);
  if (problems.length > 0)
    for (const server of servers) say(`${server.host.name} logged:\n${lastLines(server.stderr())}`);
  const { rows: taken } = await cluster.db.query('select distinct event_id from chaos_takeovers');
  say(`${taken.length} of ${cluster.events.length} events were taken over from another worker so far`);
  say(problems.length === 0 ? 'everything holds' : 'failed');
  return problems;
}

/** The end of a log without stacks. */
function lastLines(log: string): string {
  const lines = log
    .split('\n')
    .filter((line) => line !== '')
    .slice(-20);
  return lines.map((line) => `  ${line.replaceAll(/"stack":"(?:[^"\\]|\\.)*",?/g, '').slice(0, 400)}`).join('\n');
}

const show = (counts: Map<number, number>) => JSON.stringify(Object.fromEntries(counts));

/** Without its database, the API answers 500 and the inbound host 503 (decision 4); 0 is no answer. Some must be 200. */
function unexpected(who: string, expected: readonly number[], statuses: Map<number, number>): string[] {
  const isExpected = statuses.has(200) && [...statuses.keys()].every((status) => expected.includes(status));
  return isExpected ? [] : [`${who} answered ${show(statuses)}`];
}

/** Resyncs of the block lists, and a platform event: events of traffic cause one only when a sync fails. */
async function orderWork(api: readonly ServerNode[]): Promise<void> {
  for (const path of ['blocklists/1/resync', 'blocklists/2/resync', 'webhooks/oswhk_chaos1/test']) {
    const answer = await fetch(`${api[0]?.url}/api/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  }
}

/** Waits until all jobs have ended, and moves the clocks over the waits after failures; in the end until all hours with rows are closed. */
async function drain(
  cluster: ChaosCluster,
  { timeoutMs, say }: { timeoutMs: number; say: (line: string) => void },
): Promise<void> {
  const { db, clock } = cluster;
  const endMs = Date.now() + timeoutMs;
  let moves = 0;
  while (Date.now() < endMs) {
    const { rows } = await db.query<{ due: Date | null; jobs: number; leased: number }>(
      `select min(due_at) filter (where not is_leased) as due, count(*)::int as jobs,
          count(*) filter (where is_leased)::int as leased from jobs where kind <> 'top-up-blocklist'`,
    );
    const [{ due, jobs, leased } = { due: null, jobs: 0, leased: 0 }] = rows;
    if (jobs === 0) break;
    const waitMs = due === null ? 0 : due.getTime() - clock.now().getTime();
    if (leased === 0 && waitMs > 3_000) {
      await moveClocks(cluster, Math.min(waitMs, MOVE_MAX_MS));
      moves += 1;
      if (moves % MANY_MOVES === 0) say(`${jobs} jobs still wait: ${JSON.stringify(await firstJobs(cluster))}`);
    }
    await setTimeout(50);
  }
  await moveClocks(cluster, CLOSED_MS);
  say(
    `all jobs ended, or time is over; clocks moved ${moves} times, ${Math.round(clock.offsetMs / 60_000)} minutes ahead`,
  );
}

async function firstJobs({ db }: ChaosCluster): Promise<object[]> {
  const { rows } = await db.query<object>(
    `select kind, ref, attempts, failures, last_error, state from jobs where kind <> 'top-up-blocklist' order by id limit 3`,
  );
  return rows;
}

/** Workers rest meanwhile: in between, the leases of one process would look expired to another. */
async function moveClocks({ clock, having, servers }: ChaosCluster, ms: number): Promise<void> {
  const workers = having('worker');
  await Promise.all(workers.map((worker) => worker.order('rest')));
  clock.offsetMs += ms;
  await Promise.all(servers.map((server) => server.order({ offsetMs: clock.offsetMs })));
  await Promise.all(workers.map((worker) => worker.order('work')));
}
