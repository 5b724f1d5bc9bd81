import { readFileSync, statSync } from 'node:fs';
import { type ConfigFileName, configFile } from '../../config/config-files.ts';
import type { ProxyEnvironment } from '../../config/environment.ts';
import { type ProfileStore, readProfiles } from '../../config/profiles.ts';
import { describeProxy, proxyFor } from '../../config/proxy.ts';
import { readSettings } from '../../config/settings.ts';
import { fail, pass, skip, warn } from './check.ts';

/** Checks that only the owner can read the files. File modes have no meaning on Windows. */
export function checkFiles(configDir: string, platform: NodeJS.Platform) {
  const store = readProfiles(configDir);
  readSettings(configDir);
  const names: ConfigFileName[] = ['profiles', 'config'];
  const files = names.map((name) => configFile(configDir, name)).filter((file) => modeOf(file) !== null);
  if (files.length === 0) return pass(`none in ${configDir}`);
  const open = platform === 'win32' ? [] : files.filter((file) => ((modeOf(file) ?? 0) & 0o077) !== 0);
  if (open.length > 0) {
    return warn(`others on this machine can read ${open.join(' and ')}`, `chmod 600 ${open.join(' ')}`);
  }
  return pass(`${files.join(', ')} (${describeProfiles(store)})`);
}

function describeProfiles({ active, profiles }: ProfileStore): string {
  const count = Object.keys(profiles).length;
  const words = count === 1 ? '1 profile' : `${count} profiles`;
  return active === null ? words : `${words}, default ${active}`;
}

function modeOf(file: string): number | null {
  try {
    return statSync(file).mode & 0o777;
  } catch {
    return null;
  }
}

export function checkProxy(baseUrl: string, environment: ProxyEnvironment) {
  const proxy = proxyFor(baseUrl, environment);
  if (proxy === null) {
    const isSet = environment.httpProxy !== null || environment.httpsProxy !== null;
    return isSet
      ? pass('set, but not for this address (NO_PROXY, another scheme, or this machine itself)')
      : skip('no proxy is set');
  }
  if (URL.canParse(proxy)) return pass(`calls go through ${describeProxy(proxy)}`);
  return fail(
    'the address of the proxy is not valid',
    'HTTPS_PROXY and HTTP_PROXY must be http:// or https:// addresses.',
  );
}

/** @param file value of `NODE_EXTRA_CA_CERTS` */
export function checkExtraCertificates(file: string | null) {
  if (file === null) return skip('NODE_EXTRA_CA_CERTS is not set');
  try {
    const count = readFileSync(file, 'latin1').split('-----BEGIN CERTIFICATE-----').length - 1;
    if (count > 0) return pass(`${file} (${count})`);
    return warn(`there is no certificate in ${file}`, 'NODE_EXTRA_CA_CERTS must be a file in PEM format.');
  } catch {
    // Node only prints a warning.
    return fail(`${file} cannot be read`, 'NODE_EXTRA_CA_CERTS must be the path of a file in PEM format.');
  }
}
