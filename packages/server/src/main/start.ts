import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isLoopbackHost } from '@svc/domain/network/loopback';
import type { Logger } from 'pino';
import { type Branding, brandWorld } from '@svc/domain/pages/branding';
import { materializeWorld, parseWorld, type World } from '@svc/domain/world';
import { listenForAdmin } from '../admin/socket/socket-server.ts';
import { systemClock } from '@svc/engine/runtime/clock';
import { type Config, ConfigError, inspectEnvironment } from '@svc/engine/config/config';
import { hasAllRoles, isPublic, ROLES } from '@svc/engine/config/roles';
import { loadSecretBox } from '@svc/engine/secrets/key-material';
import { createLogger } from '@svc/engine/runtime/logger';
import { noTracing, type Tracing } from '@svc/engine/runtime/tracing';
import { MAILBOX_PATH } from '../http/pages/mailbox.ts';
import { bindAdminServer, bindServer } from '../http/listen.ts';
import { startServer } from './server.ts';
import { inviteFirstAdmin } from './first-admin.ts';
import { describeReady, describeStart } from './start-lines.ts';
import { countTargets } from './targets.sql.ts';
import { toMailConfig } from '@svc/engine/config/mail-config';
import { describeUnknown } from '@svc/engine/config/unknown-variables';
import { localDial, localFetch, localResolve } from '@svc/engine/outbound/local-network';
import { createOutbound } from '@svc/engine/outbound/outbound';
import { createSystemResolve, systemDial } from '@svc/engine/outbound/system-network';
import type { SimulatedWorld } from '@svc/simulators';
import { loadWorld } from '@svc/engine/world/load-world';
import { findWorldName } from '@svc/engine/world/load-world.sql';
import { assertNoWorld, assertWorld } from '@svc/engine/world/world-keys';
import { findOrigin, settleDataDir } from '@svc/engine/store/database/data-dir-home';
import { inspectDataDirLock } from '@svc/engine/store/database/data-dir-lock';
import { watchClock } from '@svc/engine/store/database/database-clock';
import { openDatabase } from '@svc/engine/store/database/open-database';

export interface StartOptions {
  /** Reload the built-in demo world, and answer calls to CRM, sequencers and webhooks from simulators. */
  demo: boolean;
  /**
   * Reload this world file instead, also with simulators. `true`: serve the world that is in the database without
   * simulators, calling only this machine.
   */
  world: string | true | undefined;
  /** Use a data directory that is a copy of another one. Default: refuse it. */
  acceptsCopy?: boolean;
}

/** How long connections that end by themselves have to do so. */
const EXIT_MS = 250;

/** The default folder of the embedded database for a demo or world. */
export const WORLD_DATA_DIR = '.svc/demo';

/**
 * Runs the server until SIGTERM or SIGINT. Prints the ready line and what the server writes to to stdout, logs to stderr.
 */
