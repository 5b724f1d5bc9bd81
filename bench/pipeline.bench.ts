import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createTestDatabase } from '../scripts/vitest/database.ts';
import type { Bench, Result, Row } from './measure.ts';
import { post } from './support/post.ts';
import { findPostgres } from './support/postgres.ts';
import { type BenchProcess, startProcess, startProcessWith } from './support/process.ts';

/** Concurrent posts. */
const CONNECTIONS = 64;
/** Enough that the beginning and the end of a round hardly count. */
const EVENTS_PER_ROUND = 6_000;
const ROUNDS = 3;
const BACKLOG = 10_000;
/** Contacts of the backlog whose calls are counted on each CRM; more than one batch has. */
const KNOWN_CONTACTS = 1_000;
const STEADY_PER_SECOND = 50;
const STEADY_SECONDS = 10;

const payload = JSON.parse(
  readFileSync(new URL('../fixtures/payloads/smartlead/email-reply.json', import.meta.url), 'utf8'),
);

/**
 * From an acknowledged post to its sync row: through the receipt, the adapter, the CRM and back. The CRM is a simulator
 * in its own process; the posts come from this one.
 */
export const bench: Bench = {
  name: 'pipeline',
  question: 'How fast do acknowledged posts become syncs, and how many calls to the CRM do they cost?',
  async run() {
    const postgres = await findPostgres();
    const crm = await startProcess('pipeline-server.ts', 'crm', 'HUBSPOT');
    const loop = await startProcess('pipeline-server.ts', 'loop', crm.ready);
    const results: Result[] = [];
    try {
      const backends = [...(postgres ? ['PostgreSQL'] : []), 'PGlite'];
      for (const backend of backends) {
        const open = async (connections: number) => {
          const database = backend === 'PostgreSQL' && postgres ? await createTestDatabase(postgres.url) : null;
          const server = await startProcess(
            'pipeline-server.ts',
            'server',
            'HUBSPOT',
            crm.ready,
            String(connections),
            ...(database ? [database.url] : []),
          );
          return new Target(server, connections, async () => {
            server.stop();
            await database?.drop();
          });
        };
        for (const connections of [1, 50]) {
          await withTarget(open(connections), async (target) => {
            results.push(await measureSpeed(target, { crm, loop, title: titleOf(backend, connections) }));
          });
        }
        await withTarget(open(1), async (target) => {
          results.push(...(await measureBacklog(target, crm, backend)));
          results.push(await measureLatency(target, crm, backend));
        });
      }
      results.push(await measureTraces(crm));
      results.push(await measureKnownContacts());
      return results;
    } finally {
      for (const part of [loop, crm]) part.stop();
      postgres?.stop();
    }
  },
};

const titleOf = (backend: string, connections: number) =>
  `events per second, ${backend}, ${connections} ${connections === 1 ? 'connection' : 'connections'}`;

async function withTarget(opening: Promise<Target>, measure: (target: Target) => Promise<void>): Promise<void> {
  const target = await opening;
  try {
    await measure(target);
  } finally {
    await target.close();
  }
}

/** Posts and waits until every post has its sync; both numbers are of the same posts. */
async function measureSpeed(
  target: Target,
  { crm, loop, title }: { crm: BenchProcess; loop: BenchProcess; title: string },
): Promise<Result> {
  const acknowledged = 'posts acknowledged';
  const rows: (Row & { samples: number[] })[] = [
    { what: acknowledged, samples: [] },
    { what: 'events with a sync row', samples: [] },
    { what: 'the same batches of calls, no database', samples: [] },
  ];
  for (let round = -1; round < ROUNDS; round += 1) {
    await crm.ask('reset');
    const started = performance.now();
    await target.post(EVENTS_PER_ROUND);
    const posted = performance.now() - started;
    await target.server.ask('drained');
    const drained = performance.now() - started;
    await target.check();
    await crm.ask('reset');
    const looped = Number(await loop.ask(String(EVENTS_PER_ROUND)));
    if (round < 0) continue;
    for (const [index, ms] of [posted, drained].entries()) {
      rows[index]?.samples.push((EVENTS_PER_ROUND * 1_000) / ms);
    }
    rows[2]?.samples.push(looped);
  }
  return { title, unit: 'events/s', floor: acknowledged, rows };
}

