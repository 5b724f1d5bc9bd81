import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findChromiumOrLeaveOut } from './chromium.ts';
import { dropTestDatabases, RUN_VARIABLE } from './database.ts';
import { leaveOut } from './lacking.ts';
import { startPostgresCluster } from './postgres-cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser URL of a PostgreSQL for this run, or null where there is none: `inject('databaseUrl')`. */
    databaseUrl: string | null;
    /** The machine's chromium, or null where there is none: `inject('chromium')`. */
    chromium: string | null;
  }
}

/** Tests ask small queries of much written tables. Benchmarks have the server's own settings, as users do. */
const QUICK = { jit: 'off', checkpoint_timeout: '1h', max_wal_size: '8GB' };

/**
 * Makes the generated files that git does not hold when they are missing or stale, for runs that did not begin with the set-up.
 * Provides every test file with a PostgreSQL (of `TEST_DATABASE_URL`, else a temporary one) and the path of a chromium. Tests that lack one of them
 * are skipped; with `CI=true` its absence is a failure.
 */
export default async function setup(project: TestProject): Promise<(() => void | Promise<void>) | undefined> {
  execFileSync(process.execPath, [join(import.meta.dirname, '..', 'generated-files.mjs')], { stdio: 'inherit' });
  project.provide('chromium', findChromiumOrLeaveOut());
  const given = process.env.TEST_DATABASE_URL;
  if (given !== undefined && given !== '') {
    project.provide('databaseUrl', given);
    const testRun = randomBytes(4).toString('hex');
    process.env[RUN_VARIABLE] = testRun;
    return () => dropTestDatabases(given, testRun);
  }
  const cluster = await startPostgresCluster({ settings: QUICK });
  project.provide('databaseUrl', cluster?.url ?? null);
  if (cluster !== null) return () => cluster.stop();

  leaveOut({
    what: 'PostgreSQL',
    untested: 'everything that needs PostgreSQL',
    remedy: 'apt-get install postgresql, or set TEST_DATABASE_URL to a superuser URL',
  });
  return undefined;
}
