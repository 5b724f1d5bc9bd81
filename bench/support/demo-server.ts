/**
 * The parts of `demo.bench.ts`, each in its own process: `node demo-server.ts simulators` and
 * `node demo-server.ts server SIMULATORS [DATABASE_URL]`.
 *
 * - `simulators` prints the addresses of the simulated CRM, endpoint and mail server of the demo world. A line empties the CRM.
 * - `server` is a server with the demo world. `written` answers how many events have a successful sync, `cpu` the
 *   microseconds of CPU time of the process, and `drained` comes when nothing is left that is due.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { parseWorld } from '@svc/domain/world';
import { WRITE_CRM } from '@svc/engine/jobs/kinds';
import { createOutbound } from '@svc/engine/outbound/outbound';
import { systemDial } from '@svc/engine/outbound/system-network';
import demoWorld from '../../fixtures/demo-world.json' with { type: 'json' };
import { startSimulatedWorld } from '@svc/simulators';
import { answerLines } from './process.ts';
import { serve } from './serve.ts';

interface Addresses {
  crmUrl: string;
  smtpUrl: string;
  from: string;
  /** Port of the endpoint. */
  port: number;
}

const world = parseWorld(demoWorld);
const [kind = '', ...args] = process.argv.slice(2);
if (kind === 'simulators') await startSimulators();
else await startDemo(args);

async function startSimulators(): Promise<void> {
  const simulators = await startSimulatedWorld(world);
  const { crm, receiver, mailSettings } = simulators;
  const answer = async () => {
    crm.reset();
    return 'done';
  };
  const addresses: Addresses = { crmUrl: crm.url, port: Number(new URL(receiver.url).port), ...mailSettings };
  answerLines(JSON.stringify(addresses), answer, () => void simulators.close());
}

async function startDemo([simulators = '', databaseUrl = '']: string[]): Promise<void> {
  const { crmUrl, smtpUrl, from, port }: Addresses = JSON.parse(simulators);
  const { running, cleanUp } = await serve({
    databaseUrl,
    startWorkers: true,
    world,
    env: { SVC_HUBSPOT_URL: crmUrl, SVC_SMTP_URL: smtpUrl, SVC_MAIL_FROM: from },
    outbound: createOutbound({
      resolve: async () => ['93.184.215.14'],
      dial: (target) => systemDial({ ...target, addresses: ['127.0.0.1'], host: '127.0.0.1', port, isTls: false }),
      allowedCidrs: [],
    }),
  });
  const { db } = running.ctx;
  const untilDrained = async () => {
    // Writes may wait for the quota of the CRM.
    const due = `select from jobs where is_ready or is_leased or due_at < now()
      or kind = '${WRITE_CRM}' and due_at < now() + interval '1 minute' limit 1`;
    while ((await db.query(due)).rowCount > 0) await wait(20);
  };
  await untilDrained();
  const countWritten = async () => {
    const { rows } = await db.query<{ count: number }>(`select count(*) as count from syncs where status = 'success'`);
    return rows[0]?.count ?? 0;
  };
  const answer = async (line: string) => {
    if (line === 'drained') await untilDrained();
    else if (line === 'written') return String(await countWritten());
    else if (line === 'cpu') {
      const { user, system } = process.cpuUsage();
      return String(user + system);
    }
    return 'done';
  };
  answerLines(running.url, answer, cleanUp);
}