/** What tracing costs: servers that take turns, so that the machine is the same for all. */
async function measureTraces(crm: BenchProcess): Promise<Result> {
  const collector = await startProcess('pipeline-server.ts', 'collector');
  const sampled = (ratio: string) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.ready,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: ratio,
  });
  const untraced = 'not traced';
  const settings = { [untraced]: {}, '1 % of the events traced': sampled('0.01'), 'every event traced': sampled('1') };
  const servers: { what: string; samples: number[]; target: Target }[] = [];
  try {
    for (const [what, env] of Object.entries(settings)) {
      const server = await startProcessWith(env, 'pipeline-server.ts', 'server', 'HUBSPOT', crm.ready, '1');
      servers.push({ what, samples: [], target: new Target(server, 1, async () => server.stop()) });
    }
    for (let round = -1; round < 2 * ROUNDS; round += 1) {
      for (const { samples, target } of servers) {
        await crm.ask('reset');
        const started = performance.now();
        await target.post(EVENTS_PER_ROUND);
        await target.server.ask('drained');
        if (round >= 0) samples.push((EVENTS_PER_ROUND * 1_000) / (performance.now() - started));
        await target.check();
      }
    }
    if ((await collector.ask('bytes')) === '0') throw new Error('the collector got nothing');
    const title = 'events per second, PGlite, 1 connection, with traces';
    return { title, unit: 'events/s', floor: untraced, rows: servers.map(({ what, samples }) => ({ what, samples })) };
  } finally {
    for (const { target } of servers) await target.close();
    collector.stop();
  }
}

/** A backlog of one connection: calls per event, and how long it takes within the CRM's real limits. */
async function measureBacklog(target: Target, crm: BenchProcess, backend: string): Promise<Result[]> {
  const write = async (limit: 'free' | 'limit') => {
    await crm.ask('reset');
    await target.server.ask('rest');
    await target.post(BACKLOG);
    await crm.ask(limit);
    const started = performance.now();
    await target.server.ask('work');
    await target.server.ask('drained');
    const seconds = (performance.now() - started) / 1_000;
    await target.check();
    const counts: { requests: number; refused: number } = JSON.parse(await crm.ask('counts'));
    return { seconds, ...counts };
  };
  const free = await write('free');
  const limited = await write('limit');
  await crm.ask('free');
  const backlog = `backlog of ${BACKLOG.toLocaleString('en-US')} events of one connection, ${backend}`;
  return [
    {
      title: `${backlog}: calls to HubSpot per 100 events`,
      unit: 'calls',
      floor: 'one call per event',
      rows: [
        { what: 'one call per event', samples: [100] },
        { what: 'without limits', samples: [(100 * free.requests) / BACKLOG] },
        { what: 'at 190 calls in 10 s', samples: [(100 * limited.requests) / BACKLOG] },
      ],
    },
    {
      title: `${backlog}, at 190 calls in 10 s: calls refused (429)`,
      unit: 'calls',
      floor: 'all calls',
      rows: [
        { what: 'all calls', samples: [limited.requests] },
        { what: 'refused', samples: [limited.refused] },
      ],
    },
    {
      title: `${backlog}: until all are written`,
      unit: 's',
      floor: 'without limits',
      rows: [
        { what: 'without limits', samples: [free.seconds] },
        { what: 'at 190 calls in 10 s', samples: [limited.seconds] },
      ],
    },
  ];
}

