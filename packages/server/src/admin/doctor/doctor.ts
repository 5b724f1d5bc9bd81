import { listenUrl } from '@svc/domain/network/listen-url';
import { DEFAULT_DATA_DIR, executeAdmin } from '../execute.ts';
import { type Config, ConfigError, inspectEnvironment } from '@svc/engine/config/config';
import { publicUrls } from '@svc/engine/config/public-urls';
import { AdminError } from '@svc/operations/implemented/admin-error';
import { type Check, fail, messageOf, pass, warn, worstOf } from '@svc/operations/doctor/check';
import { checkCollector } from './collector.ts';
import { checkConfiguration, checkDataDir, checkNode } from './machine.ts';
import { checkMetricsToken } from '@svc/operations/doctor/urls';
import { NODE_ENGINES } from '@svc/engine/runtime/version';
import { type ConfigOptions, configFor } from '../cli/options.ts';
import { sanitize } from '@svc/engine/runtime/terminal-text';
import { print } from '../cli/run.ts';

/**
 * Checks everything that the service needs and prints how to fix problems.
 *
 * @returns the exit code: 1 when a check fails, else 0
 */
export async function doctor(options: ConfigOptions & { json?: boolean }): Promise<0 | 1> {
  const checks = [...checkConfiguration(inspectEnvironment()), checkNode(process.versions.node, NODE_ENGINES)];
  const config = usableConfig(options);
  if (config !== null) {
    const urls = publicUrls(config, listenUrl(config.host, config.port));
    checks.push(
      ...(await checkDataDirIfUsed(config)),
      checkMetricsToken(urls, config.metricsToken),
      ...(await checkCollector(config.telemetry)),
      ...(await checkInstallation(config)),
      ...(await checkNeighbors(config)),
    );
  }
  const status = worstOf(checks);
  print(options.json ? `${JSON.stringify({ status, checks }, null, 2)}\n` : renderChecks(checks));
  return status === 'FAIL' ? 1 : 0;
}

async function checkDataDirIfUsed({ databaseUrl, dataDir = DEFAULT_DATA_DIR }: Config): Promise<Check[]> {
  if (databaseUrl === undefined) return checkDataDir(dataDir);
  return [pass('data directory', 'not used, because DATABASE_URL is set')];
}

/** Returns null for an invalid configuration, which the report shows already. */
function usableConfig(options: ConfigOptions): Config | null {
  try {
    return configFor(options);
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

/** Connects to the standbys and to RabbitMQ; loads nothing without their variables. */
async function checkNeighbors({ databaseUrl, databaseReadUrl, ingestAmqpUrl }: Config): Promise<Check[]> {
  const checks: Check[] = [];
  if (databaseReadUrl !== undefined) {
    const { checkReplicas } = await import('./read-replicas.ts');
    checks.push(...(await checkReplicas(databaseUrl, databaseReadUrl)));
  }
  if (ingestAmqpUrl !== undefined) {
    const { checkIngestBuffer } = await import('./ingest-buffer.ts');
    checks.push(...(await checkIngestBuffer(ingestAmqpUrl)));
  }
  return checks;
}

/** The running server checks an embedded database that it has open. */
async function checkInstallation(config: Config): Promise<readonly Check[]> {
  try {
    return (await executeAdmin(config, 'doctor/check', {})).checks;
  } catch (error) {
    const message = messageOf(error);
    if (error instanceof AdminError && error.code === 'no_database') {
      return [warn('database', message, 'Nothing to do before the first start.')];
    }
    return [fail('database', message, 'Fix this first: the other checks did not run.')];
  }
}

/** Renders one line per check, with its fix below. */
function renderChecks(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ status, name, message, fix }) => [
    `${status}  ${name.padEnd(width)}  ${sanitize(message)}`,
    ...(fix === null ? [] : [`${' '.repeat(6 + width)}  -> ${fix}`]),
  ]);
  return `${lines.join('\n')}\n`;
}