export async function start(config: Config, options: StartOptions): Promise<void> {
  const log = createLogger(config);
  for (const unknown of inspectEnvironment().unknown) log.warn(unknown, describeUnknown(unknown));
  assertRolesFit(config, options);
  const world = await readWorld(options, config.branding);
  const servesLoadedWorld = !options.demo && options.world === true;
  const tracing = await startTracing(config, log);
  // Bind the port first: an accidental second start must fail before it touches data.
  const bound = isPublic(config.roles) ? await bindServer(config) : null;
  const cleanUps: (() => Promise<void>)[] = [async () => bound?.close(0), () => tracing.stop()];
  try {
    const adminBound = await bindAdminServer(config);
    cleanUps.push(async () => adminBound?.close(0));
    const simulated = world ? await startSimulators(world) : null;
    cleanUps.push(async () => simulated?.close());
    const dataDir = config.dataDir ?? (world || servesLoadedWorld ? WORLD_DATA_DIR : '.svc/data');
    // Nothing of a world leaves the machine, so a copy does no harm.
    const isHomeKept = config.databaseUrl === undefined && world === null && !servesLoadedWorld;
    const assertHome = async () => {
      if (isHomeKept && options.acceptsCopy !== true) await refuseCopy(dataDir);
    };
    // Before the lock of a copied folder is taken over, because it says whether the copy may be damaged, and again once
    // it is ours, because a restore may have ended meanwhile.
    await assertHome();
    const db = await openDatabase(config, dataDir, log, assertHome);
    cleanUps.push(() => db.close());
    if (isHomeKept) await settleDataDir(dataDir);
    // The embedded database has the clock of this process.
    const clockWatch = db.backend === 'pglite' ? null : await watchClock({ db, clock: systemClock, log });
    cleanUps.push(async () => clockWatch?.stop());
    if (servesLoadedWorld) await assertWorld(db);
    else if (world === null) await assertNoWorld(db, config.branding, systemClock.now());
    const secrets = await loadSecretBox({
      configuredKeys: config.encryptionKeys,
      dataDir,
      mayGenerate: config.databaseUrl === undefined || world !== null,
      db: world !== null && (await findWorldName(db)) !== null ? null : db,
    });
    const now = systemClock.now();
    if (world) await loadWorld({ db, secrets, now }, materializeWorld(world, now));
    const effective = { ...config, ...simulated?.config, mail: mailOf(config, { simulated, servesLoadedWorld }) };
    const { outboundAllowedCidrs: allowedCidrs } = config;
    const systemSeams = { resolve: createSystemResolve({ asksSystem: allowedCidrs.length > 0 }), dial: systemDial };
    const ownSeams = servesLoadedWorld ? { resolve: localResolve, dial: localDial } : systemSeams;
    const outbound = createOutbound({ ...(simulated?.receiver ?? ownSeams), allowedCidrs });
    const fetch = servesLoadedWorld ? localFetch : globalThis.fetch;
    const targets = await countTargets(db);
    const parts = {
      bound,
      adminBound,
      config: effective,
      db,
      secrets,
      clock: systemClock,
      log,
      outbound,
      fetch,
      tracing,
      ...(clockWatch && { clockWatch }),
      ...(db.backend === 'pglite' && { dataDir }),
    };
    const running = await startServer(parts, {
      hasPublishedKeys: world !== null || servesLoadedWorld,
      mailbox: simulated ? () => simulated.mail.mails() : undefined,
    });
    // PostgreSQL accepts other connections; the embedded database only has this process.
    const admin = db.backend === 'pglite' ? await listenForAdmin({ ctx: running.ctx, dataDir, log }) : null;
    cleanUps.push(async () => admin?.close());
    // Before the ready line, because its reader may send a signal at once.
    const stopped = stopSignal();
    const reachOfData = running.ctx.areSecretsReadable() ? 'everywhere' : 'nothing';
    const reach = simulated ? 'simulated' : servesLoadedWorld ? 'local' : reachOfData;
    const lines = describeStart({
      databaseUrl: config.databaseUrl,
      dataDir,
      host: config.host,
      roles: config.roles,
      adminUrl: adminBound?.url ?? null,
      reach,
      targets,
      addresses: effective,
      mailHost: effective.mail?.smtp.host ?? null,
      collectorUrl: config.telemetry?.url ?? null,
    });
    const mailboxLine = simulated ? [`Mailbox of the reply relays: ${running.url}${MAILBOX_PATH}`] : [];
    const inviting = { ctx: running.ctx, config, isDemo: options.demo };
    const link = await inviteFirstAdmin({ ...inviting, isTerminal: process.stdout.isTTY || process.stderr.isTTY });
    const isLinkOnStdout = options.demo || process.stdout.isTTY;
    const readyLine = describeReady(config.roles, { url: bound?.url ?? null, adminUrl: adminBound?.url ?? null });
    // In one write: the reader of the first line may be gone before a second one.
    process.stdout.write(
      `${[readyLine, ...lines, ...mailboxLine, ...(simulated ? describeSimulators(simulated) : []), ...(isLinkOnStdout ? link : [])].join('\n')}\n`,
    );
    if (!isLinkOnStdout) for (const line of link) process.stderr.write(`${line}\n`);
    const signal = await stopped;
    log.info({ signal }, 'stopping: finishing running work');
    await admin?.close();
    await running.close();
    await simulated?.close();
    await tracing.stop();
    // What still waits for a database that does not answer keeps the process alive.
    setTimeout(() => process.exit(0), EXIT_MS).unref();
  } catch (error) {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
    throw error;
  }
}

