import { type Bench, interleave, type Result, type Row } from './measure.ts';
import { checkSyncs, type DeployedPostgres, type Deployment, onPostgres, untilDrained } from './support/deployment.ts';
import { canReadUsage, cpuSeconds, postgresCpuSeconds } from './support/process-usage.ts';

/** How long the CRM takes for each answer. */
const CRM_DELAY_MS = 200;
const WORKER_COUNTS = [1, 2, 4];
/**
 * Few workers, so that they wait for the CRM and not for the two cores of a small machine. Other programs may use the
 * cores, too.
 */
const JOBS_AT_ONCE = 4;
/** Enough connections that every worker always has another one to write for. */
const CONNECTIONS = 160;
const EVENTS = 4 * CONNECTIONS;
const ROUNDS = 3;

/**
 * Worker processes that share a backlog: `svc-server start --role worker`, on a PostgreSQL whose commits wait for the disk,
 * with a CRM that answers late. The events are spread over many connections, so that what limits is how many calls to the
 * CRM are under way. What the workers use of a core shows that it is not the machine.
 *
 * The rate is that of the middle of the backlog: between a tenth and nine tenths of its events.
 */
export const bench: Bench = {
  name: 'scaling',
  question: `How much faster do 2 and 4 worker processes write than 1, to a CRM that answers after ${CRM_DELAY_MS} ms?`,
  run() {
    return onPostgres({ connections: CONNECTIONS, crmDelayMs: CRM_DELAY_MS }, measure);
  },
};

async function measure(deployment: Deployment, postgres: DeployedPostgres): Promise<Result[]> {
  const inbound = await deployment.startServer('inbound');
  const used = new Map<string, number[]>();
  const label = (workers: number) => `${workers} worker${workers === 1 ? '' : 's'}`;
  const contenders = WORKER_COUNTS.map((workers) => [
    label(workers),
    async () => {
      await deployment.postMany(inbound.url, EVENTS);
      const measured = await writeBacklog(deployment, postgres, workers);
      await checkSyncs(postgres, deployment.posted());
      used.set(label(workers), [...(used.get(label(workers)) ?? []), measured.corePercent]);
      return measured.perSecond;
    },
  ]);
  const rows = await interleave(ROUNDS, Object.fromEntries(contenders), 0);
  const floor = label(1);
  const title = `events written per second, PostgreSQL, ${JOBS_AT_ONCE} jobs at a time per worker, a CRM that answers after ${CRM_DELAY_MS} ms`;
  const results: Result[] = [{ title, unit: 'events/s', floor, rows }];
  if (canReadUsage) {
    const usedRows = rows.map(({ what }): Row => ({ what, samples: used.get(what) ?? [] }));
    results.push({
      title: 'meanwhile in use by the workers and PostgreSQL',
      unit: '% of a core',
      floor,
      rows: usedRows,
    });
  }
  return results;
}

async function writeBacklog(
  deployment: Deployment,
  { client, pid: postgresPid }: DeployedPostgres,
  count: number,
): Promise<{ perSecond: number; corePercent: number }> {
  // Until all workers have started.
  await client.query(`update jobs set due_at = due_at + interval '1 day', is_ready = false`);
  const { rows: before } = await client.query('select coalesce(max(id), 0) as id from syncs');
  const env = { SVC_WORKER_CONCURRENCY: String(JOBS_AT_ONCE) };
  const workers = await Promise.all(Array.from({ length: count }, () => deployment.startServer('worker', env)));
  const cpu = () =>
    canReadUsage ? workers.reduce((sum, { pid }) => sum + cpuSeconds(pid), postgresCpuSeconds(postgresPid)) : 0;
  const cpuBefore = cpu();
  const started = performance.now();
  await client.query('update jobs set due_at = $1, is_ready = true', [new Date()]);
  await untilDrained({ client, pid: postgresPid });
  const seconds = (performance.now() - started) / 1_000;
  const corePercent = (100 * (cpu() - cpuBefore)) / seconds;
  for (const worker of workers) await worker.stop();
  const { rows } = await client.query(
    `select extract(epoch from max(created_at) - min(created_at))::float8 as seconds, count(*)::int as count
      from (select created_at, percent_rank() over (order by created_at, id) as place from syncs where id > $1) as written
      where place between 0.1 and 0.9`,
    [before[0].id],
  );
  const [middle] = rows;
  if (middle.count < 0.7 * EVENTS) throw new Error('the syncs of the backlog were not found');
  return { perSecond: middle.count / middle.seconds, corePercent };
}
