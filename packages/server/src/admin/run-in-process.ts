/** Runs administrative operations in the command's own process, on a database that it opens and closes. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { listenUrl } from '@svc/domain/network/listen-url';
import { systemClock } from '@svc/engine/runtime/clock';
import { openAnyDatabase, openCurrentDatabase } from '@svc/engine/store/database/open-database';
import { type Config, ConfigError } from '@svc/engine/config/config';
import { createCrmConnectors, createCrmOauth, createCrmSetups, publishedLimits } from '@svc/crm';
import { createCrmQuotas } from '@svc/engine/crm/quota';
import { listKinds } from '@svc/engine/jobs/kinds';
import { createMetrics } from '@svc/engine/runtime/metrics';
import { keyFileOf, loadSecretBox } from '@svc/engine/secrets/key-material';
import { createLogger } from '@svc/engine/runtime/logger';
import { localFetch } from '@svc/engine/outbound/local-network';
import { createOutbound } from '@svc/engine/outbound/outbound';
import { createSystemResolve, systemDial } from '@svc/engine/outbound/system-network';
import { oauthAddresses, publicUrls } from '@svc/engine/config/public-urls';
import type { SecretBox } from '@svc/engine/secrets/secret-box';
import { createHistoryClientFinder, createWebhookClientFinder } from '@svc/engine/runtime/sequencer-clients';
import { type AdminOperationName, type AdminResult, performAdmin } from '@svc/operations/perform';
import type { AdminContext } from '@svc/operations/implemented/operation';
import type { Database } from '@svc/engine/store/database/db';
import { findWorldName } from '@svc/engine/world/load-world.sql';

/**
 * @throws AdminError, and the errors of opening a database: `ConfigError`, `SchemaError`, `DatabaseUnavailableError`,
 *   `DataDirInUseError`
 */
export async function runInProcess<Name extends AdminOperationName>(
  config: Config,
  dataDir: string,
  name: Name,
  input: unknown,
): Promise<AdminResult<Name>> {
  // The doctor checks any database and creates nothing.
  const isDoctor = name === 'doctor/check';
  const open = isDoctor ? openAnyDatabase : openCurrentDatabase;
  const db = await open(config, dataDir, createLogger(config));
  try {
    const ctx = await createContext(config, db, { dataDir, mayGenerateKey: !isDoctor });
    return await performAdmin(ctx, name, input, describeUser());
  } finally {
    await db.close();
  }
}

/** Returns `kim (uid 1000)`; a container's user may have no name. */
function describeUser(): string {
  const uid = process.getuid?.() ?? 'unknown';
  try {
    return `${userInfo().username} (uid ${uid})`;
  } catch {
    return `uid ${uid}`;
  }
}

async function createContext(
  config: Config,
  db: Database,
  options: { dataDir: string; mayGenerateKey: boolean },
): Promise<AdminContext> {
  const crmOptions = {
    fetch: createFetch(db),
    timeoutMs: 10_000,
    now: () => systemClock.now(),
    baseUrls: config.crmUrls,
  };
  const connectors = createCrmConnectors(crmOptions);
  const setups = createCrmSetups(crmOptions);
  const log = createLogger(config);
  const oauth = createCrmOauth({ fetch: createFetch(db), now: () => systemClock.now(), ...oauthAddresses(config) });
  const { outboundAllowedCidrs: allowedCidrs } = config;
  const outbound = createOutbound({
    resolve: createSystemResolve({ asksSystem: allowedCidrs.length > 0 }),
    dial: systemDial,
    allowedCidrs,
  });
  const sequencerOptions = {
    fetch: createFetch(db),
    guardedFetch: outbound.fetch,
    timeoutMs: 10_000,
    now: () => systemClock.now(),
    baseUrls: config.sequencerUrls,
  };
  return {
    db,
    ...(config.databaseUrl === undefined ? { dataDir: options.dataDir } : {}),
    clock: systemClock,
    secrets: await loadSecretsIfAny(config, db, options),
    randomBytes,
    outbound,
    mail: config.mail,
    urls: publicUrls(config, listenUrl(config.host, config.port)),
    branding: config.branding,
    crmConnector: (crm) => connectors.get(crm),
    crmSetup: (crm) => setups.get(crm),
    crmOauth: (crm) => oauth.get(crm),
    crmQuota: createCrmQuotas({
      ...{ db, clock: systemClock, log, metrics: createMetrics(listKinds()), dailyShare: config.crmDailyShare },
      limitsOf: publishedLimits,
      signal: new AbortController().signal,
    }),
    sequencerWebhooks: createWebhookClientFinder(sequencerOptions),
    sequencerHistory: createHistoryClientFinder(sequencerOptions),
    log,
    areWorkersRunning: () => false,
    areUrlsAssumed: config.publicUrl === undefined && config.syncUrl === undefined,
  };
}

/** Nothing of a world leaves the machine. */
function createFetch(db: Database): typeof globalThis.fetch {
  return async (input, init) => ((await findWorldName(db)) === null ? globalThis.fetch : localFetch)(input, init);
}

/** Most commands need no key. Without a usable one, encrypting and decrypting throw the reason. */
async function loadSecretsIfAny(
  config: Config,
  db: Database,
  options: { dataDir: string; mayGenerateKey: boolean },
): Promise<SecretBox> {
  const { encryptionKeys, databaseUrl } = config;
  const file = keyFileOf(options.dataDir);
  if (!options.mayGenerateKey && encryptionKeys === undefined && databaseUrl === undefined && !existsSync(file)) {
    return unusable(new ConfigError(`there is no ${file} and no SVC_ENCRYPTION_KEY`));
  }
  try {
    return await loadSecretBox({
      configuredKeys: encryptionKeys,
      dataDir: options.dataDir,
      mayGenerate: databaseUrl === undefined,
      db,
    });
  } catch (error) {
    if (error instanceof ConfigError) return unusable(error);
    throw error;
  }
}

function unusable(error: ConfigError): SecretBox {
  const refuse = (): never => {
    throw error;
  };
  return { keyIds: [], encrypt: refuse, decrypt: refuse, isCurrent: refuse, deriveKey: refuse };
}
