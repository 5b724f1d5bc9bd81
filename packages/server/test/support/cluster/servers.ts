/** `svc-server` processes on the hosts of a test, with a clock that the test moves (`moved-clock-server.ts`). */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { MovedClockOrder } from '../moved-clock-server.ts';
import { COMPILE_CACHE } from '../processes.ts';
import type { Host } from './network.ts';

const SERVER = fileURLToPath(new URL('../moved-clock-server.ts', import.meta.url));

export interface ServerNode {
  readonly host: Host;
  readonly roles: string;
  /** Null until the first start. */
  readonly url: string | null;
  readonly isRunning: boolean;
  /** Starts the process and waits for its ready line. */
  start(): Promise<void>;
  /** SIGKILL also waits for its end. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): Promise<void>;
  /** Resolves once the order is carried out. */
  order(order: MovedClockOrder): Promise<void>;
  stderr(): string;
}

export interface ServerOptions {
  host: Host;
  /** Value of `SVC_ROLE`. */
  roles: string;
  /** How much faster its clock runs than the machine's, since `epochMs`. */
  rate: number;
  epochMs: number;
  env: Readonly<Record<string, string>>;
}

export function createServerNode({ host, roles, rate, epochMs, env }: ServerOptions): ServerNode {
  let child: ChildProcess | null = null;
  let url: string | null = null;
  let offsetMs = 0;
  let stderr = '';
  const node: ServerNode = {
    host,
    roles,
    get url() {
      return url;
    },
    get isRunning() {
      return child !== null && child.exitCode === null && child.signalCode === null;
    },
    stderr: () => stderr,
    async start() {
      const args = [SERVER, '0', String(offsetMs), String(rate), String(epochMs)];
      const started = host.spawn(process.execPath, args, {
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        env: {
          ...{ PATH: process.env['PATH'], HOME: process.env['HOME'], NODE_NO_WARNINGS: '1' },
          NODE_COMPILE_CACHE: COMPILE_CACHE,
          // The same port after a restart; on loopback any free one, which the first start finds.
          ...{ SVC_HOST: host.address, SVC_ROLE: roles, SVC_PORT: url === null ? '0' : new URL(url).port, ...env },
        },
      });
      child = started;
      started.stderr?.setEncoding('utf8').on('data', (text: string) => {
        stderr = (stderr + text).slice(-200_000);
      });
      if (started.stdout === null) throw new Error('stdout is not piped');
      const lines = createInterface({ input: started.stdout });
      const ready = once(lines, 'line').then(([line]) => /https?:\/\/\S+/.exec(String(line))?.[0] ?? null);
      const ended = once(started, 'exit').then(() => null);
      url = (await Promise.race([ready, ended])) ?? url;
      if (!node.isRunning) throw new Error(`${host.name} ended before it was ready: ${stderr.slice(-2_000)}`);
    },
    async signal(signal) {
      if (child === null || !node.isRunning) return;
      const hasEnded = signal === 'SIGKILL' || signal === 'SIGTERM' ? once(child, 'exit') : null;
      child.kill(signal);
      await hasEnded;
    },
    async order(order) {
      if (typeof order === 'object') ({ offsetMs } = order);
      if (child === null || !node.isRunning) return;
      const settled = new AbortController();
      const done = ['message', 'exit'].map((event) => once(child as ChildProcess, event, { signal: settled.signal }));
      child.send(order);
      await Promise.race(done);
      settled.abort();
      await Promise.allSettled(done);
    },
  };
  return node;
}
