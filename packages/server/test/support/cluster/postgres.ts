/** PostgreSQL servers of a test that are killed, promoted and filled up, with the settings that docs/high-availability.md names. */
import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import {
  type Account,
  findPostgresBinaries,
  freePort,
  unprivilegedAccount,
} from '../../../../../scripts/vitest/postgres-cluster.ts';
import type { Host, Network } from './network.ts';
import { until } from './until.ts';

export interface PostgresNode {
  readonly host: Host;
  readonly port: number;
  readonly isRunning: boolean;
  url(database: string): string;
  /** Starts the server on its data, and waits until it answers. */
  start(): Promise<void>;
  /** SIGKILL is a crash, SIGINT a fast shutdown. Waits for its end. */
  kill(signal: 'SIGKILL' | 'SIGINT'): Promise<void>;
  /** Stops all its processes with SIGSTOP: connections stay open, and nothing answers. */
  freeze(): void;
  thaw(): void;
  promote(): Promise<void>;
  query<Row extends object>(sql: string): Promise<Row[]>;
  /** Writes a file that leaves no space on the disk of the data; only with a disk of its own. */
  fillDisk(): void;
  freeDisk(): void;
  /** The end of its log. */
  log(): string;
}

export interface PostgresPair {
  /** The server that accepts writes. */
  readonly primary: PostgresNode;
  /** The standby, or null while there is none. */
  readonly standby: PostgresNode | null;
  /** One URL with both hosts. */
  url(database: string): string;
  /** Copies the primary to the other host, and waits for it before any commit is acknowledged. */
  addStandby(): Promise<void>;
  /** Commits wait for the standby no more. */
  goOnAlone(): Promise<void>;
  /** Ends the primary for good, and makes the standby the primary, which goes on alone. */
  failOver(): Promise<void>;
  close(): Promise<void>;
}

const SETTINGS = {
  // A killed process loses nothing that the kernel has.
  fsync: 'off',
  wal_level: 'replica',
  hot_standby: 'on',
  max_connections: '300',
  shared_buffers: '32MB',
  max_wal_size: '32MB',
  min_wal_size: '8MB',
  timezone: 'UTC',
  wal_sender_timeout: '2s',
  wal_receiver_timeout: '2s',
  wal_retrieve_retry_interval: '200ms',
  tcp_keepalives_idle: '2',
  tcp_keepalives_interval: '1',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '5000',
};

export interface PairOptions {
  /** Size of the disk of its own that each server gets; needs root. Default: none. */
  diskMb?: number;
  /** Whether a standby exists from the beginning. Default true. */
  hasStandby?: boolean;
}

