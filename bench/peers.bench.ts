import type { Bench, Result, Row } from './measure.ts';
import { interleave } from './measure.ts';
import { findByHand } from './peers/by-hand.ts';
import { type Contender, startPeer, startSvcServer } from './peers/contender.ts';
import { Load } from './peers/load.ts';
import { findN8n } from './peers/n8n.ts';
import { canReadUsage, treeMegabytes } from './support/process-usage.ts';

const EVENTS_PER_ROUND = 1_000;
const ROUNDS = 3;
/** A rate that every contender can keep. */
const STEADY_PER_SECOND = 50;
const STEADY_SECONDS = 8;

const FLOOR = 'svc-server on PostgreSQL';

/** What a team would use instead of the server, doing the same job at simulated CRMs that answer after 50 ms. */
export const bench: Bench = {
  name: 'peers',
  question:
    'How fast does a reply of Smartlead become an email in HubSpot, compared with n8n and with a pipeline written by hand?',
  notes: [
    'The job: find the contact by its address, create or update it, put the email on its timeline. HubSpot is simulated, answers after 50 ms and has no limits; each contender has its own. An event counts as written when the email has its contact.',
    'Each contender but PGlite has a PostgreSQL of its own, whose commits wait for the disk. A post that is not acknowledged is repeated, as sequencers do.',
    'n8n: a webhook and three HTTP requests, one process, answers at once, at most 64 executions at a time, successful ones not kept. More processes need Redis. It does not recognise a repeated post, keep the order of the events of a contact, write several events with one call or stay within the limits of HubSpot, and an execution that was running when the process died is not run again.',
    'By hand: 64 jobs at a time, repeated with growing pauses, and after 10 seconds without a heartbeat. It recognises events that it has written, but not an email whose row it could not store; it does not keep the order of the events of a contact, write several with one call or stay within the limits of HubSpot.',
  ],
  async run() {
    const contenders: Contender[] = [];
    const loads: Load[] = [];
    try {
      for (const start of await findContenders()) {
        const contender = await start();
        if (contender === null) continue;
        contenders.push(contender);
        loads.push(new Load(contender));
      }
      return await measure(contenders, loads);
    } finally {
      for (const load of loads) load.close();
      for (const contender of contenders) await contender.close();
    }
  },
};

async function findContenders(): Promise<(() => Promise<Contender | null>)[]> {
  const peers = [await findByHand(), await findN8n()].filter((peer) => peer !== null);
  return [
    () => startSvcServer(FLOOR, 'PostgreSQL'),
    () => startSvcServer('svc-server on PGlite', 'embedded'),
    ...peers.map((peer) => () => startPeer(peer)),
  ];
}

async function measure(contenders: readonly Contender[], loads: readonly Load[]): Promise<Result[]> {
  const calls = new Map<string, number[]>(loads.map(({ name }) => [name, []]));
  const forEach = (run: (load: Load) => Promise<number>) =>
    Object.fromEntries(loads.map((load) => [load.name, () => run(load)]));
  const speeds = await interleave(
    ROUNDS,
    forEach(async (load) => {
      const { perSecond, callsPer100 } = await load.burst(EVENTS_PER_ROUND);
      calls.get(load.name)?.push(callsPer100);
      return perSecond;
    }),
  );
  const latencies = await interleave(
    ROUNDS,
    forEach((load) => load.latency(STEADY_PER_SECOND, STEADY_SECONDS)),
    0,
  );
  const memory = contenders.map(
    (contender): Row => ({
      what: contender.name,
      samples: canReadUsage ? [treeMegabytes(contender.pids())] : [],
    }),
  );
  for (const load of loads) await load.crash(EVENTS_PER_ROUND);
  const damages = await Promise.all(loads.map((load) => load.damage()));
  const damage = (kind: 'lost' | 'doubled'): Row[] => [
    { what: 'all events', samples: [EVENTS_PER_ROUND] },
    ...loads.map(({ name }, index) => ({ what: name, samples: [damages[index]?.[kind] ?? Number.NaN] })),
  ];
  const crashed = `of ${EVENTS_PER_ROUND.toLocaleString('en-US')} events, the process killed with SIGKILL after half of them and started again`;
  return [
    {
      title: `from the first post to the last email, ${EVENTS_PER_ROUND.toLocaleString('en-US')} events`,
      ...{ unit: 'events/s', floor: FLOOR, rows: speeds },
    },
    {
      title: 'calls to HubSpot for 100 of these events',
      ...{ unit: 'calls', floor: 'one call per event' },
      rows: [
        { what: 'one call per event', samples: [100] },
        ...[...calls].map(([what, samples]): Row => ({ what, samples: samples.slice(-ROUNDS) })),
      ],
    },
    {
      title: `from post to email at ${STEADY_PER_SECOND} events/s, 99 % of the events`,
      ...{ unit: 'ms', floor: FLOOR, rows: latencies },
    },
    ...(canReadUsage ? [{ title: 'memory then, with PostgreSQL', unit: 'MB', floor: FLOOR, rows: memory }] : []),
    { title: `lost ${crashed}`, unit: 'events', floor: 'all events', rows: damage('lost') },
    { title: `written twice ${crashed}`, unit: 'events', floor: 'all events', rows: damage('doubled') },
  ];
}
