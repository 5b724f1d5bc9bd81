import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Config } from '@oclif/core/config';
import { afterEach, expect, test, vi } from 'vitest';
import { prepareConfigDir, readConfigFile } from '../config/config-files.ts';
import { readFolder } from '../config/environment.ts';
import { createConfig } from './run-command.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

afterEach(() => vi.unstubAllEnvs());

function used(config: Config) {
  const { name, version, userAgent, bin, configDir, cacheDir } = config;
  return { name, version, userAgent, bin, configDir, cacheDir };
}

test.each([
  ['plain', {}],
  ['folders of the system', { XDG_CONFIG_HOME: '/tmp/xdg-config', XDG_CACHE_HOME: '/tmp/xdg-cache' }],
  ['folders of our own', { SVC_CONFIG_DIR: '/tmp/own-config', SVC_CACHE_DIR: '/tmp/own-cache' }],
  ['another home', { HOME: '/tmp/home', XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '' }],
])('equals what oclif would load: %s', async (_name, environment) => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  expect(used(createConfig(manifest))).toEqual(used(await Config.load({ root, ignoreManifest: false })));
});

test.each([
  ['empty', () => ''],
  [
    'unknown user',
    () => {
      throw new Error('ENOENT');
    },
  ],
])('without a home no file is read or written: %s', (_name, findHome) => {
  const folder = readFolder('config', {}, findHome);
  expect(folder.startsWith(tmpdir())).toBe(false);
  expect(readConfigFile(folder, 'config').text).toBeNull();
  expect(() => prepareConfigDir(folder, 'profiles')).toThrow('This user has no home folder to keep profiles.json in');
  expect(readFolder('config', { SVC_CONFIG_DIR: '/etc/own' }, findHome)).toBe('/etc/own');
});
