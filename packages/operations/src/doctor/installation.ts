/** The doctor's database checks, which a running server performs for the command. */
import { isAnnounced } from '@svc/engine/store/database/session';
import { DUE_JOBS_COUNTED_MAX, readLastBackup, readQueueState, readServerVersion } from '../store/installation.ts';
import { countSetAside } from '@svc/engine/queue/set-aside';
import { describeStop, listStops } from '@svc/engine/crm/describe-quota';
import { CLOCK_OFFSET_MAX_MS, measureClockOffset } from '@svc/engine/store/database/database-clock';
import { listUnreadSources } from '@svc/engine/store/receipt-log';
import { describeOutage, listCrmOutages } from '@svc/engine/store/crm-outages';
import { keyIdOf } from '@svc/engine/secrets/secret-box';
import { listServerKeys } from '@svc/engine/store/server-keys';
import { type SealedSample, sampleSealedSecrets } from '@svc/engine/secrets/stored-secrets.sql';
import { SERVER_LOCK, WORKER_LOCK, UNTRUSTED_PROXY_LOCK } from '@svc/engine/store/database/db';
import { listRefusals } from '@svc/engine/store/source-secrets';
import { listLateLogs } from '@svc/engine/store/log-months';
import { countRelays } from '@svc/engine/store/relay-mails';
import { isTolerated, isUpgraded, readSchemaState } from '@svc/engine/store/migrations/migrate';
import { isFinish } from '@svc/engine/store/migrations/migration';
import { findWorldName } from '@svc/engine/world/load-world.sql';
import { findPublishedKeys } from '@svc/engine/world/world-keys';
import * as declared from '../declared/doctor.ts';
import { type AdminContext, implement } from '../implemented/operation.ts';
import { type Check, fail, messageOf, pass, warn } from './check.ts';
import { checkAlertChannels } from './alert-channels.ts';
import { checkConnections } from './connections.ts';
import { checkOwners } from './owners.ts';
import { checkPolicies } from './policies.ts';
import { checkTokens } from './tokens.ts';
import { checkBackfills } from './backfills.ts';
import { checkWirings } from './wirings.ts';
import { checkUrls, UNTRUSTED_PROXY } from './urls.ts';

const CLOCK_SKEW_WARN_MS = 2_000;
const QUEUE_LAG_WARN_MS = 60_000;
const BACKUP_AGE_WARN_MS = 7 * 24 * 60 * 60_000;
const QUEUE_LAG_FAIL_MS = 15 * 60_000;

export const checkInstallation = implement(declared.checkInstallation, async (ctx) => {
  const database = await checkDatabase(ctx);
  if (database.status === 'FAIL') return { checks: [database, ...checkUrls(ctx.urls)] };
  const schema = await checkSchema(ctx);
  // Without tables there is nothing to check.
  const content = schema.status === 'FAIL' ? [] : await checkContent(ctx);
  return {
    checks: [database, schema, await checkClock(ctx), ...content, ...checkUrls(ctx.urls), ...(await checkProxies(ctx))],
  };
});

async function checkContent(ctx: AdminContext): Promise<Check[]> {
  const isWorld = (await findWorldName(ctx.db)) !== null;
  return [
    await checkQueue(ctx),
    ...(await checkSetAsideJobs(ctx)),
    await checkSecrets(ctx),
    ...(await checkConnections(ctx, { isWorld })),
    // Tokens of a world are made up: only a server that runs its simulators can ask about them.
    ...(isWorld && ctx.proxyWatch === undefined
      ? []
      : [...(await checkTokens(ctx)), ...(await checkPolicies(ctx)), ...(await checkWirings(ctx))]),
    ...(await checkBackfills(ctx)),
    ...(await checkOutages(ctx)),
    ...(await checkDailyShares(ctx)),
    ...(await checkSources(ctx)),
    ...(await checkRefusals(ctx)),
    ...(await checkOwners(ctx)),
    ...(await checkRelays(ctx)),
    ...(await checkAlertChannels(ctx)),
    ...(await checkLogMonths(ctx)),
    await checkWorld(ctx),
    ...(await checkBackup(ctx)),
  ];
}

const SET_DIRECT_URL = 'Set DATABASE_DIRECT_URL to the address of the database itself, for servers and commands.';

