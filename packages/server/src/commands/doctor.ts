import { listenUrl } from '@svc/domain/network/listen-url';
import { DEFAULT_DATA_DIR, executeAdmin } from '../admin/execute.ts';
import { type Config, ConfigError, inspectEnvironment } from '../config.ts';
import { publicUrls } from '../public-urls.ts';
import { AdminError } from '../services/admin/admin-error.ts';
import { type Check, fail, warn, worstOf } from '../services/doctor/check.ts';
import { checkConfiguration, checkDataDir, checkNode } from '../services/doctor/machine.ts';
import { checkMetricsToken } from '../services/doctor/urls.ts';
import { NODE_ENGINES } from '../version.ts';
import { renderChecks } from './doctor-report.ts';
import { type ConfigOptions, configFor } from './options.ts';
import { print } from './print.ts';

/**
 * Checks everything that the service needs and prints how to fix problems.\n\n@returns the exit code: 1 when a check
 * fails, else 0
 */
export async function doctor(options: ConfigOptions & { json?: boolean }): Promise<0 | 1> {
  const checks = [...checkConfiguration(inspectEnvironment()), checkNode(process.versions.node, NODE_ENGINES)];
  const config = usableConfig(options);
  if (config !== null) {
    const urls = publicUrls(config, listenUrl(config.host, config.port));
    checks.push(
      ...(await checkDataDir(config.dataDir ?? DEFAULT_DATA_DIR)),
      checkMetricsToken(urls, config.metricsToken),
      ...(await checkInstallation(config)),
    );
  }
  const status = worstOf(checks);
  print(options.json ? `${JSON.stringify({ status, checks }, null, 2)}\n` : renderChecks(checks));
  return status === 'FAIL' ? 1 : 0;
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

/** The running server checks an embedded database that it has open. */
async function checkInstallation(config: Config): Promise<Check[]> {
  try {
    return (await executeAdmin(config, 'doctor/check', {})).checks;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof AdminError && error.code === 'no_database') {
      return [warn('database', message, 'Nothing to do before the first start.')];
    }
    return [fail('database', message, 'Fix this first: the other checks did not run.')];
  }
}
