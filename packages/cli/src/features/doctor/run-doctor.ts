import { type Client, type MeResponse, SvcError } from '@svc/sdk';
import { CliError } from '../../errors/cli-error.ts';
import { type ProxyEnvironment, readExtraCaFile, readProxyEnvironment } from '../../config/environment.ts';
import { proxyFor } from '../../config/proxy.ts';
import type { Credentials } from '../../config/credentials.ts';
import { type Check, pass, runCheck, skip } from './check.ts';
import { checkExtraCertificates, checkFiles, checkProxy } from './machine.ts';
import { checkAddress, checkDns, checkTls } from './network.ts';
import { checkClock, checkKey, checkLive, checkReady, checkScopes } from './service.ts';

export interface DoctorInput {
  /** For example `@svc/cli/1.0.0 linux-x64 node-v24.0.0`. */
  readonly version: string;
  readonly configDir: string;
  readonly platform: NodeJS.Platform;
  readonly proxies: ProxyEnvironment;
  readonly extraCaFile: string | null;
  readonly timeoutMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** @throws CliError for invalid profiles or addresses */
  readonly resolve: () => Credentials;
  readonly connect: (credentials: Credentials) => Client;
}

/** Runs all checks with the environment and the clock of this process. */
export function runDoctor(
  { userAgent, configDir }: { readonly userAgent: string; readonly configDir: string },
  input: Pick<DoctorInput, 'timeoutMs' | 'resolve' | 'connect'>,
): Promise<Check[]> {
  return runChecks({
    ...input,
    ...{ version: userAgent, configDir, platform: process.platform, now: Date.now },
    ...{ proxies: readProxyEnvironment(), extraCaFile: readExtraCaFile() },
  });
}

/** Runs all checks, from this machine to the service. Checks that depend on a failed one are skipped. */
async function runChecks(input: DoctorInput): Promise<Check[]> {
  const { configDir, platform, proxies, extraCaFile } = input;
  const checks = [
    await runCheck('version', () => pass(input.version)),
    await runCheck('files', () => checkFiles(configDir, platform)),
  ];
  const credentials = tryResolve(input.resolve);
  const address = await runCheck('address', () => {
    if (credentials instanceof Error) throw credentials;
    return checkAddress(new URL(credentials.baseUrl), credentials.baseUrlSource);
  });
  checks.push(address, await runCheck('certificates', () => checkExtraCertificates(extraCaFile)));
  if (credentials instanceof Error) return checks;
  checks.push(await runCheck('proxy', () => checkProxy(credentials.baseUrl, proxies)));
  return [...checks, ...(await checkService(input, credentials))];
}

function tryResolve(resolve: () => Credentials): Credentials | CliError {
  try {
    return resolve();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

async function checkService(input: DoctorInput, credentials: Credentials): Promise<Check[]> {
  const url = new URL(credentials.baseUrl);
  const isProxied = proxyFor(credentials.baseUrl, input.proxies) !== null;
  const { timeoutMs, now } = input;
  const dns = await runCheck('dns', () => checkDns(url, isProxied));
  const isNamed = dns.status !== 'fail';
  const tls = await runCheck('tls', () =>
    isNamed ? checkTls(url, isProxied, timeoutMs, now()) : skip('the host name cannot be resolved'),
  );
  const client = input.connect(credentials);
  let skewSeconds: number | null = null;
  const askLive = async () => {
    const answer = await checkLive(client, now);
    skewSeconds = answer.skewSeconds;
    return answer.result;
  };
  const live = await runCheck('live', askLive, credentials);
  const isUp = live.status === 'pass';
  const askReady = () => (isUp ? checkReady(client) : skip('the service does not answer'));
  const ready = await runCheck('ready', askReady, credentials);
  const me = isUp && credentials.apiKey !== null ? await fetchMe(client) : null;
  return [
    dns,
    tls,
    live,
    ready,
    await runCheck('clock', () => (isUp ? checkClock(skewSeconds) : skip('the service does not answer'))),
    await runCheck('key', () => checkKey(credentials, me)),
    await runCheck('scopes', () => checkScopes(me)),
  ];
}

async function fetchMe(client: Client): Promise<MeResponse | SvcError> {
  try {
    return await client.me.get();
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
}