/** Calls of each CRM for a backlog of one connection whose contacts it has all seen before. */
async function measureKnownContacts(): Promise<Result> {
  const rows: Row[] = [{ what: 'one call per event', samples: [100] }];
  for (const crmName of ['HUBSPOT', 'SALESFORCE', 'PIPEDRIVE']) {
    const crm = await startProcess('pipeline-server.ts', 'crm', crmName);
    const server = await startProcess('pipeline-server.ts', 'server', crmName, crm.ready, '1');
    const opening = new Target(server, 1, async () => {
      server.stop();
      crm.stop();
    });
    await withTarget(Promise.resolve(opening), async (target) => {
      await target.post(KNOWN_CONTACTS, KNOWN_CONTACTS);
      await server.ask('drained');
      await server.ask('rest');
      await target.post(BACKLOG, KNOWN_CONTACTS);
      await crm.ask('counts');
      await server.ask('work');
      await server.ask('drained');
      await target.check();
      const { requests }: { requests: number } = JSON.parse(await crm.ask('counts'));
      rows.push({ what: crmName, samples: [(100 * requests) / BACKLOG] });
    });
  }
  const title = `backlog of ${BACKLOG.toLocaleString('en-US')} events of known contacts, PGlite: calls per 100 events`;
  return { title, unit: 'calls', floor: 'one call per event', rows };
}

/** Posts at a constant rate, whether or not earlier ones are answered. */
async function measureLatency(target: Target, crm: BenchProcess, backend: string): Promise<Result> {
  await crm.ask('reset');
  await target.post(10);
  await target.server.ask('drained');
  await target.server.ask('watch');
  const sentAt = new Map<string, number>();
  const count = STEADY_PER_SECOND * STEADY_SECONDS;
  const posts: Promise<void>[] = [];
  const started = performance.now();
  for (let index = 0; index < count; index += 1) {
    await wait(Math.max(0, started + (index * 1_000) / STEADY_PER_SECOND - performance.now()));
    const event = target.nextEvent();
    sentAt.set(event.contact, Date.now());
    posts.push(target.send(event));
  }
  await Promise.all(posts);
  await target.server.ask('drained');
  const seenAt = new Map<string, number>(JSON.parse(await target.server.ask('latencies')));
  const latencies = [...sentAt]
    .map(([contact, at]) => (seenAt.get(contact) ?? Infinity) - at)
    .toSorted((a, b) => a - b);
  const quantile = (share: number) => latencies[Math.ceil(latencies.length * share) - 1] ?? Number.NaN;
  return {
    title: `from post to sync row at ${STEADY_PER_SECOND} events/s, ${backend}`,
    unit: 'ms',
    floor: 'median',
    rows: [
      { what: 'median', samples: [quantile(0.5)] },
      { what: '99 %', samples: [quantile(0.99)] },
      { what: 'the slowest', samples: [quantile(1)] },
    ],
  };
}

interface BenchEvent {
  contact: string;
  source: number;
  number: number;
}

/** A running server and how many events it got. */
class Target {
  readonly server: BenchProcess;
  readonly close: () => Promise<void>;
  readonly #connections: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  #sent = 0;

  constructor(server: BenchProcess, connections: number, close: () => Promise<void>) {
    this.server = server;
    this.#connections = connections;
    this.close = async () => {
      this.#agent.destroy();
      await close();
    };
  }

  /** @param contacts number of contacts that take turns; default a new one for each event */
  nextEvent(contacts = Infinity): BenchEvent {
    this.#sent += 1;
    const number = this.#sent;
    const lead = Number.isFinite(contacts) ? number % contacts : number;
    return { number, contact: `lead-${lead}@example.org`, source: 1 + (number % this.#connections) };
  }

  async post(count: number, contacts?: number): Promise<void> {
    let left = count;
    const postMany = async () => {
      while (left > 0) {
        left -= 1;
        await this.send(this.nextEvent(contacts));
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, postMany));
  }

  send({ source, contact, number }: BenchEvent): Promise<void> {
    const body = JSON.stringify({ ...payload, stats_id: `bench-${number}`, sl_lead_email: contact });
    return post(`${this.server.ready}/webhooks/bench-${source}`, this.#agent, body);
  }

  /** @throws Error unless every event has one successful sync */
  async check(): Promise<void> {
    await this.server.ask(`check ${this.#sent}`);
  }
}
