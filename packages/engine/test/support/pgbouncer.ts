/** A real pgbouncer in transaction mode, in front of the tests' PostgreSQL. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { freePort, unprivilegedAccount } from '../../../../scripts/vitest/postgres-cluster.ts';
import { hasProgram } from '../../../../scripts/vitest/lacking.ts';

export const hasPgbouncer = hasProgram('pgbouncer', 'PostgreSQL behind PgBouncer');

export interface Pgbouncer {
  /** The URL of the same database, through the pooler. */
  url: string;
  stop(): Promise<void>;
}

/** @param poolSize sessions of the database; small, so that clients share them */
export async function startPgbouncer(databaseUrl: string, poolSize = 3): Promise<Pgbouncer> {
  const { hostname, port, username, pathname } = new URL(databaseUrl);
  const listenPort = await freePort();
  const account = process.getuid?.() === 0 ? unprivilegedAccount() : null;
  const folder = await mkdtemp('/tmp/svc-pgbouncer-');
  const file = `${folder}/pgbouncer.ini`;
  await writeFile(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 200
`,
  );
  if (account !== null) for (const path of [folder, file]) await chown(path, account.uid, account.gid);
  const child = spawn('pgbouncer', [file], { ...withSbin(), stdio: ['ignore', 'ignore', 'pipe'], ...account });
  const exited = once(child, 'exit');
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`pgbouncer ended:\n${said.join('\n')}`)));
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      if (line.includes('process up')) resolve();
    });
  });
  return {
    url: `postgres://${username}@127.0.0.1:${listenPort}${pathname}`,
    async stop() {
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Debian installs it where only root looks. */
function withSbin() {
  return { env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin` } };
}