/** Loads OpenTelemetry only when it is used. */
async function startTracing({ telemetry, roles }: Config, log: Logger): Promise<Tracing> {
  if (telemetry === null) return noTracing;
  const { createOtlpTracing } = await import('@svc/engine/runtime/otlp-tracing');
  const resourceAttributes = { 'svc.roles': [...roles].join(','), ...telemetry.resourceAttributes };
  return createOtlpTracing({ ...telemetry, resourceAttributes }, { log });
}

/** @throws ConfigError when other processes could not do what this one leaves to them */
function assertRolesFit({ roles, databaseUrl }: Config, { demo, world }: StartOptions): void {
  if (hasAllRoles(roles)) return;
  if (databaseUrl === undefined) {
    throw new ConfigError(
      `The embedded database belongs to one process, which must run all roles (${ROLES.join(', ')}): remove --role and SVC_ROLE, or set DATABASE_URL.`,
    );
  }
  if (demo || typeof world === 'string') {
    throw new ConfigError(
      'The simulators of a demo or world run in this process, which must run all roles: remove --role and SVC_ROLE.',
    );
  }
}

/** Mails of a world go to the simulator, or to a mail server on this machine. */
function mailOf(
  { mail }: Config,
  { simulated, servesLoadedWorld }: { simulated: SimulatedWorld | null; servesLoadedWorld: boolean },
): Config['mail'] {
  if (simulated !== null) return toMailConfig(simulated.mailSettings);
  return servesLoadedWorld && mail !== null && !isLoopbackHost(mail.smtp.host) ? null : mail;
}

/** @throws ConfigError when the folder is a copy of another one */
async function refuseCopy(dataDir: string): Promise<void> {
  const origin = await findOrigin(dataDir);
  if (origin === null) return;
  const lock = await inspectDataDirLock(dataDir);
  const damage =
    lock.state === 'copied'
      ? ` It was copied while process ${lock.pid} had it open, so its database may be damaged: copy it again while no server has it open.`
      : '';
  throw new ConfigError(
    `The data directory ${path.resolve(dataDir)} is a copy of ${origin}. Servers on both would post the same events twice.${damage} If no server uses ${origin} any more, for example after a restore or a move, start once with --accept-copy.`,
  );
}

async function readWorld(options: StartOptions, branding: Branding): Promise<World | null> {
  if (typeof options.world === 'string') return readWorldFile(options.world, branding);
  if (!options.demo) return null;
  const { default: demoWorld } = await import('@svc/fixtures/demo-world.json', { with: { type: 'json' } });
  return brandWorld(parseWorld(demoWorld), branding);
}

/**
 * Reads the world of a file; its keys and secrets get this installation's prefixes.
 *
 * @throws ConfigError with what is wrong in the file
 */
export async function readWorldFile(file: string, branding: Branding): Promise<World> {
  try {
    return brandWorld(parseWorld(JSON.parse(await readFile(file, 'utf8'))), branding);
  } catch (error) {
    throw new ConfigError(
      `The world file ${file} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function startSimulators(world: World): Promise<SimulatedWorld> {
  const { startSimulatedWorld } = await import('@svc/simulators');
  return startSimulatedWorld(world);
}

function describeSimulators({ crm, salesforce, pipedrive, sequencer, receiver }: SimulatedWorld): string[] {
  return [
    `Webhook receiver on ${receiver.url} (received posts: ${receiver.url}/__sim/state)`,
    `HubSpot simulator on ${crm.url} (contacts: ${crm.url}/__sim/contacts, state: ${crm.url}/__sim/state)`,
    `Salesforce simulator on ${salesforce.url} (state: ${salesforce.url}/__sim/state)`,
    `Pipedrive simulator on ${pipedrive.url} (state: ${pipedrive.url}/__sim/state)`,
    `Sequencer simulator on ${sequencer.url} (block lists: ${sequencer.url}/__sim/state)`,
  ];
}

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process at once. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    let isStopping = false;
    const onSignal = (signal: string) => {
      if (isStopping) process.exit(130);
      isStopping = true;
      resolve(signal);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}
