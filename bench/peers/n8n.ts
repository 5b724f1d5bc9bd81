import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchPackages } from '../../scripts/fetched-packages.ts';
import { run } from '../../scripts/processes.ts';
import { freePort } from '../../scripts/vitest/postgres-cluster.ts';
import type { Peer } from './contender.ts';

const VERSION = '2.40.7';
const WORKFLOW = join(import.meta.dirname, 'n8n-workflow.json');
/** What the workflow calls; the benchmark puts the simulated HubSpot there. */
export const HUBSPOT_API = 'https://api.hubapi.com';

/** @returns null when n8n cannot be installed, with a message on stderr */
export async function findN8n(): Promise<Peer | null> {
  // It takes 2 GB. The registry of npm has no newer xlsx than this, and n8n depends on one from another host.
  const fetched = await fetchPackages(`n8n-${VERSION}`, [`n8n@${VERSION}`], { overrides: { xlsx: '0.18.5' } });
  if ('problem' in fetched) {
    process.stderr.write(`n8n@${VERSION} cannot be installed: measured without it.\n${fetched.problem}\n`);
    return null;
  }
  const bin = join(fetched.folder, 'node_modules', 'n8n', 'bin', 'n8n');
  return {
    name: `n8n ${VERSION}`,
    path: '/webhook/smartlead',
    async prepare({ databaseUrl, crmUrl, port }) {
      const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
      const cleanUp = () => rmSync(folder, { recursive: true, force: true });
      const env = { ...settings(databaseUrl), PATH: process.env.PATH ?? '', HOME: folder, N8N_USER_FOLDER: folder };
      const workflow = readFileSync(WORKFLOW, 'utf8');
      const file = join(folder, 'workflow.json');
      writeFileSync(file, workflow.replaceAll(HUBSPOT_API, crmUrl));
      for (const command of [
        ['import:workflow', `--input=${file}`],
        ['publish:workflow', `--id=${JSON.parse(workflow).id}`],
      ]) {
        const { code, output } = await run(process.execPath, [bin, ...command], { env });
        if (code !== 0) throw new Error(`n8n ${command.join(' ')} ended with ${code}:\n${output}`);
      }
      const ports = { N8N_PORT: port, N8N_RUNNERS_BROKER_PORT: String(await freePort()) };
      return { args: [bin, 'start'], env: { ...env, ...ports }, cleanUp };
    },
  };
}

/** The settings for production, of one process: more of them need Redis. Nothing is sent to n8n's own servers. */
function settings(databaseUrl: string): Record<string, string> {
  const { hostname, port, username, pathname } = new URL(databaseUrl);
  const database = {
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: hostname,
    DB_POSTGRESDB_PORT: port,
    DB_POSTGRESDB_USER: username,
    DB_POSTGRESDB_DATABASE: pathname.slice(1),
    // The default is 2.
    DB_POSTGRESDB_POOL_SIZE: '10',
  };
  const off = [
    'N8N_DIAGNOSTICS_ENABLED',
    'N8N_VERSION_NOTIFICATIONS_ENABLED',
    'N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED',
    'N8N_TEMPLATES_ENABLED',
    'N8N_PERSONALIZATION_ENABLED',
    'N8N_DYNAMIC_BANNERS_ENABLED',
    'N8N_HIRING_BANNER_ENABLED',
    'N8N_COMMUNITY_PACKAGES_ENABLED',
    'N8N_LICENSE_AUTO_RENEW_ENABLED',
    'N8N_AI_ENABLED',
  ];
  return {
    NODE_ENV: 'production',
    ...database,
    ...Object.fromEntries(off.map((name) => [name, 'false'])),
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_ENCRYPTION_KEY: 'benchmark-0123456789abcdef',
    N8N_LOG_LEVEL: 'warn',
    // The workflow has no code, so no process that runs code is started.
    N8N_RUNNERS_MODE: 'external',
    N8N_RUNNERS_AUTH_TOKEN: 'benchmark',
    // As many as the pipeline by hand has. Without a limit it answers 503 when more posts come than it can write.
    N8N_CONCURRENCY_PRODUCTION_LIMIT: '64',
    // Data of successful executions are not kept: faster than the default.
    EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
  };
}