/** @returns null when this machine has no PostgreSQL */
export async function startPostgresPair(network: Network, options: PairOptions = {}): Promise<PostgresPair | null> {
  const found = findPostgresBinaries();
  if (found === null) return null;
  // Where `initdb` is a link, the folder need not have all programs.
  const binaries = dirname(realpathSync(join(found, 'initdb')));
  const account = process.getuid?.() === 0 ? unprivilegedAccount() : null;
  const folder = mkdtempSync('/tmp/svc-pair-');
  if (account !== null) chownSync(folder, account.uid, account.gid);
  const makeNode = async (name: string) =>
    createNode({
      binaries,
      account,
      folder: join(folder, name),
      host: network.addHost(name),
      port: await freePort(),
      diskMb: options.diskMb,
    });
  const first = await makeNode('db1');
  const second = await makeNode('db2');
  let primary = first;
  let standby: Node | null = null;
  const close = () => {
    process.off('exit', close);
    for (const node of [first, second]) node.remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.on('exit', close);
  const setSynchronous = async (node: Node, names: string) => {
    await node.query(`alter system set synchronous_standby_names = '${names}'`);
    await node.query('select pg_reload_conf()');
  };
  const pair: PostgresPair = {
    get primary() {
      return primary;
    },
    get standby() {
      return standby;
    },
    url: (database) =>
      `postgres://postgres@${[first, second].map(({ host, port }) => `${host.address}:${port}`).join(',')}/${database}?target_session_attrs=read-write`,
    async addStandby() {
      const next = primary === first ? second : first;
      await next.copyFrom(primary);
      await next.start();
      standby = next;
      await setSynchronous(primary, '*');
      await until('the standby follows', async () => {
        const synchronous = `select from pg_stat_replication where sync_state = 'sync' and state = 'streaming'`;
        return (await primary.query(synchronous)).length === 1;
      });
    },
    goOnAlone: () => setSynchronous(primary, ''),
    async failOver() {
      if (standby === null) throw new Error('there is no standby');
      await primary.kill('SIGKILL');
      await standby.promote();
      primary = standby;
      standby = null;
      await pair.goOnAlone();
    },
    async close() {
      for (const node of [first, second]) await node.kill('SIGKILL');
      close();
    },
  };
  try {
    first.create();
    await first.start();
    if (options.hasStandby !== false) await pair.addStandby();
    return pair;
  } catch (error) {
    await pair.close();
    throw error;
  }
}

interface Node extends PostgresNode {
  create(): void;
  copyFrom(primary: Node): Promise<void>;
  remove(): void;
}

function createNode(parts: {
  binaries: string;
  account: Account | null;
  folder: string;
  host: Host;
  port: number;
  diskMb: number | undefined;
}): Node {
  const { binaries, account, folder, host, port, diskMb } = parts;
  const data = join(folder, 'data');
  const logFile = join(folder, '..', `${host.name}.log`);
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' };
  let server: ChildProcess | null = null;
  let frozen: number[] = [];
  mkdirSync(folder);
  if (diskMb !== undefined) run('mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m`, 'tmpfs', folder]);
  if (account !== null) chownSync(folder, account.uid, account.gid);

  const asAccount = (program: string, args: readonly string[]): [string, string[]] =>
    account === null
      ? [join(binaries, program), [...args]]
      : [
          'setpriv',
          [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', join(binaries, program), ...args],
        ];
  const spawnPostgres = (program: string, args: readonly string[]) => {
    const log = openSync(logFile, 'a');
    return host.spawn(...asAccount(program, args), { cwd: folder, env, stdio: ['ignore', log, log] });
  };
  const log = () => (existsSync(logFile) ? readFileSync(logFile, 'utf8').slice(-4_000) : '');

  const node: Node = {
    host,
    port,
    get isRunning() {
      return server !== null && server.exitCode === null && server.signalCode === null;
    },
    url: (database) => `postgres://postgres@${host.address}:${port}/${database}`,
    log,
    create() {
      run(
        ...asAccount('initdb', [
          '-D',
          data,
          '-U',
          'postgres',
          '-A',
          'trust',
          '-E',
          'UTF8',
          '--locale=C',
          '-N',
          '--wal-segsize=1',
        ]),
        folder,
      );
      appendFileSync(join(data, 'pg_hba.conf'), 'host all all samenet trust\nhost replication all samenet trust\n');
    },
    async copyFrom(primary) {
      rmSync(data, { recursive: true, force: true });
      const source = `host=${primary.host.address} port=${primary.port} user=postgres application_name=${host.name}`;
      const copying = spawnPostgres('pg_basebackup', [
        '-D',
        data,
        '-d',
        source,
        '-R',
        '-X',
        'stream',
        '-c',
        'fast',
        '--no-sync',
      ]);
      const [code] = await once(copying, 'exit');
      if (code !== 0) throw new Error(`pg_basebackup failed:\n${log()}`);
    },
    async start() {
      const settings = {
        ...SETTINGS,
        listen_addresses: host.address,
        port: String(port),
        unix_socket_directories: folder,
      };
      const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      // After a crash, the old server's last processes may still be ending: then it refuses to start.
      await until('PostgreSQL started', async () => {
        if (!node.isRunning) server = spawnPostgres('postgres', ['-D', data, ...options]);
        return node.query('select').then(() => true);
      });
    },
    freeze() {
      const { pid } = server ?? {};
      if (pid === undefined) throw new Error(`${host.name} does not run`);
      // The first process first, so that it starts no others.
      process.kill(pid, 'SIGSTOP');
      const children = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).stdout.split('\n');
      frozen = [pid, ...children.filter((line) => line !== '').map(Number)];
      for (const each of frozen) process.kill(each, 'SIGSTOP');
    },
    thaw() {
      for (const each of frozen.splice(0)) process.kill(each, 'SIGCONT');
    },
    async kill(signal) {
      if (server === null || !node.isRunning) return;
      node.thaw();
      const ended = once(server, 'exit');
      server.kill(signal);
      await ended;
    },
    async promote() {
      await node.query('select pg_promote(true, 60)');
    },
    async query<Row extends object>(sql: string) {
      const client = new pg.Client({
        connectionString: node.url('postgres'),
        connectionTimeoutMillis: 5_000,
        query_timeout: 20_000,
      });
      client.on('error', () => {});
      try {
        await client.connect();
        return (await client.query<Row>(sql)).rows;
      } finally {
        client.end().catch(() => {});
      }
    },
    fillDisk() {
      // Writes until there is no space: dd then fails.
      spawnSync('dd', ['if=/dev/zero', `of=${join(folder, 'filler')}`, 'bs=64k']);
    },
    freeDisk: () => rmSync(join(folder, 'filler'), { force: true }),
    remove() {
      node.thaw();
      if (node.isRunning) server?.kill('SIGKILL');
      if (diskMb !== undefined) spawnSync('umount', ['-l', folder]);
    },
  };
  writeFileSync(logFile, '');
  if (account !== null) chownSync(logFile, account.uid, account.gid);
  return node;
}

function run(program: string, args: readonly string[], cwd = '/'): void {
  const { status, stdout, stderr } = spawnSync(program, [...args], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
  });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}:\n${stdout}${stderr}`);
}
