import { kill } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'undici';
import type { Scrape } from '../packages/server/test/support/scrape.ts';
import { type Bench, formatResult, type Result, type Row } from './measure.ts';
import { API_KEY, checkSyncs, deploy, type Deployment, type ServerProcess } from './support/deployment.ts';
import { type BenchProcess, startProcess } from './support/process.ts';

const MINUTES = 10;
/** With PostgreSQL, the process of all roles is only measured for this share of the time: its parts are measured for all of it. */
const SHORT = 0.3;
const CONNECTIONS = 50;
/** Events of one burst. The rate until all of them are written is the peak. */
const BURST = 5_000;
const BURSTS = 3;
const READS_PER_SECOND = 10;
/** The length of a tick: posts of a constant rate are made in ticks. */
const TICK_MS = 20;
const SAMPLES = 40;
/** Options of a Node process that collects its garbage at SIGUSR2. */
const COLLECTS_ON_SIGNAL = `--expose-gc --import data:text/javascript,process.on('SIGUSR2',()=>gc())`;
const MEBIBYTE = 2 ** 20;

/** A process while it works: one number of each per sample. */
type Watched = { role: string; server: ServerProcess; resident: number[]; heap: number[] };

/**
 * Half of the peak for ten minutes, while a reader asks for pages and metrics: memory and lag must be those of the
 * beginning. The heap is that after a garbage collection.
 */
export const bench: Bench = {
  name: 'soak',
  question: 'Do memory and lag stay flat at half of the peak, and how much memory does a process of each role take?',
  async run({ minutes = MINUTES }) {
    const crm = await startProcess('pipeline-server.ts', 'crm', 'HUBSPOT');
    try {
      const short = SHORT * minutes;
      const results: Result[] = [];
      const add = async (database: 'PostgreSQL' | 'embedded', order: Omit<Order, 'crm'>) => {
        const measured = await soak(database, { ...order, crm });
        results.push(...measured);
        // At once, because the others take minutes and may fail.
        process.stderr.write(`\n${measured.map(formatResult).join('\n\n')}\n`);
      };
      await add('PostgreSQL', { minutes, roles: ['api', 'inbound', 'worker'] });
      await add('PostgreSQL', { minutes: short, roles: ['api,inbound,worker'] });
      await add('embedded', { minutes, roles: ['api,inbound,worker'] });
      return results;
    } finally {
      crm.stop();
    }
  },
};

type Order = { minutes: number; crm: BenchProcess; roles: readonly string[] };

async function soak(database: 'PostgreSQL' | 'embedded', { minutes, crm, roles }: Order): Promise<Result[]> {
  const deployment = await deploy(database, { connections: CONNECTIONS, crmUrl: crm.ready });
  if (deployment === null) return [];
  try {
    const watched: Watched[] = [];
    for (const role of roles) {
      const server = await deployment.startServer(role, { NODE_OPTIONS: COLLECTS_ON_SIGNAL });
      watched.push({ role, server, resident: [], heap: [] });
    }
    const ready = await Promise.all(watched.map(({ server }) => server.scrape()));
    const peak = await measurePeak(deployment, watched);
    const rate = Math.max(1, Math.round(peak / 2));
    await crm.ask('reset');
    const lags = await workSteadily(deployment, { watched, rate, seconds: 60 * minutes });
    await untilIdle(serverOf(watched, 'worker'));
    if (deployment.postgres !== null) await checkSyncs(deployment.postgres, deployment.posted());
    const at = `${database}, ${rate} events/s for ${minutes} min (peak ${Math.round(peak)})`;
    return [
      ...watched.map((process, index): Result => memoryOf(process, ready[index], at)),
      {
        ...{ title: `age of the oldest due job, ${at}`, unit: 's', floor: 'first quarter, largest' },
        rows: [
          { what: 'first quarter, largest', samples: [Math.max(...quarter(lags, 0))] },
          { what: 'last quarter, largest', samples: [Math.max(...quarter(lags, 3))] },
        ],
      },
    ];
  } finally {
    await deployment.close();
  }
}

