import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';

/** A running PostgreSQL, made for one test run. */
export type PostgresCluster = {
  /** Connection URL of its maintenance database, over loopback TCP, as a superuser, without a password. */
  readonly url: string;
  /** Id of its first process. */
  readonly pid: number;
  /** First line of `postgres --version`. */
  readonly version: string;
  /** Stops the server and removes its files; safe to call twice. Never throws. */
  stop(): void;
};

export type Account = { readonly uid: number; readonly gid: number };

/** The data is thrown away, so a crash of the machine may lose it. */
const VOLATILE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  timezone: 'UTC',
  // A client that hangs in a transaction must fail its own test, not the whole run.
  idle_in_transaction_session_timeout: '120s',
};

/**
 * Starts a throw-away PostgreSQL from the binaries of this machine. PostgreSQL refuses to run as root, so for root it runs as the
 * account `postgres`, or `nobody` where there is none.
 *
 * @param options.isDurable whether a commit waits for the disk, as in production. Default false
 * @param options.settings more settings of the server. Default: its own
 * @returns null when the machine has no PostgreSQL server
 * @throws Error with the server's own words when it does not start
 */
export async function startPostgresCluster({
  isDurable = false,
  settings: given = {},
}: {
  isDurable?: boolean;
  settings?: Readonly<Record<string, string>>;
} = {}): Promise<PostgresCluster | null> {
  const binaries = findPostgresBinaries();
  if (binaries === null) return null;
  const account = process.getuid?.() === 0 ? unprivilegedAccount() : null;
  const port = await freePort();

  // Not os.tmpdir(): another account cannot enter root's private TMPDIR, and a socket path holds at most 107 bytes.
  const directory = mkdtempSync(join(existsSync('/tmp') ? '/tmp' : '.', 'svc-pg-'));
  if (account !== null) chownSync(directory, account.uid, account.gid);
  const data = join(directory, 'data');
  const log = join(directory, 'log');
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('PG') && name !== 'TZ');
  const env = { ...Object.fromEntries(kept), LC_ALL: 'C' };
  const execute = (program: string, ...args: string[]) =>
    spawnSync(join(binaries, program), args, { cwd: directory, env, encoding: 'utf8', ...account });

  const stop = () => {
    process.off('exit', stop);
    if (existsSync(data)) execute('pg_ctl', 'stop', '-D', data, '-m', 'fast', '-w', '-t', '10', '-s');
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const initdb = execute('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N');
    if (initdb.status !== 0) throw new Error(`initdb failed:\n${initdb.stdout}${initdb.stderr}`);
    // Vitest's teardown does not run when the run is interrupted; 'exit' does.
    process.on('exit', stop);
    const settings = {
      ...SETTINGS,
      ...(isDurable ? {} : VOLATILE),
      ...given,
      ...{ port: String(port), unix_socket_directories: directory },
    };
    const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
    const start = execute('pg_ctl', 'start', '-D', data, '-l', log, '-w', '-t', '60', '-s', '-o', options.join(' '));
    if (start.status !== 0) {
      const reason = existsSync(log) ? readFileSync(log, 'utf8') : start.stderr;
      throw new Error(`PostgreSQL did not start:\n${reason}`);
    }
  } catch (error) {
    stop();
    throw error;
  }
  const version = execute('postgres', '--version').stdout.trim();
  const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  return { url: `postgresql://postgres@127.0.0.1:${port}/postgres`, pid, version, stop };
}

/** Looks in `PATH`, in the folder that `pg_config` names, and in the versioned folders of Debian, Red Hat and Homebrew. */
export function findPostgresBinaries(): string | null {
  const fromPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const fromPgConfig = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' }).stdout?.trim() ?? '';
  const versioned = globSync([
    '/usr/lib/postgresql/*/bin/initdb',
    '/usr/pgsql-*/bin/initdb',
    '/{opt/homebrew,usr/local}/opt/postgresql@*/bin/initdb',
    '/Applications/Postgres.app/Contents/Versions/*/bin/initdb',
  ]).map((file) => dirname(file));
  versioned.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  const hasServer = (folder: string) => ['pg_ctl', 'initdb'].every((name) => existsSync(join(folder, name)));
  return [...fromPath, fromPgConfig, ...versioned].find(hasServer) ?? null;
}

/** An account that PostgreSQL may run as, for root. */
export function unprivilegedAccount(): Account {
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new Error('PostgreSQL does not run as root, and there is no account `postgres` or `nobody` to run it as');
}

/** A TCP port of loopback that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
