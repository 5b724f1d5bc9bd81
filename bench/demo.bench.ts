import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createTestDatabase } from '../scripts/vitest/database.ts';
import type { Bench, Result, Row } from './measure.ts';
import { post } from './support/post.ts';
import { findPostgres } from './support/postgres.ts';
import { type BenchProcess, startProcess } from './support/process.ts';

/** Concurrent posts. */
const CONNECTIONS = 64;
/** Long enough that the first writes, which set the CRM up, count little. */
const SECONDS = 20;
const ROUNDS = 3;
/** A source of the demo world with two destinations and a relay. */
const PATH = 'demo-smartlead';

const read = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(`../fixtures/payloads/smartlead/${name}.json`, import.meta.url), 'utf8'));

/** What is posted in turn. A reply goes to two destinations and to the relay. */
const TRAFFIC: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  'replies only': [read('email-reply')],
  'one reply among ten events': [
    ...Array.from({ length: 6 }, () => read('email-sent')),
    ...[read('email-open'), read('email-open'), read('email-link-click'), read('email-reply')],
  ],
};

/**
 * Posts as fast as they are answered to a server with the demo world, whose destinations, relays and webhooks are bound;
 * CRM, endpoints and mail server are in a process of their own.
 */
export const bench: Bench = {
  name: 'demo',
  question: 'With everything of the demo world bound, how many posts are written while others are acknowledged?',
  async run() {
    const postgres = await findPostgres();
    const simulators = await startProcess('demo-server.ts', 'simulators');
    const results: Result[] = [];
    try {
      for (const backend of [...(postgres ? ['PostgreSQL'] : []), 'PGlite']) {
        for (const [traffic, payloads] of Object.entries(TRAFFIC)) {
          const database = backend === 'PostgreSQL' && postgres ? await createTestDatabase(postgres.url) : null;
          const url = database === null ? [] : [database.url];
          const server = await startProcess('demo-server.ts', 'server', simulators.ready, ...url);
          try {
            results.push(...(await measure({ server, simulators, payloads, at: `${traffic}, ${backend}` })));
          } finally {
            server.stop();
            await database?.drop();
          }
        }
      }
      return results;
    } finally {
      simulators.stop();
      postgres?.stop();
    }
  },
};

interface Target {
  server: BenchProcess;
  simulators: BenchProcess;
  payloads: readonly Record<string, unknown>[];
  at: string;
}

async function measure({ server, simulators, payloads, at }: Target): Promise<Result[]> {
  const acknowledged = 'posts acknowledged';
  const perSecond: (Row & { samples: number[] })[] = [
    { what: acknowledged, samples: [] },
    { what: 'events written in the same time', samples: [] },
    { what: 'events written, forwarded and relayed, until all are', samples: [] },
  ];
  const cpu: number[] = [];
  const ask = async (line: string) => Number(await server.ask(line));
  for (let round = -1; round < ROUNDS; round += 1) {
    await simulators.ask('reset');
    const [writtenBefore, cpuBefore] = [await ask('written'), await ask('cpu')];
    const started = performance.now();
    const count = await postForSeconds(server.ready, payloads);
    const posted = (performance.now() - started) / 1_000;
    const written = (await ask('written')) - writtenBefore;
    await server.ask('drained');
    const drained = (performance.now() - started) / 1_000;
    const spent = (await ask('cpu')) - cpuBefore;
    if ((await ask('written')) - writtenBefore !== count) throw new Error('an event was not written, or twice');
    if (round < 0) continue;
    for (const [index, rate] of [count / posted, written / posted, count / drained].entries()) {
      perSecond[index]?.samples.push(rate);
    }
    cpu.push(spent / count);
  }
  return [
    { title: `events per second, ${at}`, unit: 'events/s', floor: acknowledged, rows: perSecond },
    {
      ...{ title: `CPU time of the server for each event, ${at}`, unit: 'µs', floor: 'the server' },
      rows: [{ what: 'the server', samples: cpu }],
    },
  ];
}

let sent = 0;

/** Posts new events over all connections. Returns how many were acknowledged. */
async function postForSeconds(url: string, payloads: readonly Record<string, unknown>[]): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let isOver = false;
  let acknowledged = 0;
  const postMany = async () => {
    while (!isOver) {
      sent += 1;
      const payload = payloads[sent % payloads.length];
      const contact = `lead-${process.pid}-${sent}@example.org`;
      const body = JSON.stringify({ ...payload, stats_id: `bench-${process.pid}-${sent}`, sl_lead_email: contact });
      await post(`${url}/webhooks/${PATH}`, agent, body);
      acknowledged += 1;
    }
  };
  const all = Promise.all(Array.from({ length: CONNECTIONS }, postMany));
  await Promise.race([wait(1_000 * SECONDS), all]);
  isOver = true;
  await all;
  agent.destroy();
  return acknowledged;
}