async function checkDatabase(ctx: AdminContext): Promise<Check> {
  const kind = ctx.db.backend === 'pglite' ? 'embedded PostgreSQL (PGlite)' : 'PostgreSQL';
  try {
    const message = `${kind} ${await readServerVersion(ctx.db)} answers`;
    if (await ctx.db.canAnnounce()) return pass('database', message);
    const pooled = `${message} through a connection pooler, so workers learn of new jobs by asking once a second`;
    return warn('database', pooled, SET_DIRECT_URL);
  } catch (error) {
    return fail('database', messageOf(error), 'Check DATABASE_URL, and that the database runs and accepts this user.');
  }
}

async function checkSchema(ctx: AdminContext): Promise<Check> {
  const state = await readSchemaState(ctx.db);
  const { newest, known, missing } = state;
  const name = 'migrations';
  const listOf = (migrations: typeof missing) => migrations.map((one) => `${one.version} ${one.name}`).join(', ');
  if (!isUpgraded(newest)) {
    const message = `the database has version ${newest}, which this release does not upgrade`;
    return fail(name, message, 'Run svc-server migrate, which says what to run first (docs/upgrading.md).');
  }
  const needed = missing.filter((migration) => !isFinish(migration));
  if (needed.length > 0) {
    return fail(name, `not applied: ${listOf(needed)}`, 'Run svc-server migrate, or start, which migrates too.');
  }
  if (newest > known) {
    const message = `the database has version ${newest}, and this release knows only ${known}`;
    if (isTolerated(state)) {
      const fix = 'It works until svc-server migrate --finish: replace it by the release that migrated the database.';
      return warn(name, message, fix);
    }
    return fail(name, message, 'Run the release that migrated the database, or a newer one.');
  }
  if (missing.length > 0) {
    const fix = 'Once no server of an earlier release runs, run svc-server migrate --finish (docs/upgrading.md).';
    return warn(name, `not finished: ${listOf(missing)}`, fix);
  }
  return pass(name, `all applied, version ${newest}`);
}

async function checkLogMonths(ctx: AdminContext): Promise<Check[]> {
  const late = await listLateLogs(ctx.db, ctx.clock.now());
  if (late.length === 0) return [];
  const list = late.map(
    ({ table, until }) => `${table} (${until === null ? 'none' : until.toISOString().slice(0, 10)})`,
  );
  const fix =
    'Run a server with the role worker, which makes them. If one runs, its log names the months that it cannot make: end long transactions.';
  return [warn('log months', `months of these logs end too soon: ${list.join(', ')}`, fix)];
}

async function checkClock(ctx: AdminContext): Promise<Check> {
  const skewMs = Math.abs(await measureClockOffset(ctx.db, ctx.clock));
  const message = `the database's clock and this process's differ by ${formatMs(skewMs)}`;
  const fix = 'Synchronize the clocks of both machines (NTP): schedules, rate limits and signatures depend on them.';
  // A server with such a clock does not start.
  if (skewMs > CLOCK_OFFSET_MAX_MS) return fail('clock', message, fix);
  return skewMs > CLOCK_SKEW_WARN_MS ? warn('clock', message, fix) : pass('clock', message);
}

async function checkQueue(ctx: AdminContext): Promise<Check> {
  const now = ctx.clock.now();
  const { dueCount, oldestDueAt } = await readQueueState(ctx.db, now);
  if (oldestDueAt === null) return pass('queue', 'no job is waiting');
  const lagMs = now.getTime() - oldestDueAt.getTime();
  const count = dueCount < DUE_JOBS_COUNTED_MAX ? `${dueCount}` : `${dueCount} or more`;
  const message = `due jobs: ${count}, the oldest for ${formatMs(lagMs)}`;
  if (!ctx.areWorkersRunning() && ctx.proxyWatch !== undefined) {
    const fix = 'Solve what fails below; otherwise read the log and /health/ready of the server.';
    return warn('queue', `${message}; the server is up, but runs no jobs`, fix);
  }
  if (!ctx.areWorkersRunning() && !(await isAnnounced(ctx.db, WORKER_LOCK))) {
    if (await isAnnounced(ctx.db, SERVER_LOCK)) {
      return warn('queue', `${message}; no running server has the role worker`, 'Run svc-server start --role worker.');
    }
    if (await ctx.db.canAnnounce()) return warn('queue', `${message}; no server is running`, 'Run svc-server start.');
    const unseen = `${message}; whether a server is running cannot be seen through a connection pooler`;
    return warn('queue', unseen, SET_DIRECT_URL);
  }
  const fix = 'Check the log for errors, or add servers: several on one PostgreSQL share the work.';
  if (lagMs > QUEUE_LAG_FAIL_MS) return fail('queue', message, fix);
  return lagMs > QUEUE_LAG_WARN_MS ? warn('queue', message, fix) : pass('queue', message);
}

