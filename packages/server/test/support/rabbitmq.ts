/**
 * A RabbitMQ of a test, from Debian's packages: its own folder, ports and port mapper, so that it meets no other one. RabbitMQ
 * refuses to run as root, so for root it runs as the account `rabbitmq`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect as connectTcp, createServer } from 'node:net';
import { join } from 'node:path';
import { connect } from 'amqplib';
import { hasProgram } from '../../../../scripts/vitest/lacking.ts';

/** Debian's own script next to it would start the machine's broker. */
const PROGRAM = '/usr/lib/rabbitmq/bin/rabbitmq-server';
/** A machine that runs several tests of processes at a time may be slow. */
const READY_WITHIN_MS = 180_000;

export interface Rabbitmq {
  url: string;
  /** Starts it again on the same data and port. */
  start(): Promise<void>;
  /** Resolves when it has ended. */
  signal(signal: NodeJS.Signals): Promise<void>;
  /** Runs `rabbitmqctl` against it. */
  control(...args: readonly string[]): Promise<string>;
  /** Ends it and removes its files. */
  dispose(): Promise<void>;
}

/** Returns whether tests with RabbitMQ can run. In CI they must. */
export function hasRabbitmq(): boolean {
  return hasProgram(PROGRAM, 'the ingest buffer', { install: 'rabbitmq-server' });
}

export async function startRabbitmq(): Promise<Rabbitmq> {
  const account = process.getuid?.() === 0 ? accountOf('rabbitmq') : null;
  const directory = mkdtempSync('/tmp/svc-rabbitmq-');
  if (account !== null) chownSync(directory, account.uid, account.gid);
  const [port = 0, distPort = 0, mapperPort = 0] = await freePorts(3);
  const env = {
    ...{ PATH: process.env['PATH'], HOME: directory, LANG: 'C.UTF-8' },
    // Makes the script become the broker instead of staying its parent.
    RUNNING_UNDER_SYSTEMD: '1',
    RABBITMQ_NODENAME: `svc-test-${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distPort),
    ERL_EPMD_PORT: String(mapperPort),
    RABBITMQ_MNESIA_BASE: join(directory, 'data'),
    RABBITMQ_LOG_BASE: join(directory, 'log'),
    RABBITMQ_PID_FILE: join(directory, 'pid'),
    RABBITMQ_CONFIG_FILE: join(directory, 'rabbitmq'),
    RABBITMQ_CONF_ENV_FILE: join(directory, 'env'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(directory, 'plugins'),
    // Without a port mapper of its own, which would stay; idle schedulers do not spin, because tests share two cores.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-start_epmd false +S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none',
  };
  const options = { cwd: directory, env, stdio: 'ignore' as const, ...account };
  const mapper = spawn('epmd', ['-port', String(mapperPort), '-address', '127.0.0.1'], options);
  await untilListening(mapperPort);
  let broker: ChildProcess | null = null;
  const killAll = () => {
    broker?.kill('SIGKILL');
    mapper.kill('SIGKILL');
  };
  process.on('exit', killAll);
  const url = `amqp://guest:guest@127.0.0.1:${port}/`;

  const rabbitmq: Rabbitmq = {
    url,
    async start() {
      broker = spawn(PROGRAM, options);
      await untilReady(url, broker);
    },
    async signal(signal) {
      const child = broker;
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill(signal);
      if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await ended;
    },
    async control(...args) {
      const child = spawn('/usr/lib/rabbitmq/bin/rabbitmqctl', args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += String(data)));
      const code = await new Promise((resolve) => child.once('close', resolve));
      if (code !== 0) throw new Error(`rabbitmqctl ${args.join(' ')} ended with ${String(code)}: ${output}`);
      return output;
    },
    async dispose() {
      process.off('exit', killAll);
      broker?.kill('SIGCONT');
      await rabbitmq.signal('SIGKILL');
      mapper.kill('SIGKILL');
      await rm(directory, { recursive: true, force: true, maxRetries: 10 });
    },
  };
  await rabbitmq.start();
  return rabbitmq;
}

async function untilListening(port: number): Promise<void> {
  for (const end = Date.now() + READY_WITHIN_MS; ; ) {
    const socket = connectTcp(port, '127.0.0.1');
    const isOpen = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    if (Date.now() > end) throw new Error('epmd, the port mapper of RabbitMQ, did not start.');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Connects until it answers. */
async function untilReady(url: string, broker: ChildProcess): Promise<void> {
  const end = Date.now() + READY_WITHIN_MS;
  for (;;) {
    try {
      const connection = await connect(url);
      await connection.close();
      return;
    } catch (error) {
      if (broker.exitCode !== null || Date.now() > end) throw new Error('RabbitMQ did not start.', { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

function accountOf(name: string): { uid: number; gid: number } {
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout));
  if (!uid || !gid) throw new Error(`RabbitMQ does not run as root, and there is no account ${name} to run it as.`);
  return { uid, gid };
}

/** All are open at the same time, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) =>
          server.once('listening', () => {
            const address = server.address();
            resolve(typeof address === 'object' ? (address?.port ?? 0) : 0);
          }),
        ),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
