import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { materializeWorld, parseWorld, type World } from '@svc/domain/world';
import { systemClock } from '@svc/engine/runtime/clock';
import { openDatabase } from '@svc/engine/store/database/open-database';
import { readConfig } from '@svc/engine/config/config';
import { bindServer } from '../../packages/server/src/http/listen.ts';
import { createOtlpTracing } from '@svc/engine/runtime/otlp-tracing';
import { createLogger } from '@svc/engine/runtime/logger';
import { createOutbound, type Outbound } from '@svc/engine/outbound/outbound';
import { createSystemResolve, systemDial } from '@svc/engine/outbound/system-network';
import { createSecretBox, generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { type RunningServer, startServer } from '../../packages/server/src/main/server.ts';
import { loadWorld } from '@svc/engine/world/load-world';

export type ServeOptions = {
  /** PostgreSQL's URL; empty for PGlite. */
  readonly databaseUrl: string;
  readonly startWorkers: boolean;
  readonly outbound?: Outbound;
  /** Default: the minimal world. */
  readonly world?: World;
  /** Additional configuration of the server. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folder of the built dashboard. Default: that of the source tree. */
  readonly dashboardFolder?: URL;
  /** Limits of a CRM until its answers tell others. Default: the published ones. */
  readonly limitsOf?: NonNullable<Parameters<typeof startServer>[1]>['limitsOf'];
};

/** Starts the server in this process with a world, without rate limits, on its own port and folder. */
export async function serve(options: ServeOptions): Promise<{ running: RunningServer; cleanUp: () => void }> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const config = readConfig({
    SVC_PORT: '0',
    SVC_LOG_LEVEL: 'error',
    SVC_RATE_LIMIT: 'off',
    ...options.env,
    ...(options.databaseUrl === '' ? {} : { DATABASE_URL: options.databaseUrl }),
  });
  const log = createLogger(config);
  const db = await openDatabase(config, directory, log);
  const secrets = createSecretBox([generateEncryptionKey()]);
  const world =
    options.world ??
    parseWorld(JSON.parse(readFileSync(new URL('../../fixtures/minimal-world.json', import.meta.url), 'utf8')));
  await loadWorld({ db, secrets, now: new Date() }, materializeWorld(world, new Date()));
  const outbound =
    options.outbound ?? createOutbound({ resolve: createSystemResolve(), dial: systemDial, allowedCidrs: [] });
  const running = await startServer(
    {
      bound: await bindServer({ ...config, port: 0 }),
      outbound,
      config,
      db,
      secrets,
      clock: systemClock,
      log,
      fetch: globalThis.fetch,
      ...(options.dashboardFolder && { dashboardFolder: options.dashboardFolder }),
      ...(config.telemetry && { tracing: createOtlpTracing(config.telemetry, { log }) }),
    },
    { startWorkers: options.startWorkers, ...(options.limitsOf && { limitsOf: options.limitsOf }) },
  );
  return { running, cleanUp: () => rmSync(directory, { recursive: true, force: true }) };
}