/** Adds a line for each error that threw jobs out of the queue. */
async function checkSetAsideJobs(ctx: AdminContext): Promise<Check[]> {
  const fix =
    'svc-server jobs list shows them, and the log says where the error was thrown. Update, or report the error; after that svc-server jobs retry runs them again.';
  return (await countSetAside(ctx.db)).map(({ kind, error, count, since }) => {
    const jobs = count === 1 ? `1 job ${kind}` : `${count} jobs ${kind}`;
    const message = `${jobs} threw the same error again and again, first ${since.toISOString()}: ${error}`;
    return fail('jobs set aside', message, fix);
  });
}

/** Adds a line for each CRM that does not work. */
async function checkOutages(ctx: AdminContext): Promise<Check[]> {
  const fix =
    'Nothing when the CRM itself is down: the events are written once it works, or given up after 24 hours. Otherwise check the network of the server.';
  return (await listCrmOutages(ctx.db)).map((outage) => warn('CRM outage', describeOutage(outage), fix));
}

/** Adds a line for each connection whose share of the CRM's day is used up. */
async function checkDailyShares(ctx: AdminContext): Promise<Check[]> {
  const fix =
    'Nothing: the events are written when the CRM counts a new day. To use more of it, set SVC_CRM_DAILY_SHARE; otherwise look which apps use the account, or raise its limit at the CRM.';
  return (await listStops(ctx.db, ctx.clock.now())).map((stop) => warn('CRM daily share', describeStop(stop), fix));
}

/** Adds a line for each source whose requests are not understood. */
async function checkSources(ctx: AdminContext): Promise<Check[]> {
  return (await listUnreadSources(ctx.db, ctx.clock.now())).map(
    ({ id, platform, connectionId, notUnderstood, recent }) =>
      warn(
        'source',
        `source ${id} (${platform}, connection ${connectionId}): ${notUnderstood} of its last ${recent} requests were not understood`,
        `svc-server requests list --source ${id} --outcome unparsed shows them. svc-server sources map --source ${id} proposes how to read them; after that, svc-server requests reprocess --source ${id} --since 7d reads them again.`,
      ),
  );
}

/** Adds a line for each source that refused posts today or yesterday. */
async function checkRefusals(ctx: AdminContext): Promise<Check[]> {
  const fix =
    'Compare the secret at the sequencer with that of svc-server sources set-secret; the log of the server says when signatures are genuine, but too old. Refused posts are not kept, and most sequencers do not send them again.';
  const yesterday = new Date(ctx.clock.now().getTime() - 24 * 60 * 60_000);
  return (await listRefusals(ctx.db, yesterday)).map(({ sourceId, day, missing, wrong }) => {
    const message = `source ${sourceId} refused posts on ${day}: ${missing} without a secret or signature, ${wrong} with a wrong or outdated one`;
    return warn('refused posts', message, fix);
  });
}

/** Adds a line only when a running server has seen an untrusted proxy. */
async function checkProxies(ctx: AdminContext): Promise<Check[]> {
  const isUntrusted = ctx.proxyWatch?.hasUntrusted() === true || (await isAnnounced(ctx.db, UNTRUSTED_PROXY_LOCK));
  return isUntrusted ? [warn('proxies', UNTRUSTED_PROXY.message, UNTRUSTED_PROXY.fix)] : [];
}

