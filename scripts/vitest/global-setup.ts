import type { TestProject } from 'vitest/node';
import { startPostgresCluster } from './postgres-cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser URL of a PostgreSQL for this run, or null where there is none: `inject('databaseUrl')`. */
    databaseUrl: string | null;
  }
}

/**
 * Gives every test file a PostgreSQL: the one of `TEST_DATABASE_URL`, else a temporary one from the machine's binaries.
 * Without either, tests that need it skip themselves; under `CI=true` that is a failure, so that CI cannot stay green
 * by testing half.
 */
export default async function setup(project: TestProject): Promise<(() => void) | undefined> {
  const given = process.env.TEST_DATABASE_URL;
  if (given !== undefined && given !== '') {
    project.provide('databaseUrl', given);
    return undefined;
  }
  const cluster = await startPostgresCluster();
  project.provide('databaseUrl', cluster?.url ?? null);
  if (cluster !== null) return () => cluster.stop();

  const notice =
    'PostgreSQL: not found on this machine. Everything that needs it is NOT tested in this run. ' +
    'Install it (Debian: apt-get install postgresql), or set TEST_DATABASE_URL to a superuser URL.';
  if (process.env.CI === 'true') throw new Error(notice);
  process.stderr.write(`\n${'!'.repeat(100)}\n${notice}\n${'!'.repeat(100)}\n\n`);
  return undefined;
}
