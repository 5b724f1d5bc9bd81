/** The doctor's checks of the standbys in DATABASE_READ_URL. */
import { setTimeout } from 'node:timers/promises';
import type { Database } from '@svc/engine/store/database/db';
import { openReplicaHosts } from '@svc/engine/store/database/open-replicas';
import { LAG_MAX_MS, parseLsn, readPrimaryPosition, readStandbyPosition } from '@svc/engine/store/database/replicas';
import { connectionName } from '@svc/engine/store/migrations/migrate';
import { type Check, fail, messageOf, pass, warn } from '@svc/operations/doctor/check';

const NAME = 'read replica';
const ASK_MS = 100;

/** Adds a line for each standby. */
export async function checkReplicas(databaseUrl: string | undefined, databaseReadUrl: string): Promise<Check[]> {
  if (databaseUrl === undefined) {
    return [warn(NAME, 'DATABASE_READ_URL has no effect without DATABASE_URL', 'Set both, or remove it.')];
  }
  const { openPostgres } = await import('@svc/engine/store/database/postgres');
  const primary = openPostgres(databaseUrl, { maxConnections: 1, name: connectionName() });
  const hosts = await openReplicaHosts(databaseReadUrl, 1);
  try {
    return await Promise.all(hosts.map(({ name, db }) => checkHost(primary, name, db)));
  } finally {
    await Promise.all([primary, ...hosts.map(({ db }) => db)].map((db) => db.close().catch(() => {})));
  }
}

async function checkHost(primary: Database, name: string, db: Database): Promise<Check> {
  try {
    const { lsn, system } = await readPrimaryPosition(primary);
    const standby = await readStandbyPosition(db);
    if (standby.system !== system) {
      const fix = 'Name a standby of the database in DATABASE_URL. It is not used meanwhile.';
      return fail(NAME, `${name} belongs to another database`, fix);
    }
    if (standby.lsn === null) return pass(NAME, `${name} accepts writes, so it is not used now`);
    const isShown = async () => parseLsn((await readStandbyPosition(db)).lsn ?? '0/0') >= parseLsn(lsn);
    for (let waitedMs = 0; waitedMs <= LAG_MAX_MS; waitedMs += ASK_MS) {
      if (await isShown()) return pass(NAME, `${name} follows, less than ${LAG_MAX_MS / 1_000} seconds behind`);
      await setTimeout(ASK_MS);
    }
    const fix = 'Check its load, its network, and that its replay is not paused (pg_wal_replay_resume).';
    return warn(NAME, `${name} is more than ${LAG_MAX_MS / 1_000} seconds behind, so it is not used`, fix);
  } catch (error) {
    const fix = 'Check the host and its user. Until then everything is read from the primary.';
    return warn(NAME, `${name}: ${messageOf(error)}`, fix);
  }
}