/** Decrypts one secret of every kind and every key. */
async function checkSecrets(ctx: AdminContext): Promise<Check> {
  const name = 'encryption key';
  const samples = await sampleSealedSecrets(ctx.db);
  const unreadable = samples.flatMap((sample) => {
    const problem = problemOf(() => ctx.secrets.decrypt(sample.sealed, sample.place));
    return problem === null ? [] : [`${sample.place.kind}: ${problem}`];
  });
  const fix =
    'Restore encryption.key from the backup, or set SVC_ENCRYPTION_KEY to the key they were encrypted with; separate several by commas: the first encrypts, all decrypt.';
  if (unreadable.length > 0) return fail(name, unreadable.join('; '), fix);
  const servers = (await listServerKeys(ctx.db)).filter((keys) => keys.length > 0);
  const unready = servers.filter((keys) => samples.some(({ sealed }) => !keys.includes(keyIdOf(sealed))));
  if (unready.length > 0) {
    const message = `${unready.length} of ${servers.length} running servers lack a key of the stored secrets, so they are not ready and run no jobs`;
    return fail(name, message, 'Set SVC_ENCRYPTION_KEY to the same value on every server, and restart each.');
  }
  const outdated = samples.filter(({ sealed }) => !ctx.secrets.isCurrent(sealed));
  if (outdated.length > 0) {
    const count = outdated.reduce((sum, sample) => sum + sample.count, 0);
    const message = `secrets encrypted with an old key or by an earlier release: ${count} (${listKinds(outdated)})`;
    return warn(name, message, 'Run svc-server secrets reencrypt; after that an old key can be removed.');
  }
  if (samples.length > 0) return pass(name, `decrypts stored secrets (${listKinds(samples)})`);
  const problem = problemOf(() => ctx.secrets.encrypt('', { kind: 'CRM token', id: 0 }));
  if (problem === null) return pass(name, 'usable; no secret is stored yet');
  return warn(
    name,
    problem,
    'Correct the key. Where there is none, the first start with an embedded database generates it.',
  );
}

/** Adds a line when relays are in use. */
async function checkRelays(ctx: AdminContext): Promise<Check[]> {
  const name = 'reply relays';
  const { boundCount, waitingCount } = await countRelays(ctx.db);
  if (boundCount === 0 && waitingCount === 0) return [];
  const message = `bound to sources: ${boundCount}, waiting mails: ${waitingCount}`;
  if (ctx.mail !== null) return [pass(name, `${message}; sent from ${ctx.mail.from.address}`)];
  const fix =
    'Set SVC_SMTP_URL and SVC_MAIL_FROM, and restart. Mails that have waited longer than 3 days are recorded and not sent.';
  return [warn(name, `${message}; no mail server is configured, so no mail is sent`, fix)];
}

/** A world may be served on purpose, but not public keys beside own data. */
async function checkWorld(ctx: AdminContext): Promise<Check> {
  const name = 'world';
  const world = await findWorldName(ctx.db);
  if (world !== null) {
    const message = `the database contains the world "${world}", whose API keys are in its file`;
    return warn(name, message, 'Use it for demos and tests only, and your own data in another database or folder.');
  }
  const keys = await findPublishedKeys(ctx.db, ctx.branding, ctx.clock.now());
  if (keys.length === 0) return pass(name, 'the database contains none');
  const message = `public API keys of a demo are accepted: ${keys.join(', ')}`;
  return fail(name, message, `Revoke them: ${keys.map((id) => `svc-server keys revoke ${id}`).join('; ')}`);
}

/** Worlds are loaded again, and PostgreSQL has its own backups. */
async function checkBackup(ctx: AdminContext): Promise<Check[]> {
  if (ctx.db.backend !== 'pglite' || (await findWorldName(ctx.db)) !== null) return [];
  const name = 'backup';
  const last = await readLastBackup(ctx.db);
  if (last === null) return [pass(name, 'none was made with svc-server backup yet')];
  const ageMs = ctx.clock.now().getTime() - last.getTime();
  const message = `the last one is ${formatMs(ageMs)} old`;
  return ageMs <= BACKUP_AGE_WARN_MS
    ? [pass(name, message)]
    : [warn(name, message, 'svc-server backup FILE makes one.')];
}

function problemOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function listKinds(samples: readonly SealedSample[]): string {
  return [...new Set(samples.map(({ place }) => place.kind))].join(', ');
}

function formatMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}
