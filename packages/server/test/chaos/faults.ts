/** The faults of a chaos run. Each heals by itself before its round ends. */
import { setTimeout } from 'node:timers/promises';
import type { PostgresPair } from '../support/cluster/postgres.ts';
import type { ServerNode } from '../support/cluster/servers.ts';
import { until } from '../support/cluster/until.ts';
import type { ChaosClock, ChaosCluster } from './cluster.ts';
import type { Random } from './random.ts';

/** A fault that was drawn: what it is called in the protocol, and how it runs. */
export interface DrawnFault {
  name: string;
  run(): Promise<void>;
}

/** Draws the faults of one round, which run at the same time: of two servers, and of the database. */
export function drawRound(random: Random, { servers, pair, hasLinks, clock }: ChaosCluster): DrawnFault[] {
  const first = random.pick(servers);
  const second = random.pick(servers.filter((server) => server !== first));
  return [
    drawServerFault(random, first, { hasLinks, clock }),
    drawServerFault(random, second, { hasLinks, clock }),
    ...(pair === null ? [] : [drawDatabaseFault(random, pair, hasLinks)]),
  ];
}

function drawServerFault(
  random: Random,
  server: ServerNode,
  { hasLinks, clock }: { hasLinks: boolean; clock: ChaosClock },
): DrawnFault {
  const { name } = server.host;
  // Longer than a lease of 15 s, as long as that takes at this rate.
  const longMs = Math.round(random.between(17_000, 25_000) / clock.rate);
  const shortMs = random.between(100, 800);
  const jumpMs = random.pick([-1, 1]) * random.between(1_000, 60_000);
  const faults: DrawnFault[] = [
    {
      name: `SIGKILL ${name}, started after ${shortMs} ms`,
      async run() {
        await server.signal('SIGKILL');
        await setTimeout(shortMs);
        await startAgain(server);
      },
    },
    {
      name: `SIGSTOP ${name} for ${longMs} ms`,
      async run() {
        await server.signal('SIGSTOP');
        await setTimeout(longMs);
        await server.signal('SIGCONT');
      },
    },
    {
      name: `clock of ${name} wrong by ${jumpMs} ms for ${longMs} ms`,
      async run() {
        await server.order({ offsetMs: clock.offsetMs + jumpMs });
        await setTimeout(longMs);
        await server.order({ offsetMs: clock.offsetMs });
      },
    },
  ];
  if (hasLinks) {
    faults.push({
      name: `link of ${name} down for ${longMs} ms`,
      async run() {
        server.host.setLink(false);
        await setTimeout(longMs);
        server.host.setLink(true);
      },
    });
  }
  return random.pick(faults);
}

function drawDatabaseFault(random: Random, pair: PostgresPair, hasLinks: boolean): DrawnFault {
  const ms = random.between(200, 1_500);
  const restart = (signal: 'SIGKILL' | 'SIGINT') => ({
    name: `${signal} of the primary database, started after ${ms} ms`,
    async run() {
      await pair.primary.kill(signal);
      await setTimeout(ms);
      await pair.primary.start();
    },
  });
  const faults: DrawnFault[] = [
    restart('SIGKILL'),
    restart('SIGINT'),
    {
      name: `the primary database dies, its standby is promoted after ${ms} ms and gets a standby`,
      async run() {
        await pair.primary.kill('SIGKILL');
        await setTimeout(ms);
        await pair.failOver();
        await pair.addStandby();
      },
    },
    {
      name: `the standby is away for ${ms} ms`,
      async run() {
        await pair.standby?.kill('SIGKILL');
        await setTimeout(ms);
        await pair.standby?.start();
      },
    },
  ];
  if (hasLinks) {
    faults.push(
      {
        name: `link of the primary database down for ${ms} ms`,
        async run() {
          const { host } = pair.primary;
          host.setLink(false);
          await setTimeout(ms);
          host.setLink(true);
        },
      },
      {
        name: `the disk of the primary database is full for ${ms} ms`,
        async run() {
          const { primary } = pair;
          primary.fillDisk();
          await setTimeout(ms);
          primary.freeDisk();
          await primary.start();
        },
      },
    );
  }
  return random.pick(faults);
}

/** A server ends when it finds no database; whoever runs it starts it again. */
async function startAgain(server: ServerNode): Promise<void> {
  await until(`${server.host.name} started`, async () => {
    if (!server.isRunning) await server.start();
    return true;
  });
}

/** Starts what a fault has ended. */
export async function heal({ servers, pair }: ChaosCluster): Promise<void> {
  await pair?.primary.start();
  for (const server of servers) await startAgain(server);
}
