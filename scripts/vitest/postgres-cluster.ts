import { spawn, spawnSync } from 'node:child_process';
import { accessSync, chmodSync, chownSync, constants, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { delimiter, join } from 'node:path';

/** A running PostgreSQL of our own, made for one test run. */
export type PostgresCluster = {
  /** Connection URL of its maintenance database, over loopback TCP, as a superuser, without a password. */
  readonly url: string;
  /** First line of `postgres --version`. */
  readonly version: string;
  /** Stops the server and removes its files; safe to call twice. Never throws. */
  stop(): void;
};

type Account = { readonly uid: number; readonly gid: number };

/**
 * Starts a throw-away PostgreSQL from the binaries of this machine: `PATH`, then the folder that `pg_config` names,
 * then the versioned folders of Debian, Red Hat, Homebrew and Postgres.app. Nothing is fsynced: a crash of the machine
 * may lose it, and nobody wants it back.
 *
 * PostgreSQL refuses to run as root; as root it therefore runs as the account `postgres`, or `nobody` where there is none.
 *
 * @returns null when the machine has no PostgreSQL server
 * @throws Error with the server's own words when it is there but does not start
 */
export async function startPostgresCluster(): Promise<PostgresCluster | null> {
  const binaries = findPostgresBinaries();
  if (binaries === null) return null;
  const account = process.getuid?.() === 0 ? unprivilegedAccount() : null;

  // Not os.tmpdir(): a private TMPDIR of root's could not be entered by the other account, and a socket path may not
  // be longer than 107 bytes.
  const directory = mkdtempSync(join(existsSync('/tmp') ? '/tmp' : '.', 'svc-pg-'));
  const remove = () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  try {
    if (account !== null) chownSync(directory, account.uid, account.gid);
    chmodSync(directory, 0o700);
    const data = join(directory, 'data');
    initialise(binaries, data, directory, account);
    const port = await freePort();
    const server = await start(binaries, data, directory, port, account);

    let stopped = false;
    const stop = () => {
      if (stopped) return;
      stopped = true;
      process.off('exit', stop);
      // SIGINT is PostgreSQL's "fast shutdown": open connections are cut, shared memory is given back.
      server.kill('SIGINT');
      waitUntilGone(server.pid, 5_000);
      remove();
    };
    // Vitest's teardown does not run when the run is interrupted; 'exit' does.
    process.on('exit', stop);
    const version = spawnSync(join(binaries, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout.trim();
    return { url: `postgresql://postgres@127.0.0.1:${port}/postgres`, version, stop };
  } catch (error) {
    remove();
    throw error;
  }
}

function findPostgresBinaries(): string | null {
  const isComplete = (folder: string) => ['postgres', 'initdb'].every((name) => isExecutable(join(folder, name)));
  const fromPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const pgConfig = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  const fromPgConfig = pgConfig.status === 0 ? [pgConfig.stdout.trim()] : [];
  const versioned = [
    ['/usr/lib/postgresql', 'bin'],
    ['/usr', 'bin'],
    ['/opt/homebrew/opt', 'bin'],
    ['/usr/local/opt', 'bin'],
    ['/Applications/Postgres.app/Contents/Versions', 'bin'],
  ] as const;
  const fromSystem = versioned.flatMap(([parent, bin]) =>
    listFolder(parent)
      .filter((name) => /^(\d+|pgsql-\d+|postgresql(@\d+)?)$/.test(name))
      .sort((a, b) => numberIn(b) - numberIn(a))
      .map((name) => join(parent, name, bin)),
  );
  return [...fromPath, ...fromPgConfig, ...fromSystem].find(isComplete) ?? null;
}

function initialise(binaries: string, data: string, cwd: string, account: Account | null): void {
  const args = ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  const result = spawnSync(join(binaries, 'initdb'), args, { cwd, encoding: 'utf8', env: postgresEnv(), ...account });
  if (result.status !== 0) {
    throw new Error(
      `initdb failed (${result.error?.message ?? `exit ${result.status}`}):\n${result.stdout}${result.stderr}`,
    );
  }
}

async function start(binaries: string, data: string, cwd: string, port: number, account: Account | null) {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: cwd,
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '200',
    timezone: 'UTC',
    // A client that hangs in a transaction must fail its own test, not the whole run.
    idle_in_transaction_session_timeout: '120s',
  };
  const args = ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  // A process group of its own: Ctrl-C in the terminal reaches the test runner first, which then stops the server.
  const server = spawn(join(binaries, 'postgres'), args, {
    cwd,
    env: postgresEnv(),
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
    ...account,
  });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => fail('not ready within 30 s'), 30_000);
    const fail = (why: string) => {
      clearTimeout(timer);
      server.kill('SIGKILL');
      reject(new Error(`PostgreSQL did not start: ${why}\n${log}`));
    };
    server.on('error', (error) => fail(error.message));
    server.on('exit', (code) => fail(`exit ${code}`));
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (!log.includes('database system is ready to accept connections')) return;
      clearTimeout(timer);
      server.removeAllListeners('exit');
      // Read on and forget, or a full pipe would stop the server; and do not keep the test runner alive for it.
      server.stderr.removeAllListeners('data').resume();
      server.unref();
      if (server.stderr instanceof Socket) server.stderr.unref();
      resolve();
    });
  });
  return server;
}

function postgresEnv(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('PG') && name !== 'TZ');
  return { ...Object.fromEntries(kept), LC_ALL: 'C' };
}

function unprivilegedAccount(): Account {
  for (const name of ['postgres', 'nobody']) {
    const ids = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
    const [uid, gid] = ids.map((result) => (result.status === 0 ? Number(result.stdout) : Number.NaN));
    if (Number.isInteger(uid) && Number.isInteger(gid)) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('PostgreSQL does not run as root, and neither `postgres` nor `nobody` exists here to run it as');
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new Error('no free port'));
      });
    });
  });
}

function waitUntilGone(pid: number | undefined, timeoutMs: number): void {
  if (pid === undefined) return;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (const end = Date.now() + timeoutMs; Date.now() < end; Atomics.wait(pause, 0, 0, 20)) {
    if (!isAlive(pid)) return;
  }
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It went in between.
  }
}

/** A zombie answers signal 0 until Node reaps it, which it cannot do while we wait synchronously. */
function isAlive(pid: number): boolean {
  const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  if (state.error === undefined) return state.stdout.trim() !== '' && !state.stdout.trim().startsWith('Z');
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function numberIn(text: string): number {
  return Number(/\d+/.exec(text)?.[0] ?? 0);
}