function memoryOf({ role, resident, heap }: Watched, ready: Scrape | undefined, at: string): Result {
  const floor = 'resident, first quarter';
  const rows: Row[] = [
    { what: 'resident, when ready', samples: [megabytes(ready, RESIDENT)] },
    { what: floor, samples: quarter(resident, 0) },
    { what: 'resident, last quarter', samples: quarter(resident, 3) },
    { what: 'heap, first quarter', samples: quarter(heap, 0) },
    { what: 'heap, last quarter', samples: quarter(heap, 3) },
  ];
  return {
    title: `memory of ${role.includes(',') ? 'all roles in one process' : role}, ${at}`,
    unit: 'MB',
    floor,
    rows,
  };
}

/** Returns events per second from the first post to the last sync, without the first burst. */
async function measurePeak(deployment: Deployment, watched: readonly Watched[]): Promise<number> {
  const rates: number[] = [];
  for (let burst = 0; burst < BURSTS; burst += 1) {
    const started = performance.now();
    await deployment.postMany(serverOf(watched, 'inbound').url, BURST);
    await untilIdle(serverOf(watched, 'worker'));
    rates.push((BURST * 1_000) / (performance.now() - started));
  }
  return Math.max(...rates.slice(1));
}

/** Posts at this rate and reads, whether or not earlier ones are answered; returns the lag of each sample. */
async function workSteadily(
  deployment: Deployment,
  { watched, rate, seconds }: { watched: readonly Watched[]; rate: number; seconds: number },
): Promise<number[]> {
  const inbound = serverOf(watched, 'inbound');
  const worker = serverOf(watched, 'worker');
  const reader = new Client(serverOf(watched, 'api').url);
  const lags: number[] = [];
  const failures: unknown[] = [];
  const note = (work: Promise<unknown>) => void work.catch((error: unknown) => failures.push(error));
  const started = performance.now();
  let posts = 0;
  let reads = 0;
  try {
    for (let elapsed = 0; elapsed < seconds && failures.length === 0; elapsed = (performance.now() - started) / 1_000) {
      for (; posts < elapsed * rate; posts += 1) note(deployment.post(inbound.url));
      for (; reads < elapsed * READS_PER_SECOND; reads += 1) note(read(reader, reads));
      if (elapsed >= (lags.length + 1) * (seconds / SAMPLES)) {
        for (const process of watched) {
          kill(process.server.pid, 'SIGUSR2');
          const scrape = await process.server.scrape();
          process.resident.push(megabytes(scrape, RESIDENT));
          process.heap.push(megabytes(scrape, HEAP));
          if (process.server === worker) lags.push(lagOf(scrape));
        }
      }
      await wait(TICK_MS);
    }
  } finally {
    await reader.close();
  }
  if (failures.length > 0) throw failures[0];
  return lags;
}

/** A page of 100 syncs, or the metrics of a day, in turn. */
async function read(reader: Client, nth: number): Promise<void> {
  const [from, to] = [-86_400_000, 3_600_000].map((ms) => new Date(Date.now() + ms).toISOString());
  const resource = nth % 2 === 0 ? 'syncs?limit=100&' : 'syncs/metrics?';
  const headers = { authorization: `Bearer ${API_KEY}` };
  const path = `/api/v1/${resource}from=${from}&to=${to}`;
  const { statusCode, body } = await reader.request({ path, method: 'GET', headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text}`);
}

/** Waits until no job is left. */
async function untilIdle(worker: ServerProcess): Promise<void> {
  while (valuesOf(await worker.scrape(), 'svc_queue_jobs').some((jobs) => jobs > 0)) await wait(50);
}

function serverOf(watched: readonly Watched[], role: string): ServerProcess {
  const found = watched.find((process) => process.role.split(',').includes(role));
  if (found === undefined) throw new Error(`no process has the role ${role}`);
  return found.server;
}

const RESIDENT = 'process_resident_memory_bytes';
const HEAP = 'nodejs_heap_size_used_bytes';

function megabytes(scrape: Scrape | undefined, metric: string): number {
  const bytes = scrape?.get(metric);
  if (bytes === undefined) throw new Error(`/metrics has no ${metric}`);
  return bytes / MEBIBYTE;
}

const lagOf = (scrape: Scrape) => Math.max(0, ...valuesOf(scrape, 'svc_queue_lag_seconds'));

function valuesOf(scrape: Scrape, metric: string): number[] {
  return [...scrape].flatMap(([name, value]) => (name.startsWith(`${metric}{`) ? [value] : []));
}

function quarter(samples: readonly number[], nth: number): number[] {
  const size = samples.length / 4;
  return samples.slice(Math.round(nth * size), Math.round((nth + 1) * size));
}
